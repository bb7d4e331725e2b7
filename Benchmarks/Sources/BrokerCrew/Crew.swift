import Dispatch
import InkProtocol
import Synchronization

/// The workers, all on one thread.
final class Crew {
    private let sessions: [CrewSession]
    private let post: CrewPost

    init(workers: Int, post: CrewPost) throws {
        self.post = post
        sessions = (0..<workers).map { CrewSession(name: "w\($0)", post: post) }
        for session in sessions { try session.start() }
    }

    /// Works until the process ends; throws if the broker refuses a worker, or a task fails.
    func run() throws {
        while true {
            var items: [PollItem] = []
            var polled: [CrewSession] = []
            for session in sessions {
                guard let item = session.pollItem else { continue }
                items.append(item)
                polled.append(session)
            }
            let hasWork = sessions.contains(where: \.canWork)
            _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: hasWork ? 0 : 20)
            post.mayRender = true
            let now = CrewPost.milliseconds
            for (session, item) in zip(polled, items) where item.isReadable || session.wantsTurn(now: now) {
                try session.turn()
            }
            let working = sessions.count(where: \.isServing)
            post.sums.change { $0.working = working }
        }
    }
}

/// What the workers share. Used by one thread, but for the sums.
final class CrewPost {
    let endpoint: String
    let options: ZeroMQSocketOptions
    let context: ZeroMQContext
    let sharesBlocks: Bool
    let sums: CrewSums
    let recordings = Recordings()
    /// Whether the engine has not done a task in this turn of all workers. Heartbeats must not wait for many.
    var mayRender = true

    init(
        endpoint: String, options: ZeroMQSocketOptions, context: ZeroMQContext, sharesBlocks: Bool, sums: CrewSums
    ) {
        self.endpoint = endpoint
        self.options = options
        self.context = context
        self.sharesBlocks = sharesBlocks
        self.sums = sums
    }

    /// Of a monotonic clock.
    static var milliseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
}

/// What all workers have done so far.
final class CrewSums: Sendable {
    struct Values: Sendable {
        /// Workers that the broker has accepted.
        var working = 0
        /// Tasks that were answered, and how many of them by the engine.
        var tasks = 0
        var rendered = 0
        /// Bytes of all messages to the broker and from it.
        var sent = 0
        var received = 0
    }

    private let values = Mutex(Values())

    func change(_ body: (inout Values) -> Void) { values.withLock { body(&$0) } }

    /// As JSON.
    var line: String {
        let values = values.withLock { $0 }
        return """
            {"working": \(values.working), "tasks": \(values.tasks), "rendered": \(values.rendered), \
            "sent": \(values.sent), "received": \(values.received)}
            """
    }
}
