import InkCodecs
import InkEngine
import InkProtocol
import Testing

@testable import InkBroker
@testable import InkPlanning

private let cut = EngineError.badInput(Place(file: "a.ink"), reason: "cut")
private let cost = TaskCost(bytes: 10, nanoseconds: 1000)
private let second: UInt64 = 1_000_000_000

/// A scheduler whose every step is checked.
private struct Bench {
    var state: SchedulerState
    var now: UInt64 = 0

    init(_ rules: SchedulerRules = SchedulerRules()) { state = SchedulerState(rules: rules) }

    mutating func callAsFunction(_ event: SchedulerEvent, after: UInt64 = 1) -> [SchedulerAction] {
        now += after
        let actions = state.handle(event, now: now)
        #expect(state.brokenInvariants.isEmpty, "after \(event)")
        return actions
    }

    mutating func join(_ id: UInt64, tasks: Int = 2, bytes: Int = 1000) -> [SchedulerAction] {
        self(.workerJoined(worker(id), name: "w\(id)", credits: WorkerCredits(tasks: tasks, bytes: bytes)))
    }

    mutating func add(
        _ id: UInt64, rows: Int, window: Int = 100, priority: Int = 0, weight: Int = 1
    ) -> [SchedulerAction] {
        let added = self(.jobAdded(JobID(id), priority: priority, weight: weight, stages: []))
        #expect(added == [.planStages(JobID(id))])
        return self(
            .stagesPlanned(JobID(id), [Stage(groups: rows, costs: .all(cost), window: window)]))
    }
}

private func worker(_ id: UInt64) -> WorkerID { WorkerID(rawValue: id) }

extension [SchedulerAction] {
    fileprivate var dispatches: [Dispatch] {
        compactMap { if case .dispatch(let dispatch) = $0 { dispatch } else { nil } }
    }

    fileprivate var positions: [TaskPosition] { dispatches.map(\.position) }
}

@Suite struct SchedulerStateTests {
    @Test func aJobGoesThroughItsPhases() {
        var bench = Bench()
        #expect(bench.join(1, tasks: 4).isEmpty)
        let decoding = Stage(groups: 2, costs: .all(cost))
        let decodes = bench(.jobAdded(JobID(1), priority: 0, weight: 1, stages: [decoding])).dispatches
        #expect(decodes.map(\.position) == [TaskPosition(stage: 0), TaskPosition(stage: 0, group: 1)])
        #expect(
            bench(.taskFinished(worker(1), decodes[0].id))
                == [.accept(worker(1), decodes[0].id, JobID(1), TaskPosition(stage: 0))])
        #expect(bench(.taskFinished(worker(1), decodes[1].id)).last == .planStages(JobID(1)))
        let tiling = Stage(groups: 1, tasks: 2, inputs: [.whole(0)], costs: .all(cost), window: 1)
        let encoding = Stage(groups: 1, inputs: [.group(1)], costs: .all(cost))
        let tiles = bench(.stagesPlanned(JobID(1), [tiling, encoding])).dispatches
        #expect(tiles.map(\.position) == [TaskPosition(stage: 1), TaskPosition(stage: 1, index: 1)])
        #expect(bench(.taskFinished(worker(1), tiles[1].id)).dispatches.isEmpty)
        let encode = bench(.taskFinished(worker(1), tiles[0].id)).dispatches
        #expect(encode.map(\.position) == [TaskPosition(stage: 2)])
        #expect(bench(.taskFinished(worker(1), encode[0].id)).last == .jobComplete(JobID(1)))
        #expect(bench.state.jobs.isEmpty && bench.state.tasks.isEmpty)
    }

    @Test func aFinishingTaskWaitsForAllGroupsOfItsStage() {
        var bench = Bench()
        _ = bench.join(1, tasks: 50, bytes: 1000)
        _ = bench(.jobAdded(JobID(1), priority: 0, weight: 1, stages: []))
        let pieces = Stage(groups: 3, tasks: 2, costs: .all(cost))
        let finishing = Stage(groups: 1, inputs: [.whole(0)], costs: .all(cost))
        let given = bench(.stagesPlanned(JobID(1), [pieces, finishing])).dispatches
        #expect(given.map(\.position.stage) == [0, 0, 0, 0, 0, 0])
        for piece in given.dropFirst().reversed() {
            #expect(bench(.taskFinished(worker(1), piece.id)).dispatches.isEmpty)
        }
        let last = bench(.taskFinished(worker(1), given[0].id))
        #expect(last.positions == [TaskPosition(stage: 1)])
        #expect(bench(.taskFinished(worker(1), last.dispatches[0].id)).last == .jobComplete(JobID(1)))
    }

    @Test func aGroupThatNeedsTwoOthersBeginsWhenBothAreThere() {
        var bench = Bench()
        _ = bench.join(1, tasks: 50, bytes: 1000)
        _ = bench(.jobAdded(JobID(1), priority: 0, weight: 1, stages: []))
        let one = Stage(groups: 2, costs: .all(cost))
        let both = Stage(groups: 2, tasks: 2, inputs: [.group(0), .group(1)], costs: .each([cost, cost, cost, cost]))
        // The later stage goes first.
        let given = bench(.stagesPlanned(JobID(1), [one, one, both])).dispatches
        #expect(given.map(\.position.stage) == [1, 1, 0, 0])
        #expect(bench(.taskFinished(worker(1), given[1].id)).dispatches.isEmpty)
        #expect(bench(.taskFinished(worker(1), given[2].id)).dispatches.isEmpty)
        #expect(
            bench(.taskFinished(worker(1), given[3].id)).positions
                == [TaskPosition(stage: 2, group: 1), TaskPosition(stage: 2, group: 1, index: 1)])
        #expect(
            bench(.taskFinished(worker(1), given[0].id)).positions
                == [TaskPosition(stage: 2), TaskPosition(stage: 2, index: 1)])
    }

    @Test func creditsBoundTasksAndBytes() {
        var bench = Bench()
        _ = bench.join(1, tasks: 3, bytes: 1000)
        #expect(bench.add(1, rows: 9).dispatches.count == 3)
        _ = bench.join(2, tasks: 100, bytes: 25)
        #expect(bench.state.workers[worker(2)]?.holdings.count == 2)
        // One task of 10 bytes goes to a worker that holds nothing, however few bytes it takes.
        _ = bench.join(3, tasks: 5, bytes: 1)
        #expect(bench.state.workers[worker(3)]?.holdings.count == 1)
    }

    @Test func groupsBeyondTheWindowWaitUntilOthersAreWritten() {
        var bench = Bench()
        _ = bench.join(1, tasks: 50)
        let first = bench.add(1, rows: 10, window: 3).dispatches
        #expect(first.map(\.position) == (0..<3).map { TaskPosition(stage: 0, group: $0) })
        #expect(bench(.taskFinished(worker(1), first[0].id)).dispatches.isEmpty)
        #expect(
            bench(.groupsWritten(JobID(1), stage: 0, count: 1)).positions == [TaskPosition(stage: 0, group: 3)])
        // Groups cannot be written that have not come, nor those of a stage that is not there.
        #expect(bench(.groupsWritten(JobID(1), stage: 0, count: 9)).dispatches.isEmpty)
        #expect(bench(.groupsWritten(JobID(1), stage: 1, count: 1)).dispatches.isEmpty)
    }

    @Test func aFailedTaskGoesToAnotherWorkerAndThenFailsItsJobWithItsStory() throws {
        var bench = Bench()
        _ = bench.join(1, tasks: 1)
        _ = bench.join(2, tasks: 1)
        var task = bench.add(1, rows: 1).dispatches[0]
        let first = task.worker
        task = bench(.taskFailed(task.worker, task.id, .transient("boom"))).dispatches[0]
        #expect(task.worker != first && task.id.attempt == 2)
        // Both have failed it: whoever is free may try again.
        task = bench(.taskFailed(task.worker, task.id, .transient("bang"))).dispatches[0]
        let last = bench(.taskFailed(task.worker, task.id, .transient("crash")), after: 2_000_000)
        guard case .jobFailed(JobID(1), .attemptsExhausted(TaskPosition(stage: 0), let story)) = last.first else {
            Issue.record("\(last)")
            return
        }
        #expect(
            story.count == 3 && story[0].hasPrefix("attempt 1 on w1: boom") && story[2].hasSuffix("crash after 2 ms"))
    }

    @Test func aWorkerWithAMalformedResultIsDismissedAndItsOtherTasksAreNotToBlame() {
        var bench = Bench()
        _ = bench.join(1, tasks: 3)
        let given = bench.add(1, rows: 3).dispatches
        #expect(given.count == 3)
        let actions = bench(.taskFailed(worker(1), given[0].id, .malformed("two rows")))
        #expect(actions == [.dismiss(worker(1), reason: "two rows")])
        #expect(bench.state.workers[worker(1)] == nil)
        #expect(bench.state.tasks.values.map(\.failures).sorted() == [0, 0, 1])
        #expect(bench.state.tasks.values.allSatisfy { !$0.isSuspect })
        let again = bench.join(2, tasks: 3).dispatches
        #expect(Set(again.map(\.id.task)) == Set(given.map(\.id.task)))
        // Also when the lease is over, as long as the task is still open.
        _ = bench(.tick, after: bench.state.rules.leaseMin + second)
        let late = bench(.taskFailed(worker(2), again[0].id, .malformed("late and wrong")))
        #expect(late.contains(.dismiss(worker(2), reason: "late and wrong")))
    }

    @Test func aTaskWhoseResultsAreAlwaysMalformedDismissesThreeWorkersAndNoMore() {
        var bench = Bench()
        for id in UInt64(1)...5 { _ = bench.join(id, tasks: 1) }
        var task = bench.add(1, rows: 1).dispatches[0]
        for _ in 0..<2 { task = bench(.taskFailed(task.worker, task.id, .malformed("no"))).dispatches[0] }
        let last = bench(.taskFailed(task.worker, task.id, .malformed("no")))
        guard case .jobFailed(JobID(1), .attemptsExhausted) = last.first else {
            Issue.record("\(last)")
            return
        }
        #expect(bench.state.workers.count == 2)
    }

    /// The result of an export that has ended is compared with nothing: it may belong to an earlier life of its number.
    @Test func nobodyIsDismissedForATaskThatIsForgotten() {
        var bench = Bench()
        _ = bench.join(1, tasks: 1)
        let task = bench.add(1, rows: 1).dispatches[0]
        _ = bench(.jobDropped(JobID(1)))
        #expect(bench(.taskFailed(worker(1), task.id, .malformed("rows"))).isEmpty)
        #expect(bench.state.workers[worker(1)]?.holdings.isEmpty == true)
    }

    @Test func badInputFailsTheJobAtOnceAndOnlyThatJob() {
        var bench = Bench()
        _ = bench.join(1, tasks: 4)
        let bad = bench.add(1, rows: 2).dispatches
        _ = bench.add(2, rows: 2)
        let actions = bench(.taskFailed(worker(1), bad[0].id, .badInput(cut)))
        #expect(actions.contains(.jobFailed(JobID(1), .badInput(TaskPosition(stage: 0), cut))))
        #expect(actions.contains(.cancel(worker(1), bad[1].id)))
        #expect(bench.state.jobs.keys.sorted() == [JobID(2)])
        // The cancelled task keeps its credit until the worker answers.
        #expect(bench.state.workers[worker(1)]?.holdings[bad[1].id]?.isLease == false)
        #expect(bench(.taskFinished(worker(1), bad[1].id)).first == .drop(worker(1), bad[1].id))
    }

    @Test func aLateResultIsTakenAndTheOtherTryCancelled() {
        var rules = SchedulerRules()
        rules.leaseMin = 10 * second
        var bench = Bench(rules)
        _ = bench.join(1, tasks: 1)
        let late = bench.add(1, rows: 1).dispatches[0]
        _ = bench.join(2, tasks: 1)
        let expired = bench(.tick, after: 11 * second)
        let again = expired.dispatches[0]
        #expect(again.worker == worker(2) && expired.count == 1)
        let actions = bench(.taskFinished(worker(1), late.id))
        #expect(actions.first == .accept(worker(1), late.id, JobID(1), TaskPosition(stage: 0)))
        #expect(actions.contains(.cancel(worker(2), again.id)) && actions.last == .jobComplete(JobID(1)))
        #expect(bench(.taskFinished(worker(2), again.id)) == [.drop(worker(2), again.id)])
    }

    @Test func aTryPastItsDeadlineIsCancelledWhenAnotherSucceeds() {
        var rules = SchedulerRules()
        rules.leaseMin = 10 * second
        var bench = Bench(rules)
        _ = bench.join(1, tasks: 1)
        let late = bench.add(1, rows: 1).dispatches[0]
        _ = bench.join(2, tasks: 1)
        let again = bench(.tick, after: 11 * second).dispatches[0]
        #expect(bench(.taskFinished(worker(2), again.id)).contains(.cancel(worker(1), late.id)))
        #expect(bench(.taskFailed(worker(1), late.id, .cancelled)).isEmpty)
        #expect(bench.state.workers.values.allSatisfy { $0.holdings.isEmpty && $0.usedBytes == 0 })
    }

    @Test func aTaskThatAWorkerDoesNotTakeOnGoesElsewhereWithoutBlame() {
        var bench = Bench()
        _ = bench.join(1, tasks: 1)
        _ = bench.join(2, tasks: 1)
        let task = bench.add(1, rows: 1).dispatches[0]
        let again = bench(.taskFailed(task.worker, task.id, .cancelled)).dispatches[0]
        #expect(again.worker != task.worker && bench.state.tasks[task.id.task]?.failures == 0)
        // But not for ever.
        var next = again
        for _ in 0..<100 {
            let actions = bench(.taskFailed(next.worker, next.id, .cancelled))
            guard let dispatch = actions.dispatches.first else {
                #expect(actions.contains { if case .jobFailed = $0 { true } else { false } })
                return
            }
            next = dispatch
        }
        Issue.record("the task goes round for ever")
    }

    @Test func progressRenewsALease() {
        var rules = SchedulerRules()
        rules.leaseMin = 10 * second
        var bench = Bench(rules)
        _ = bench.join(1)
        let task = bench.add(1, rows: 1).dispatches[0]
        _ = bench(.taskProgressed(worker(1), task.id), after: 8 * second)
        #expect(bench(.tick, after: 8 * second).isEmpty)
        #expect(!bench(.tick, after: 3 * second).isEmpty)
    }

    @Test func tasksLostTogetherAreTriedAloneAndOnlyThenCount() {
        var bench = Bench()
        _ = bench.join(1, tasks: 3)
        #expect(bench.add(1, rows: 3).dispatches.count == 3)
        #expect(bench(.workerLost(worker(1), reason: "silent")).isEmpty)
        #expect(bench.state.tasks.values.allSatisfy { $0.isSuspect && $0.failures == 0 })
        var alone = bench.join(2, tasks: 3).dispatches
        for remaining in [2, 1] {
            #expect(alone.count == 1 && bench.state.suspects.count == remaining)
            alone = bench(.taskFinished(worker(2), alone[0].id)).dispatches
        }
        _ = bench(.workerLost(worker(2), reason: "silent"))
        #expect(bench.state.tasks.values.map(\.failures) == [1])
    }

    @Test func tasksThatNeverReachedAWorkerAreNotToBlame() {
        var bench = Bench()
        _ = bench.join(1, tasks: 2)
        var tasks = bench.add(1, rows: 2).dispatches
        for dead in 1...30 as ClosedRange<UInt64> {
            _ = bench.join(dead + 1, tasks: 2)
            tasks = bench(.workerLost(worker(dead), reason: "gone", delivered: [])).dispatches
            #expect(tasks.count == 2, "after \(dead)")
        }
        #expect(bench.state.tasks.values.allSatisfy { $0.failures == 0 && !$0.isSuspect })
        let ends = tasks.flatMap { bench(.taskFinished($0.worker, $0.id)) }
        #expect(ends.contains(.jobComplete(JobID(1))))
    }

    @Test func theOneTaskThatReachedAWorkerCounts() {
        var bench = Bench()
        _ = bench.join(1, tasks: 3)
        let tasks = bench.add(1, rows: 3).dispatches
        _ = bench(.workerLost(worker(1), reason: "gone", delivered: [tasks[1].id]))
        #expect(bench.state.tasks[tasks[1].id.task]?.failures == 1)
        for other in [tasks[0], tasks[2]] {
            let task = bench.state.tasks[other.id.task]
            #expect(task?.failures == 0 && task?.isSuspect == false)
        }
    }

    @Test func aWedgedWorkerIsDismissedAndItsTaskGoesElsewhere() {
        var rules = SchedulerRules()
        rules.leaseMin = 10 * second
        rules.dismissalGrace = 10 * second
        var bench = Bench(rules)
        _ = bench.join(1, tasks: 1)
        _ = bench.add(1, rows: 1)
        #expect(bench(.tick, after: 11 * second).dispatches.isEmpty)
        let dismissed = bench(.tick, after: 10 * second)
        #expect(dismissed == [.dismiss(worker(1), reason: "held a task long past its deadline")])
        #expect(bench.join(2).dispatches.count == 1)
    }

    @Test func jobsFailWhenNobodyCanWorkOnThem() {
        var rules = SchedulerRules()
        rules.workerWait = 5 * second
        var bench = Bench(rules)
        _ = bench.add(1, rows: 1)
        #expect(bench(.tick, after: 4 * second).isEmpty)
        #expect(
            bench(.tick, after: second).contains {
                if case .jobFailed(JobID(1), .noWorkers) = $0 { true } else { false }
            })
    }

    @Test func aJobWhoseRendererHasLeftWaitsAndThenFailsSoThatItCanBeginAnew() {
        var bench = Bench()
        func join(_ id: UInt64, _ version: String) {
            let credits = WorkerCredits(tasks: 1, bytes: 1000)
            _ = bench(.workerJoined(worker(id), name: "w\(id)", version: version, credits: credits))
        }
        join(1, "a")
        #expect(bench.add(1, rows: 3).dispatches.count == 1)
        join(2, "b")
        _ = bench(.workerLost(worker(1), reason: "gone"))
        #expect(bench(.tick).isEmpty)
        #expect(bench(.tick, after: 9 * second).isEmpty)
        // One of its version comes, and goes: it is waited for anew.
        join(3, "a")
        _ = bench(.tick)
        _ = bench(.workerLost(worker(3), reason: "gone", delivered: []))
        #expect(bench(.tick).isEmpty)
        #expect(bench(.tick, after: 9 * second).isEmpty)
        #expect(bench(.tick, after: second) == [.jobFailed(JobID(1), .rendererGone(version: "a"))])
    }

    @Test func suspectsLeaveHalfOfTheWorkersToTheOthers() {
        var bench = Bench()
        _ = bench.join(1, tasks: 4)
        #expect(bench.add(1, rows: 4).dispatches.count == 4)
        _ = bench.add(2, rows: 100)
        for id in 2...5 as ClosedRange<UInt64> { _ = bench.join(id, tasks: 2) }
        _ = bench(.workerLost(worker(1), reason: "silent"))
        #expect(bench.state.suspects.count == 4)
        #expect(bench.state.workers.values.count { $0.reservedFor != nil || $0.isolated != nil } == 2)
    }

    @Test func aWorkerThatDrainsIsNotKeptForASuspect() {
        var bench = Bench()
        _ = bench.join(1, tasks: 2)
        #expect(bench.add(1, rows: 20).dispatches.count == 2)
        let held = bench.join(2).dispatches + bench.join(3).dispatches
        _ = bench(.workerLost(worker(1), reason: "silent"))
        guard let kept = bench.state.workers.values.first(where: { $0.reservedFor != nil })?.id else {
            Issue.record("no worker is kept for the suspects")
            return
        }
        _ = bench(.workerDraining(kept))
        #expect(bench.state.workers[kept]?.reservedFor == nil)
        for task in held where task.worker == kept {
            #expect(!bench(.taskFinished(kept, task.id)).dispatches.contains { $0.worker == kept })
        }
    }

    @Test func aLargeTaskThatIsTriedAgainIsNotStarvedBySmallOnes() {
        var bench = Bench()
        _ = bench.join(1, tasks: 10, bytes: 100)
        _ = bench.join(2, tasks: 10, bytes: 100)
        let large = TaskCost(bytes: 90, nanoseconds: 1000)
        let small = TaskCost(bytes: 30, nanoseconds: 1000)
        let costs = [large] + Array(repeating: small, count: 20)
        let stage = Stage(groups: costs.count, costs: .each(costs))
        let tasks = bench(.jobAdded(JobID(1), priority: 0, weight: 1, stages: [stage])).dispatches
        #expect(tasks.count == 4 && tasks[0].worker == worker(1))
        // It has to go to the other worker, which is full; nothing smaller goes before it.
        #expect(bench(.taskFailed(worker(1), tasks[0].id, .transient("boom"))).dispatches.isEmpty)
        #expect(bench(.taskFinished(worker(2), tasks[1].id)).dispatches.isEmpty)
        #expect(bench(.taskFinished(worker(2), tasks[2].id)).dispatches.isEmpty)
        #expect(bench(.taskFinished(worker(2), tasks[3].id)).positions.first == TaskPosition(stage: 0))
    }

    @Test func threeResultsThatAllDifferAreEnough() {
        var rules = SchedulerRules()
        rules.verifyShare = 1
        var bench = Bench(rules)
        for id in 1...4 as ClosedRange<UInt64> { _ = bench.join(id, tasks: 1) }
        var task = bench.add(1, rows: 1).dispatches[0]
        for digest in 1...3 as ClosedRange<UInt8> {
            let actions = bench(.taskFinished(task.worker, task.id, digest: [digest]))
            if digest < 3 {
                task = actions.dispatches[0]
            } else {
                #expect(actions.count { if case .drop = $0 { true } else { false } } == 3, "\(actions)")
                #expect(bench.state.tasks.values.map(\.failures) == [1])
            }
        }
    }

    @Test func prioritiesGoFirstAndWeightsShareTurns() {
        var bench = Bench()
        _ = bench.add(1, rows: 200)
        _ = bench.add(2, rows: 200, weight: 3)
        _ = bench.add(3, rows: 5, priority: 1)
        let jobs = bench.join(1, tasks: 45, bytes: 100_000).dispatches.map(\.job.rawValue)
        #expect(Array(jobs.prefix(5)) == [3, 3, 3, 3, 3])
        #expect((29...31).contains(jobs.filter { $0 == 2 }.count) && (9...11).contains(jobs.filter { $0 == 1 }.count))
    }

    @Test func aSmallJobDoesNotWaitForAGiantOne() {
        var bench = Bench()
        _ = bench.join(1, tasks: 2)
        var giant = bench.add(1, rows: 1000).dispatches
        for _ in 0..<50 { giant += bench(.taskFinished(worker(1), giant.removeFirst().id)).dispatches }
        _ = bench.add(2, rows: 4)
        var turns: [UInt64] = []
        for _ in 0..<8 {
            let next = bench(.taskFinished(worker(1), giant.removeFirst().id)).dispatches
            turns += next.map(\.job.rawValue)
            giant += next
        }
        #expect(turns.filter { $0 == 2 }.count >= 3)
    }

    @Test func aDrainingWorkerFinishesAndGetsNothingMore() {
        var bench = Bench()
        _ = bench.join(1, tasks: 1)
        let task = bench.add(1, rows: 2).dispatches[0]
        _ = bench(.workerDraining(worker(1)))
        let actions = bench(.taskFinished(worker(1), task.id))
        #expect(actions == [.accept(worker(1), task.id, JobID(1), TaskPosition(stage: 0))])
    }

    @Test func answersThatNobodyAskedForChangeNothing() {
        var bench = Bench()
        _ = bench.join(1, tasks: 1)
        let task = bench.add(1, rows: 1).dispatches[0]
        let other = AttemptID(task: task.id.task, attempt: 7)
        #expect(bench(.taskFinished(worker(1), other)) == [.drop(worker(1), other)])
        #expect(bench(.taskFinished(worker(9), task.id)) == [.drop(worker(9), task.id)])
        #expect(bench(.taskFailed(worker(1), other, .badInput(cut))).isEmpty)
        #expect(bench(.stagesPlanned(JobID(1), [Stage(groups: 1, costs: .all(cost))])).isEmpty)
        #expect(bench.state.jobs.count == 1)
    }

    @Test func aDroppedJobCancelsItsTasks() {
        var bench = Bench()
        _ = bench.join(1, tasks: 2)
        let tasks = bench.add(1, rows: 5).dispatches
        #expect(bench(.jobDropped(JobID(1))) == tasks.map { .cancel(worker(1), $0.id) })
        #expect(bench.state.jobs.isEmpty && bench.state.tasks.isEmpty)
    }

    @Test func aStoryIsBounded() {
        var task = TaskRecord(
            id: TaskID(1), job: JobID(1), position: TaskPosition(stage: 0), cost: cost)
        for line in 1...20 { task.note("line \(line)", limit: 3) }
        #expect(task.story == ["17 earlier", "line 18", "line 19", "line 20"])
    }
}
