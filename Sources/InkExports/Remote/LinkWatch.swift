package import InkClient

/// Tracks the connection to the broker, and reports when a command has waited long enough for it.
package struct LinkWatch: Sendable {
    /// The default time to wait for a broker that has never answered, milliseconds.
    package static let firstAnswerMilliseconds = 30_000.0
    /// Interruptions longer than this are reported, milliseconds; a restart of the broker often takes less.
    private static let silentMilliseconds = 2_000.0

    private enum State: Hashable {
        case new
        case connected
        case lost(since: Double, reason: String)
    }

    private let endpoint: String
    private let timeout: Double?
    private var state = State.new
    private var refusal: String?
    private var isTold = false
    /// When the broker began to reject everything, and why.
    private var putOff: (since: Double, reason: String)?
    private var isPutOffTold = false

    package init(_ options: RemoteOptions) {
        endpoint = options.endpoint
        timeout = options.timeoutMilliseconds.map(Double.init)
    }

    var isConnected: Bool { state == .connected }

    /// Handles an event of the connection; times are milliseconds since the command began.
    package mutating func note(_ event: FarmClientEvent, now: Double) {
        switch event {
        case .connected:
            state = .connected
            refusal = nil
        case .disconnected(let reason): if state != .new { state = .lost(since: now, reason: reason) }
        case .refused(let reason):
            refusal = reason
            if state == .connected { state = .lost(since: now, reason: reason) }
        case .busy(_, _, let reason): if putOff == nil { putOff = (now, reason) }
        case .accepted: putOff = nil
        default: break
        }
    }

    /// A line for the user, once per change: waiting for the broker, or connected again. A busy broker is reported
    /// once.
    package mutating func news(now: Double) -> String? {
        switch state {
        case .connected:
            if isTold {
                isTold = false
                return "the broker at \(endpoint) is back"
            }
            guard let putOff, !isPutOffTold, now - putOff.since >= Self.silentMilliseconds else { return nil }
            // Reported once: a queue that is full now and then only causes delays.
            isPutOffTold = true
            return "the broker at \(endpoint) takes nothing for now (\(putOff.reason)); waiting for it"
        case .lost(let since, let reason):
            guard !isTold, now - since >= Self.silentMilliseconds else { return nil }
            isTold = true
            return "the broker at \(endpoint) does not answer (\(reason)); waiting for it"
        case .new:
            guard !isTold, now >= Self.silentMilliseconds else { return nil }
            isTold = true
            return
                "no answer from \(endpoint) yet; waiting for it (\"ink broker\" starts a broker, --broker names another)"
        }
    }

    /// The reason to stop waiting; nil while the broker may still answer.
    package func failure(now: Double) -> ExportError? {
        switch state {
        case .connected: return nil
        case .new:
            if let refusal { return .farm(PictureFailure(.refused(reason: refusal))) }
            let patience = timeout ?? Self.firstAnswerMilliseconds
            return now >= patience ? unreachable(patience, nil) : nil
        case .lost(let since, let reason):
            guard let timeout, now - since >= timeout else { return nil }
            return unreachable(timeout, reason)
        }
    }

    private func unreachable(_ waited: Double, _ reason: String?) -> ExportError {
        let hint =
            reason.map { "the connection was lost: \($0)" }
            ?? ClientError.nobodyThere
        return .farm(
            PictureFailure(.unreachable(endpoint: endpoint, waitedMilliseconds: Int(waited), hint: hint)))
    }
}
