public import InkEngine
public import InkProtocol
import Synchronization

/// Does a worker's tasks. Called from several threads at once.
public protocol TaskRunner: Sendable {
    /// Called once by each thread before its first run, while it has nothing else to do.
    func prepare(thread index: Int)

    /// Does the task and hands its result, item by item, to `context.emit`; returns where the time went.
    ///
    /// Throws what is wrong with the input (no retry can mend it) or `internalError`. A run that finds
    /// `context.isCancelled` may throw anything.
    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> TaskPhases
}

extension TaskRunner {
    public func prepare(thread index: Int) {}
}

/// What a run sees of its worker.
public final class TaskContext: Sendable {
    /// The blocks that the task names; all are there.
    public let blocks: BlockCache
    /// 0 ..< threads: no two runs with the same number are under way at once, so a runner can keep scratch memory
    /// for each.
    public let threadIndex: Int
    private let cancellation: Cancellation
    private let emitItem: @Sendable (ResultItem) throws(EngineError) -> Void

    /// A context that hands the items to `emit`.
    public init(
        blocks: BlockCache, threadIndex: Int, cancellation: Cancellation = Cancellation(),
        emit: @escaping @Sendable (ResultItem) throws(EngineError) -> Void
    ) {
        self.cancellation = cancellation
        self.blocks = blocks
        self.threadIndex = threadIndex
        self.emitItem = emit
    }

    /// Whether the result is no longer wanted.
    public var isCancelled: Bool { cancellation.isCancelled }

    /// Throws if the result is no longer wanted.
    public func checkCancellation() throws(EngineError) {
        if isCancelled { throw .internalError("cancelled") }
    }

    /// Sends the next item of the result; waits while too much is waiting to be sent.
    ///
    /// A local block that the item brings is taken back when the result is not sent.
    ///
    /// Throws `internalError` when the run was cancelled or the result is larger than the broker allows.
    public func emit(_ item: ResultItem) throws(EngineError) {
        do throws(EngineError) {
            try checkCancellation()
            try emitItem(item)
        } catch {
            if let block = item.block { blocks.withdraw(block) }
            throw error
        }
    }
}

/// Tells a run that its result is no longer wanted. Set by one thread, read by others.
public final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    /// Whether `cancel` has been called.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Cannot be taken back.
    public func cancel() { flag.store(true, ordering: .relaxed) }
}
