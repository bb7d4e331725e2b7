import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkWorker

/// A worker's state with a clock and a cache that the test turns by hand.
struct StateBench {
    var state = WorkerState(
        hello: Hello(rendererVersion: "1", workerName: "w", threads: 2, taskCredits: 4, byteCredits: 1 << 20),
        helloMilliseconds: 1000)
    var now: Int64 = 0
    /// Blocks in the cache and how often each is held.
    var holders: [BlockID: Int] = [:]

    /// Takes an event; does what the actions say to the cache.
    mutating func handle(_ event: WorkerEvent) -> [WorkerAction] {
        var holders = holders
        let actions = state.handle(event, now: now) { id in
            guard let count = holders[id] else { return false }
            holders[id] = count + 1
            return true
        }
        for action in actions {
            switch action {
            case .store(let block, let count): holders[block.id, default: 0] += count
            case .release(let ids): for id in ids { holders[id]! -= 1 }
            default: break
            }
        }
        self.holders = holders
        #expect(holders.values.allSatisfy { $0 >= 0 })
        return actions
    }

    mutating func receive(_ message: BrokerMessage) -> [WorkerAction] { handle(.received(message)) }

    /// A bench whose worker has been welcomed: heartbeat 100 ms, liveness 300 ms.
    static func serving(line: LineWindow = .unbounded) -> StateBench {
        var bench = StateBench()
        bench.state = WorkerState(hello: bench.state.hello, helloMilliseconds: 1000, line: line)
        _ = bench.handle(.started)
        _ = bench.receive(.welcome(Welcome(heartbeatMilliseconds: 100, livenessMilliseconds: 300)))
        return bench
    }
}

extension [WorkerAction] {
    var messages: [WorkerMessage] { compactMap { if case .send(let message) = $0 { message } else { nil } } }
    var runs: [Run] { compactMap { if case .run(let run) = $0 { run } else { nil } } }
    var requested: [BlockID] {
        messages.flatMap { if case .blockRequest(let ranges) = $0 { ranges.map(\.id) } else { [BlockID]() } }
    }
    var failures: [TaskFailed] { messages.compactMap { if case .taskFailed(let failed) = $0 { failed } else { nil } } }
}

@Suite("Worker state")
struct WorkerStateTests {
    @Test("It greets, and greets again on a new connection, ever more slowly, until it is welcome")
    func greeting() {
        var bench = StateBench()
        #expect(bench.handle(.started) == [.connect, .send(.hello(bench.state.hello))])
        var waits: [Int64] = []
        for _ in 0..<5 {
            let due = bench.state.nextTick!
            waits.append(due - bench.now)
            bench.now = due - 1
            #expect(bench.handle(.tick).isEmpty)
            bench.now = due
            #expect(bench.handle(.tick) == [.connect, .send(.hello(bench.state.hello))])
        }
        #expect(waits == [1000, 2000, 4000, 8000, 8000])
        #expect(bench.receive(.welcome(Welcome(heartbeatMilliseconds: 100, livenessMilliseconds: 300))).isEmpty)
        #expect(bench.state.nextTick == bench.now + 100)
    }

    @Test("A refusal ends it, with the reason")
    func refusal() {
        var bench = StateBench()
        _ = bench.handle(.started)
        #expect(bench.receive(.refuse(reason: "old")) == [.stop(.refused(reason: "old"))])
        #expect(bench.handle(.tick).isEmpty && bench.receive(.drain).isEmpty)
    }

    @Test("Tasks before the welcome are not taken")
    func tooEarly() {
        var bench = StateBench()
        _ = bench.handle(.started)
        #expect(bench.receive(.task(TaskSamples.assignment(1, TaskSamples.tile()))).isEmpty)
    }

    @Test("A heartbeat goes out only when nothing else has")
    func heartbeat() throws {
        var bench = StateBench.serving()
        let block = try TaskSamples.strokes(1)
        bench.now = 90
        #expect(!bench.receive(.task(TaskSamples.assignment(1, TaskSamples.tile([block.id])))).requested.isEmpty)
        bench.now = 189
        #expect(bench.handle(.tick).isEmpty)
        bench.now = 190
        #expect(bench.handle(.tick) == [.send(.heartbeat)])
        #expect(bench.handle(.tick).isEmpty)
    }

    @Test("A task without blocks runs at once; its parts and its end are sent under its name")
    func run() throws {
        var bench = StateBench.serving()
        let run = try #require(
            bench.receive(.task(TaskSamples.assignment(7, TaskSamples.tile(), attempt: 3))).runs.first)
        #expect(run.task == TaskSamples.tile() && run.resultLimitBytes == 1 << 30)
        #expect(
            bench.handle(.produced(run.id, sequence: 0, bytes: [1, 2]))
                == [.send(.resultPart(ResultPart(task: TaskID(7), attempt: 3, sequence: 0, bytes: [1, 2])))])
        let phases = PhaseTimes(decode: 1, raster: 2, composite: 3, encode: 4)
        #expect(
            bench.handle(.finished(run.id, .done(resultBytes: 2, phases: phases)))
                == [
                    .send(
                        .taskDone(
                            TaskDone(task: TaskID(7), attempt: 3, partCount: 1, resultBytes: 2, phases: phases)))
                ])
        #expect(bench.handle(.finished(run.id, .cancelled)).isEmpty)
    }

    @Test("Over a slow line a result goes in small parts as they are acknowledged, and a heartbeat before the rest")
    func slowLine() throws {
        var bench = StateBench.serving(line: LineWindow())
        let run = try #require(bench.receive(.task(TaskSamples.assignment(7, TaskSamples.tile()))).runs.first)
        let result = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var parts: [ResultPart] = []
        var end: TaskDone?
        func note(_ actions: [WorkerAction]) {
            for message in actions.messages {
                if case .resultPart(let part) = message { parts.append(part) }
                if case .taskDone(let done) = message { end = done }
            }
        }
        note(bench.handle(.produced(run.id, sequence: 0, bytes: Array(result[..<60_000]))))
        note(bench.handle(.produced(run.id, sequence: 1, bytes: Array(result[60_000...]))))
        note(bench.handle(.finished(run.id, .done(resultBytes: 100_000, phases: PhaseTimes()))))
        #expect(parts.reduce(0) { $0 + $1.bytes.count } == 4 << 10 && end == nil)
        bench.now += 100
        #expect(bench.handle(.tick) == [.send(.heartbeat)])
        while end == nil {
            // Half a second for a part.
            bench.now += 500
            _ = bench.receive(.heartbeat)
            let before = parts.count
            note(bench.receive(.acknowledge(UInt64(parts.reduce(0) { $0 + $1.bytes.count }))))
            try #require(parts.count > before && parts.count - before <= 4 || end != nil)
        }
        #expect(parts.flatMap(\.bytes) == result && parts[0].bytes.count == 2_048)
        #expect(parts.map(\.sequence) == (0..<UInt32(parts.count)).map { $0 })
        #expect(end?.partCount == UInt32(parts.count) && end?.resultBytes == 100_000)
    }

    @Test("Tasks are not late because the line is busy: the broker hears of them before its patience ends")
    func underWay() throws {
        var bench = StateBench.serving(line: LineWindow())
        let block = try TaskSamples.strokes(1)
        let run = try #require(bench.receive(.task(TaskSamples.assignment(1, TaskSamples.tile()))).runs.first)
        _ = bench.receive(.task(TaskSamples.assignment(2, TaskSamples.tile([block.id]))))
        func heard(_ milliseconds: Int64) -> [WorkerMessage] {
            var messages: [WorkerMessage] = []
            for _ in 0..<(milliseconds / 50) {
                bench.now += 50
                _ = bench.receive(.heartbeat)
                messages += bench.handle(.tick).messages.filter { $0 != .heartbeat }
            }
            return messages
        }
        let patience = Int64(TaskSamples.assignment(1, TaskSamples.tile()).deadlineMilliseconds)
        // Nothing comes and nothing goes: it has nothing to say for itself.
        #expect(heard(2 * patience).isEmpty)
        let (one, two) = (TaskAttempt(task: TaskID(1), attempt: 1), TaskAttempt(task: TaskID(2), attempt: 1))
        let half = block.frame.prefix(block.frame.count / 2)
        _ = bench.receive(
            .blockPart(
                BlockPart(id: block.id, offset: 0, totalBytes: UInt64(block.frame.count), bytes: Array(half))))
        #expect(heard(patience) == [.underWay([two])])
        _ = bench.handle(.produced(run.id, sequence: 0, bytes: [UInt8](repeating: 1, count: 50_000)))
        #expect(heard(patience).allSatisfy { $0 == .underWay([one, two]) })
        #expect(heard(patience).count >= 2)
    }

    @Test("A result that is cancelled while it waits for the line is not sent, and what it holds is let go")
    func cancelledOnTheLine() throws {
        var bench = StateBench.serving(line: LineWindow())
        let block = try TaskSamples.strokes(1)
        bench.holders[block.id] = 0
        let run = try #require(
            bench.receive(.task(TaskSamples.assignment(7, TaskSamples.tile([block.id])))).runs.first)
        _ = bench.handle(.produced(run.id, sequence: 0, bytes: [UInt8](repeating: 1, count: 100_000)))
        _ = bench.handle(.finished(run.id, .done(resultBytes: 100_000, phases: PhaseTimes())))
        let actions = bench.receive(.cancel(TaskID(7)))
        #expect(actions.failures.map(\.kind) == [.cancelled] && bench.holders[block.id] == 0)
        #expect(bench.receive(.acknowledge(4_096)).messages.isEmpty)
        // One that still runs says nothing more either.
        let second = try #require(bench.receive(.task(TaskSamples.assignment(8, TaskSamples.tile()))).runs.first)
        _ = bench.handle(.produced(second.id, sequence: 0, bytes: [UInt8](repeating: 1, count: 100_000)))
        #expect(bench.receive(.cancel(TaskID(8))) == [.cancelRun(second.id)])
        #expect(bench.handle(.produced(second.id, sequence: 1, bytes: [1])).messages.isEmpty)
        let end = bench.handle(.finished(second.id, .done(resultBytes: 100_001, phases: PhaseTimes())))
        #expect(end.failures.map(\.kind) == [.cancelled])
    }

    @Test("A block that several tasks wait for is asked for once, and held by each until it ends")
    func sharedBlock() throws {
        var bench = StateBench.serving()
        let block = try TaskSamples.strokes(1)
        let task = TaskSamples.tile([block.id])
        #expect(bench.receive(.task(TaskSamples.assignment(1, task))).requested == [block.id])
        #expect(bench.receive(.task(TaskSamples.assignment(2, task))).isEmpty)
        let actions = bench.receive(TaskSamples.parts(block)[0])
        #expect(actions.first == .store(block, holders: 2))
        #expect(actions.runs.count == 2 && bench.holders[block.id] == 2)
        // A third finds it in the cache.
        let third = bench.receive(.task(TaskSamples.assignment(3, task)))
        #expect(third.runs.count == 1 && third.requested.isEmpty && bench.holders[block.id] == 3)
        for run in actions.runs + third.runs {
            _ = bench.handle(.finished(run.id, .failed(.badInput(Place(file: "a", path: "b"), reason: "c"))))
        }
        #expect(bench.holders[block.id] == 0)
    }

    @Test("Only so many blocks are on their way at a time")
    func window() throws {
        var bench = StateBench.serving()
        let blocks = try (0..<40).map(TaskSamples.strokes)
        var actions = bench.receive(.task(TaskSamples.assignment(1, TaskSamples.tile(blocks.map(\.id)))))
        var asked = actions.requested
        #expect(asked.count == ProtocolLimits.blocksInFlight)
        for (index, block) in blocks.enumerated() {
            #expect(actions.runs.isEmpty)
            actions = bench.receive(TaskSamples.parts(block)[0])
            asked += actions.requested
            #expect(asked.count == min(40, ProtocolLimits.blocksInFlight + index + 1))
        }
        #expect(actions.runs.count == 1 && asked == blocks.map(\.id))
    }

    @Test("A large block is asked for window by window")
    func largeBlock() throws {
        var bench = StateBench.serving()
        var random = SeededGenerator(seed: 1)
        let words = (0..<1_200_000).map { _ in random.next() }
        let block = try Block(content: words.withUnsafeBytes { Array($0) })
        let task = WorkerTask.decode(
            DecodeTask(image: block.id, use: .color, place: Place(file: "f"), limits: Limits()))
        #expect(bench.receive(.task(TaskSamples.assignment(1, task))).requested == [block.id])
        var offset: UInt64 = 0
        var runs: [Run] = []
        var windows = 0
        while runs.isEmpty, windows < 10 {
            windows += 1
            var next: UInt64?
            for part in TaskSamples.parts(block, from: offset) {
                let actions = bench.receive(part)
                for case .blockRequest(let ranges) in actions.messages { next = ranges[0].offset }
                runs += actions.runs
            }
            if let next { offset = next }
        }
        #expect(runs.count == 1 && windows == 3)
    }

    @Test("A task whose payload is a block is fetched, read and run; the payload is not kept")
    func largeTask() throws {
        var bench = StateBench.serving()
        let inner = try TaskSamples.strokes(5)
        let payload = try Block(content: TaskSamples.tile([inner.id]).encoded())
        var assignment = TaskSamples.assignment(1, TaskSamples.tile())
        assignment.payload = .block(payload.id)
        #expect(bench.receive(.task(assignment)).requested == [payload.id])
        #expect(bench.receive(TaskSamples.parts(payload)[0]).requested == [inner.id])
        #expect(bench.receive(TaskSamples.parts(inner)[0]).runs.map(\.task) == [TaskSamples.tile([inner.id])])
        #expect(bench.holders[payload.id] == nil)
    }

    @Test(
        "A missing, a damaged and a disordered block fail the tasks that wait for it, and only those", arguments: 0..<3)
    func badBlocks(fault: Int) throws {
        var bench = StateBench.serving()
        let (bad, good) = (try TaskSamples.strokes(1), try TaskSamples.strokes(2))
        _ = bench.receive(.task(TaskSamples.assignment(1, TaskSamples.tile([bad.id, good.id]))))
        _ = bench.receive(.task(TaskSamples.assignment(2, TaskSamples.tile([good.id]))))
        var part = BlockPart(id: bad.id, offset: 0, totalBytes: UInt64(bad.frame.count), bytes: bad.frame)
        let message: BrokerMessage
        switch fault {
        case 0: message = .blockMissing(bad.id)
        case 1:
            part.bytes[9] ^= 1
            message = .blockPart(part)
        default:
            part.bytes.removeFirst()
            part.offset = 1
            message = .blockPart(part)
        }
        let failures = bench.receive(message).failures
        #expect(failures.map(\.task) == [TaskID(1)] && failures.map(\.kind) == [.internalError])
        let actions = bench.receive(TaskSamples.parts(good)[0])
        #expect(actions.runs.count == 1 && actions.first == .store(good, holders: 1))
    }

    @Test("Cancelling: a waiting task is answered at once, a running one when its run ends")
    func cancel() throws {
        var bench = StateBench.serving()
        let (cached, missing) = (try TaskSamples.strokes(1), try TaskSamples.strokes(2))
        bench.holders[cached.id] = 0
        _ = bench.receive(.task(TaskSamples.assignment(1, TaskSamples.tile([cached.id, missing.id]))))
        #expect(bench.holders[cached.id] == 1)
        let answer = bench.receive(.cancel(TaskID(1)))
        #expect(answer.failures.map(\.kind) == [.cancelled] && bench.holders[cached.id] == 0)
        let run = bench.receive(.task(TaskSamples.assignment(2, TaskSamples.tile([cached.id])))).runs[0]
        #expect(bench.receive(.cancel(TaskID(2))) == [.cancelRun(run.id)])
        #expect(bench.handle(.finished(run.id, .cancelled)).failures.map(\.kind) == [.cancelled])
        #expect(bench.holders[cached.id] == 0)
        // The block that was on its way is kept for the next one.
        #expect(bench.receive(TaskSamples.parts(missing)[0]) == [.store(missing, holders: 0)])
        #expect(bench.receive(.cancel(TaskID(99))).isEmpty)
    }

    @Test("A task beyond the credits, and one after the draining has begun, goes back unblamed")
    func credits() {
        var bench = StateBench.serving()
        for id in 1...4 {
            #expect(bench.receive(.task(TaskSamples.assignment(UInt64(id), TaskSamples.tile()))).runs.count == 1)
        }
        #expect(
            bench.receive(.task(TaskSamples.assignment(5, TaskSamples.tile()))).failures.map(\.kind) == [.cancelled])
        #expect(bench.receive(.drain) == [.send(.goodbye(.draining))])
        #expect(bench.handle(.finished(1, .cancelled)).failures.count == 1)
        #expect(
            bench.receive(.task(TaskSamples.assignment(6, TaskSamples.tile()))).failures.map(\.kind) == [.cancelled])
        for run in 2...3 { _ = bench.handle(.finished(RunID(run), .cancelled)) }
        bench.now += WorkerState.farewellMilliseconds
        #expect(Array(bench.handle(.finished(4, .cancelled)).suffix(2)) == [.send(.goodbye(.left)), .stop(.drained)])
    }

    @Test("A payload that is no task fails as the broker's fault")
    func nonsense() {
        var bench = StateBench.serving()
        var assignment = TaskSamples.assignment(1, TaskSamples.tile())
        assignment.payload = .inline([9, 9])
        #expect(bench.receive(.task(assignment)).failures.map(\.kind) == [.internalError])
    }

    @Test("When the broker falls silent, all is dropped and a new connection made; late results are not sent")
    func silence() throws {
        var bench = StateBench.serving()
        let (held, missing) = (try TaskSamples.strokes(1), try TaskSamples.strokes(2))
        bench.holders[held.id] = 0
        let run = bench.receive(.task(TaskSamples.assignment(1, TaskSamples.tile([held.id])))).runs[0]
        _ = bench.receive(.task(TaskSamples.assignment(2, TaskSamples.tile([held.id, missing.id]))))
        bench.now = 299
        #expect(bench.handle(.tick) == [.send(.heartbeat)])
        bench.now = 300
        #expect(
            bench.handle(.tick)
                == [.release([held.id]), .cancelRun(run.id), .connect, .send(.hello(bench.state.hello))])
        _ = bench.receive(.welcome(Welcome(heartbeatMilliseconds: 100, livenessMilliseconds: 300)))
        #expect(bench.handle(.produced(run.id, sequence: 0, bytes: [1])) == [.discard([1], sequence: 0)])
        #expect(bench.handle(.finished(run.id, .cancelled)) == [.release([held.id])])
        #expect(bench.holders[held.id] == 0)
        // The same task may come again, and its block is asked for anew.
        let again = bench.receive(.task(TaskSamples.assignment(2, TaskSamples.tile([held.id, missing.id]))))
        #expect(again.requested == [missing.id])
    }

    @Test("Asked to end without a broker, it ends at once; with one it says goodbye")
    func draining() {
        var alone = StateBench()
        _ = alone.handle(.started)
        #expect(alone.handle(.drainRequested) == [.send(.goodbye(.left)), .stop(.drained)])
        var bench = StateBench.serving()
        #expect(bench.handle(.drainRequested) == [.send(.goodbye(.draining))])
        // A task that was on its way is refused; with the connection it would have been lost.
        bench.now += 50
        #expect(
            bench.receive(.task(TaskSamples.assignment(1, TaskSamples.tile()))).failures.map(\.kind) == [.cancelled])
        #expect(bench.state.nextTick == WorkerState.farewellMilliseconds)
        bench.now += 50
        #expect(bench.handle(.tick) == [.send(.goodbye(.left)), .stop(.drained)])
    }

    /// Any broker, however confused: nothing is held for ever, no task is answered twice, credits are kept.
    @Test("Whatever the broker sends, in whatever order, tasks and holders add up", arguments: 0..<150)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bench = StateBench.serving()
        let blocks = try (0..<6).map(TaskSamples.strokes)
        var running: [RunID] = []
        var answered: Set<TaskID> = []
        var sent: Set<TaskID> = []
        var nextTask: UInt64 = 1
        func note(_ actions: [WorkerAction]) {
            running += actions.runs.map(\.id)
            for message in actions.messages {
                let task: TaskID? =
                    switch message {
                    case .taskDone(let done): done.task
                    case .taskFailed(let failed): failed.task
                    default: nil
                    }
                if let task { #expect(answered.insert(task).inserted && sent.contains(task), "seed \(seed)") }
            }
        }
        for _ in 0..<200 {
            bench.now += Int64.random(in: 0...40, using: &random)
            let block = blocks.randomElement(using: &random)!
            switch Int.random(in: 0...9, using: &random) {
            case 0, 1, 2:
                let chosen = blocks.filter { _ in Bool.random(using: &random) }.map(\.id)
                sent.insert(TaskID(nextTask))
                note(bench.receive(.task(TaskSamples.assignment(nextTask, TaskSamples.tile(chosen)))))
                nextTask += 1
            case 3, 4, 5: note(bench.receive(TaskSamples.parts(block)[0]))
            case 6: note(bench.receive(.blockMissing(block.id)))
            case 7: note(bench.receive(.cancel(TaskID(UInt64.random(in: 1...nextTask, using: &random)))))
            case 8:
                note(bench.handle(.tick))
                note(bench.receive(.welcome(Welcome(heartbeatMilliseconds: 100, livenessMilliseconds: 300))))
            default:
                guard let index = running.indices.randomElement(using: &random) else { continue }
                let outcome =
                    Bool.random(using: &random)
                    ? RunOutcome.cancelled : .done(resultBytes: 0, phases: PhaseTimes())
                note(bench.handle(.finished(running.remove(at: index), outcome)))
            }
        }
        for run in running { note(bench.handle(.finished(run, .cancelled))) }
        for task in sent { note(bench.receive(.cancel(task))) }
        #expect(bench.holders.values.allSatisfy { $0 == 0 }, "seed \(seed)")
        _ = bench.handle(.drainRequested)
        bench.now += WorkerState.farewellMilliseconds
        #expect(bench.handle(.tick).last == .stop(.drained), "seed \(seed)")
    }
}
