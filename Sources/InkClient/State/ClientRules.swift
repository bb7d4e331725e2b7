import InkProtocol

/// How patient a client is, and how much it does at once. Times are milliseconds.
struct ClientRules: Hashable, Sendable {
    var name = ""
    /// How long an unanswered hello is waited for; doubles with each failure up to eightfold.
    var helloTime: Int64 = 5_000
    /// Submissions that have been sent and not been answered, those that wait for a busy broker included.
    var submissionsInFlight = 64
    /// An unanswered submission is repeated after this; doubles with each time up to eightfold.
    var submissionRepeatTime: Int64 = 10_000
    /// A busy broker is asked again after at least this; doubles with each time up to eightfold.
    var busyTime: Int64 = 500
    /// How often a content is offered to a broker that says it did not get it.
    var contentAttempts = 3
    /// An unanswered order or question is repeated after this; doubles with each time up to eightfold.
    var requestRepeatTime: Int64 = 5_000
    /// The list of watched jobs is repeated after this.
    var watchRepeatTime: Int64 = 30_000
    /// Pictures that are fetched at once.
    var fetchesInFlight = 4
    /// Pictures fetched while they are rendered, in addition.
    var followedPictures = 2
    /// Windows of a picture that have been asked for and are not on the disk.
    var fetchWindows: UInt64 = 2
    /// A piece of a picture that does not come is asked for again after this; doubles with each time up to eightfold.
    var fetchRepeatTime: Int64 = 5_000
    /// Bytes of contents that are being read or wait for the socket.
    var uploadBytes = 32 << 20
    /// Bytes of a content in one message.
    var uploadPartBytes = ProtocolLimits.transferPartBytes

    /// `time`, doubled `times` times, at most eightfold.
    static func doubled(_ time: Int64, _ times: Int) -> Int64 { time << Int64(max(0, min(3, times))) }
}
