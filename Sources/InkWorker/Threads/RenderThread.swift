import CSystem
import InkEngine
import InkProtocol

/// The body of a render thread: takes runs until the queue is closed.
struct RenderThread: Sendable {
    let index: Int
    let queue: RenderQueue
    let runner: any TaskRunner
    let cache: BlockCache
    let wakeUp: WakeUp

    func loop() {
        ink_use_huge_pages()
        runner.prepare(thread: index)
        while let scheduled = queue.next() {
            let outcome = execute(scheduled)
            queue.finish(scheduled.run.id, outcome)
            wakeUp.signal()
        }
    }

    private func execute(_ scheduled: ScheduledRun) -> RunOutcome {
        let run = scheduled.run
        let cutter = Monitor(ResultCutter(limitBytes: run.resultLimitBytes))
        let send = { @Sendable (sequence: UInt32, bytes: [UInt8]) throws(EngineError) in
            let isWanted = queue.put(run.id, sequence: sequence, bytes: bytes) { scheduled.cancellation.isCancelled }
            guard isWanted else { throw .cancelled }
            wakeUp.signal()
        }
        let context = TaskContext(
            blocks: cache, threadIndex: index, cancellation: scheduled.cancellation
        ) { item throws(EngineError) in
            try cutter.change { cutter in
                Result { () throws(EngineError) in try cutter.append(item, send) }
            }.get()
        }
        do throws(EngineError) {
            let phases = try runner.run(run.task, in: context)
            var rest = cutter.change { $0 }
            try rest.flush(send)
            if scheduled.cancellation.isCancelled { return .cancelled }
            return .done(resultBytes: rest.totalBytes, phases: phases)
        } catch {
            for block in cutter.change({ $0.unsentLocalBlocks }) { cache.withdraw(block) }
            return scheduled.cancellation.isCancelled ? .cancelled : .failed(error)
        }
    }
}
