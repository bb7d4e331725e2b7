public import InkEngine
public import InkProtocol
import Synchronization

/// Executes a worker's tasks. Called from several threads at once.
public protocol TaskRunner: Sendable {
    /// Called once by each thread before its first run, while it has nothing else to do.
    func prepare(thread index: Int)

    /// Executes the task and passes its result, item by item, to `context.emit`. Returns the time spent in each phase.
    ///
    /// - Throws: an input error (a retry cannot help) or `internalError`. A run that finds `context.isCancelled` may
    ///   throw anything.
    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes
}

extension TaskRunner {
    public func prepare(thread index: Int) {}
}

/// The environment of a run.
public final class TaskContext: Sendable {
    /// The blocks that the task refers to; all of them are available.
    public let blocks: BlockCache
    /// 0 ..< threads. No two simultaneous runs have the same number, so a runner can keep scratch memory per number.
    public let threadIndex: Int
    private let cancellation: Cancellation
    private let emitItem: @Sendable (ResultItem) throws(EngineError) -> Void

    /// A context that passes the items to `emit`.
    public init(
        blocks: BlockCache, threadIndex: Int, cancellation: Cancellation = Cancellation(),
        emit: @escaping @Sendable (ResultItem) throws(EngineError) -> Void
    ) {
        self.cancellation = cancellation
        self.blocks = blocks
        self.threadIndex = threadIndex
        self.emitItem = emit
    }

    /// A context of the same thread for a part of the run, which is done with other blocks.
    func part(
        blocks: BlockCache, emit: @escaping @Sendable (ResultItem) throws(EngineError) -> Void
    ) -> TaskContext {
        TaskContext(blocks: blocks, threadIndex: threadIndex, cancellation: cancellation, emit: emit)
    }

    /// Whether the result is no longer needed.
    public var isCancelled: Bool { cancellation.isCancelled }

    /// Throws `cancelled` if the result is no longer needed.
    public func checkCancellation() throws(EngineError) {
        if isCancelled { throw .cancelled }
    }

    /// Sends the next item of the result; waits while too much data waits to be sent. Blocks that later tasks may need
    /// stay in the cache, so that they need not come back.
    ///
    /// If the result is not sent, a local block in the item is removed.
    ///
    /// Throws `cancelled` if the run was, and `internalError` if the result exceeds the broker's limit.
    public func emit(_ item: ResultItem) throws(EngineError) {
        do throws(EngineError) {
            try checkCancellation()
            if let block = item.block, !block.frame.isEmpty, !item.isDraft { blocks.insert(block, holders: 0) }
            try emitItem(item)
        } catch {
            if let block = item.block { blocks.withdraw(block) }
            throw error
        }
    }
}

/// Tells a run that its result is no longer needed. Set by one thread, read by others.
public final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    /// Whether `cancel` has been called.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Cannot be undone.
    public func cancel() { flag.store(true, ordering: .relaxed) }
}
