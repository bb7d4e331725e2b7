import Dispatch
import Foundation
import InkTestSupport
import Synchronization
import Testing

/// Seeds beyond those of the tests: `make simulate SEEDS=N`, or one of them alone: `make simulate SEED=n`.
@Suite("The whole farm, simulated", .serialized)
struct FarmSimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test func nothingIsLostInAnyWeather() throws {
        if let text = Self.environment["SEED"], let seed = UInt64(text) {
            try Self.tellAll(seed)
            return
        }
        let count = Self.environment["SEEDS"].flatMap { Int($0) } ?? 10_000
        let first = Self.environment["FIRST"].flatMap { UInt64($0) } ?? 0
        let failures = Mutex<[(UInt64, [String])]>([])
        let steps = Atomic<Int>(0)
        let found = Atomic<Int>(0)
        let read = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
        let alone = Atomic<Int>(0)
        let left = Atomic<Int>(0)
        let start = Date()
        DispatchQueue.concurrentPerform(iterations: count) { @Sendable index in
            let seed = first + UInt64(index)
            do {
                let farm = try Farm(seed: seed)
                farm.run()
                steps.add(farm.steps, ordering: .relaxed)
                found.add(farm.foundCount, ordering: .relaxed)
                read.add(farm.readCount, ordering: .relaxed)
                refused.add(farm.refusedLies, ordering: .relaxed)
                alone.add(farm.aloneCount, ordering: .relaxed)
                left.add(farm.leftCount, ordering: .relaxed)
                if !farm.problems.isEmpty { failures.withLock { $0.append((seed, farm.problems)) } }
            } catch {
                failures.withLock { $0.append((seed, ["\(error)"])) }
            }
        }
        let seconds = Date().timeIntervalSince(start)
        let stepCount = steps.load(ordering: .relaxed)
        let (foundCount, readCount) = (found.load(ordering: .relaxed), read.load(ordering: .relaxed))
        let refusedCount = refused.load(ordering: .relaxed)
        let (aloneCount, leftCount) = (alone.load(ordering: .relaxed), left.load(ordering: .relaxed))
        print(
            "\(count) farms, \(stepCount) steps, \(foundCount) tiles found, \(readCount) documents read,",
            "\(refusedCount) lies refused, \(aloneCount) pictures made alone and \(leftCount) of them not after all,",
            "in \(seconds) s")
        #expect(min(foundCount, readCount, refusedCount, aloneCount - leftCount, leftCount) > 0 || count < 1_000)
        for (seed, problems) in failures.withLock({ $0 }).sorted(by: { $0.0 < $1.0 }).prefix(10) {
            Issue.record("make simulate SEED=\(seed): \(problems.joined(separator: "; "))")
            print("make simulate SEED=\(seed): \(problems.joined(separator: "; "))".prefix(500))
        }
    }

    private static func tellAll(_ seed: UInt64) throws {
        Farm.keepsHistory = true
        let farm = try Farm(seed: seed)
        farm.run()
        for line in farm.history.suffix(Self.environment["LINES"].flatMap { Int($0) } ?? 400) { print(line) }
        #expect(farm.problems.isEmpty)
    }

    @Test func aSeedRepeatsItself() throws {
        for seed in 0..<20 as Range<UInt64> {
            func run() throws -> (Int, UInt64, [String]) {
                let farm = try Farm(seed: seed)
                farm.run()
                return (farm.steps, farm.now, farm.problems)
            }
            let (first, second) = (try run(), try run())
            #expect(first == second, "seed \(seed)")
        }
    }
}
