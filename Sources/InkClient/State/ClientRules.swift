import InkProtocol

/// Timeouts and limits of a client. Times are in milliseconds.
struct ClientRules: Hashable, Sendable {
    var name = ""
    /// How long to wait for the answer to a hello; doubles with each failure up to eight times.
    var helloTime: Int64 = 5_000
    /// Maximum number of submissions sent but not answered, including those that wait for a busy broker.
    var submissionsInFlight = 64
    /// An unanswered submission is repeated after this time; doubles each time up to eight times.
    var submissionRepeatTime: Int64 = 10_000
    /// Minimum time until a busy broker is asked again; doubles each time up to eight times.
    var busyTime: Int64 = 500
    /// How often a content is offered to a broker that reports it missing.
    var contentAttempts = 3
    /// An unanswered order or question is repeated after this time; doubles each time up to eight times.
    var requestRepeatTime: Int64 = 5_000
    /// The watched jobs are sent again after this time.
    var watchRepeatTime: Int64 = 30_000
    /// Maximum number of pictures fetched at the same time.
    var fetchesInFlight = 4
    /// Additional pictures that are fetched while they are rendered.
    var followedPictures = 2
    /// Number of windows of a picture that are requested but not on the disk.
    var fetchWindows: UInt64 = 2
    /// A piece of a picture that does not arrive is requested again after this time; doubles each time up to eight
    /// times.
    var fetchRepeatTime: Int64 = 5_000
    /// Maximum bytes of contents that are being read or wait for the socket.
    var uploadBytes = 32 << 20
    /// Bytes of a content in one message.
    var uploadPartBytes = ProtocolLimits.transferPartBytes

    /// `time`, doubled `times` times, at most to eight times the first.
    static func doubled(_ time: Int64, _ times: Int) -> Int64 { time << Int64(max(0, min(3, times))) }
}
