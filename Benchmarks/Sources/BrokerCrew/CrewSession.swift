import InkEngine
import InkProtocol
@testable import InkWorker

/// One worker: the state machine of a real one, with a connection of its own.
final class CrewSession {
    enum Failure: Error { case ended(WorkerEnding) }

    private let post: CrewPost
    private let connection = DealerConnection()
    private var state: WorkerState
    /// Tasks whose blocks are there.
    private var runs: [Run] = []
    /// The blocks that this worker has, and how many of its tasks hold each. Not used if blocks are shared.
    private var held: [BlockID: Int] = [:]

    /// Messages read before other workers get their turn.
    private static let messagesInTurn = 64

    init(name: String, post: CrewPost) {
        self.post = post
        let configuration = WorkerConfiguration(
            endpoint: post.endpoint, name: name, rendererVersion: TileRenderer.version, threads: 1)
        state = WorkerState(
            hello: configuration.hello, helloMilliseconds: configuration.helloMilliseconds,
            line: LineWindow(endpoint: post.endpoint))
    }

    var isServing: Bool { state.isServing }
    var pollItem: PollItem? { connection.pollItem }
    /// Whether a result can be sent now, as a real worker decides it.
    var canWork: Bool { !runs.isEmpty && !connection.hasUnsent && state.wantsResults }

    func wantsTurn(now: Int64) -> Bool { canWork || connection.hasUnsent || now >= state.nextTick ?? .max }

    func start() throws { try handle(.started) }

    /// Reads messages, answers tasks, and does what is due.
    func turn() throws {
        try connection.flush()
        for _ in 0..<Self.messagesInTurn {
            guard let frame = try connection.receive() else { break }
            post.sums.change { $0.received += frame.count }
            try handle(.received(try BrokerMessage(frame: frame)))
        }
        while canWork, let result = try post.result(of: runs[0]) {
            let run = runs.removeFirst()
            for (sequence, bytes) in result.parts.enumerated() {
                try handle(.produced(run.id, sequence: UInt32(sequence), bytes: bytes))
            }
            try handle(.finished(run.id, .done(resultBytes: result.byteCount, phases: result.phases)))
        }
        try handle(.tick)
    }

    private func handle(_ event: WorkerEvent) throws {
        let actions = state.handle(event, now: CrewPost.milliseconds) { hold($0) }
        for action in actions { try perform(action) }
    }

    private func perform(_ action: WorkerAction) throws {
        switch action {
        case .connect: try connection.open(post.endpoint, options: post.options, context: post.context)
        case .send(let message):
            let frame = try message.encoded()
            post.sums.change { $0.sent += frame.count }
            try connection.send(frame)
        case .discard: break
        case .store(let block, let holders):
            if holders > 0, !post.sharesBlocks { held[block.id, default: 0] += holders }
            post.recordings.cache.insert(block, holders: holders)
        case .release(let ids): for id in ids { release(id) }
        case .run(let run): runs.append(run)
        case .cancelRun(let id):
            // Others have been answered.
            guard let index = runs.firstIndex(where: { $0.id == id }) else { return }
            runs.remove(at: index)
            try handle(.finished(id, .cancelled))
        case .stop(let ending): throw Failure.ended(ending)
        }
    }

    private func hold(_ id: BlockID) -> Bool {
        if !post.sharesBlocks {
            guard let count = held[id] else { return false }
            held[id] = count + 1
        }
        return post.recordings.cache.hold(id)
    }

    private func release(_ id: BlockID) {
        if let count = held[id] { held[id] = count > 1 ? count - 1 : nil }
        post.recordings.cache.release(id)
    }
}

extension CrewPost {
    /// The result of a task; nil if the engine would have to do it, and has done another one in this turn.
    fileprivate func result(of run: Run) throws -> Recordings.Result? {
        if let known = recordings.result(of: run.task) {
            sums.change { $0.tasks += 1 }
            return known
        }
        guard mayRender else { return nil }
        mayRender = false
        let result = try recordings.record(run.task, limitBytes: run.resultLimitBytes)
        sums.change { sums in
            sums.tasks += 1
            sums.rendered += 1
        }
        return result
    }
}
