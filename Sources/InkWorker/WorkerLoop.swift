import InkProtocol
import InkSystem

/// The effects of a worker: its socket, its clock, the queue to its render threads. Used by one thread.
final class WorkerLoop {
    private var state: WorkerState
    private let configuration: WorkerConfiguration
    private let context: ZeroMQContext
    private let cache: BlockCache
    private let queue: RenderQueue
    private let wakeUp: WakeUp
    private let requests: StopRequests
    private let onNews: @Sendable (WorkerNews) -> Void
    private let connection = DealerConnection()
    private var cancellations: [RunID: Cancellation] = [:]
    private var ending: WorkerEnding?
    /// Number of messages read before other work gets its turn.
    private static let messagesInTurn = 64

    init(
        configuration: WorkerConfiguration, context: ZeroMQContext, cache: BlockCache, queue: RenderQueue,
        wakeUp: WakeUp, requests: StopRequests, onNews: @escaping @Sendable (WorkerNews) -> Void
    ) {
        state = WorkerState(
            hello: configuration.hello, helloMilliseconds: configuration.helloMilliseconds,
            line: LineWindow(endpoint: configuration.endpoint))
        self.configuration = configuration
        self.context = context
        self.cache = cache
        self.queue = queue
        self.wakeUp = wakeUp
        self.requests = requests
        self.onNews = onNews
    }

    /// Runs until the worker has ended. Throws `refused` or `transport`.
    func run() throws(WorkerError) {
        defer {
            for cancellation in cancellations.values { cancellation.cancel() }
            queue.close()
        }
        do throws(ProtocolError) {
            try handle(.started)
            while ending == nil {
                try wait()
                if requests.wantsToStopNow { return }
                try receive()
                if requests.wantsToDrain { try handle(.drainRequested) }
                // Results stay with the render threads, which then wait, until the line has taken the earlier ones.
                if !connection.hasUnsent, state.wantsResults { for event in queue.takeOutgoing() { try handle(event) } }
                try handle(.tick)
            }
        } catch {
            throw .transport(error)
        }
        if case .refused(let reason) = ending { throw .refused(reason: reason) }
    }

    private func handle(_ event: WorkerEvent) throws(ProtocolError) {
        if case .finished(let run, _) = event { cancellations[run] = nil }
        let (wasServing, wasDraining, hellos) = (state.isServing, state.isDraining, state.failedHellos)
        let actions = state.handle(event, now: Int64(SystemClock.milliseconds)) { cache.hold($0) }
        // If the worker is leaving, its last messages are not cut off.
        let isLeaving = actions.contains { if case .stop = $0 { true } else { false } }
        if state.isServing != wasServing, !isLeaving { onNews(wasServing ? .disconnected : .connected) }
        // The first hello of a connection is not a failure.
        if state.failedHellos > max(1, hellos) { onNews(.unanswered) }
        if state.isDraining != wasDraining { onNews(.draining) }
        for action in actions { try perform(action) }
    }

    private func perform(_ action: WorkerAction) throws(ProtocolError) {
        switch action {
        case .connect: try connect()
        case .send(let message): try connection.send(message.encoded())
        case .discard(let bytes, let sequence): cache.discard(bytes, sequence: sequence)
        case .store(let block, let holders): cache.insert(block, holders: holders)
        case .release(let ids): for id in ids { cache.release(id) }
        case .run(let run):
            let cancellation = Cancellation()
            cancellations[run.id] = cancellation
            queue.add(ScheduledRun(run: run, cancellation: cancellation))
        case .cancelRun(let run): cancel(run)
        case .stop(let ending): self.ending = ending
        }
    }

    private func cancel(_ run: RunID) {
        cancellations[run]?.cancel()
        if queue.takeBack(run) {
            // No thread will report it; the event follows in the next turn.
            queue.finish(run, .cancelled)
            wakeUp.signal()
        } else {
            queue.notify()
        }
    }

    private func connect() throws(ProtocolError) {
        var options = ZeroMQSocketOptions()
        options.security = configuration.security
        try connection.open(configuration.endpoint, options: options, context: context)
    }

    private func wait() throws(ProtocolError) {
        var items = [wakeUp.pollItem]
        if let item = connection.pollItem { items.append(item) }
        let timeout = state.nextTick.map { Int(max(0, $0 - Int64(SystemClock.milliseconds))) }
        _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: timeout)
        wakeUp.clear()
        try connection.flush()
    }

    private func receive() throws(ProtocolError) {
        for _ in 0..<WorkerLoop.messagesInTurn {
            guard let frame = try connection.receive() else { return }
            let message: BrokerMessage
            do throws(ProtocolError) {
                message = try BrokerMessage(frame: frame)
            } catch {
                // A broker that keeps the protocol does not send this. It does not count as a sign of life. If nothing
                // else arrives, the broker counts as silent and a new connection is made.
                continue
            }
            try handle(.received(message))
        }
    }
}
