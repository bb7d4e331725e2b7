import Dispatch
import Glibc
import InkSystem
import Synchronization
import Testing

@Suite("Work on a thread of its own", .timeLimit(.minutes(5)))
struct LaneTests {
    private final class Log: Sendable {
        private let words = Mutex<[Int]>([])
        func add(_ number: Int) { words.withLock { $0.append(number) } }
        var all: [Int] { words.withLock { $0 } }
    }

    @Test("Work is done in the order in which it is asked for, also by work itself")
    func keepsOrder() throws {
        let lane = try Lane("test")
        let log = Log()
        for number in 0..<1000 { lane.run { log.add(number) } }
        lane.wait()
        #expect(log.all == Array(0..<1000))
        let isDone = DispatchSemaphore(value: 0)
        lane.run {
            lane.run { isDone.signal() }
            log.add(1000)
        }
        isDone.wait()
        #expect(log.all.last == 1000)
        // What waits is work, too, and counts until it is done.
        lane.wait()
        while lane.load > 0 { usleep(1_000) }
    }

    @Test("Work that is for later comes after its time, and holds nothing up")
    func waitsForTheTime() throws {
        let lane = try Lane("test")
        let log = Log()
        let start = SystemClock.milliseconds
        let isDone = DispatchSemaphore(value: 0)
        // Asked for by work of the lane, which does nothing else meanwhile, however long that takes.
        lane.run {
            lane.run(afterMilliseconds: 60) {
                log.add(3)
                isDone.signal()
            }
            lane.run(afterMilliseconds: 1) { log.add(2) }
            lane.run { log.add(1) }
        }
        isDone.wait()
        #expect(SystemClock.milliseconds - start >= 60)
        #expect(log.all == [1, 2, 3])
    }

    @Test("A lane that nobody holds any more does what it was asked for, and lets go of it")
    func endsWithItsOwner() throws {
        final class Held: Sendable {
            let gone: DispatchSemaphore
            init(_ gone: DispatchSemaphore) { self.gone = gone }
            deinit { gone.signal() }
        }
        let log = Log()
        let (gone, later) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        do {
            let lane = try Lane("test")
            let held = Held(gone)
            lane.run { withExtendedLifetime(held) { log.add(1) } }
            // Its time does not come any more.
            let never = Held(later)
            lane.run(afterMilliseconds: 3_600_000) { withExtendedLifetime(never) { log.add(2) } }
        }
        gone.wait()
        later.wait()
        #expect(log.all == [1])
    }

    @Test("What has been done lets go of what it held, though more waits behind it")
    func letsGoAtOnce() throws {
        final class Held: Sendable {}
        weak var seen: Held?
        let lane = try Lane("test")
        let (mayBegin, mayEnd, isThere) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        lane.run { mayBegin.wait() }
        do {
            let held = Held()
            seen = held
            lane.run { withExtendedLifetime(held) {} }
        }
        lane.run {
            isThere.signal()
            mayEnd.wait()
        }
        mayBegin.signal()
        isThere.wait()
        #expect(seen == nil)
        mayEnd.signal()
    }

    @Test("Pieces of work are each done once, however many threads do them", arguments: [0, 1, 7, 1000])
    func doesAllPieces(count: Int) {
        let log = Log()
        let isDone = ParallelWork.perform(count) { piece in
            log.add(piece)
            return true
        }
        #expect(isDone)
        #expect(log.all.sorted() == Array(0..<count))
    }

    @Test("A thread has its name in the system's lists")
    func namesThreads() throws {
        let lane = try Lane("test-lane")
        let found = Mutex("")
        lane.run {
            guard let file = fopen("/proc/thread-self/comm", "r") else { return }
            defer { fclose(file) }
            var line = [UInt8](repeating: 0, count: 32)
            let count = fread(&line, 1, line.count, file)
            found.withLock { $0 = String(decoding: line.prefix(count), as: UTF8.self) }
        }
        lane.wait()
        #expect(found.withLock { $0 } == "test-lane\n")
    }

    @Test("A piece that fails is told, and those behind it are left")
    func tellsFailure() {
        let log = Log()
        let isDone = ParallelWork.perform(100_000) { piece in
            log.add(piece)
            return piece != 3
        }
        #expect(!isDone)
        #expect(log.all.count < 100_000)
    }

    @Test("A thread that cannot be had is an error at once, in words that say what to do")
    func refusesThreads() throws {
        // No address space has room for such a stack.
        let failure = #expect(throws: SystemFailure.self) { try PosixThread("test", stackBytes: 1 << 46) {}.detach() }
        let text = PosixThread.refusal(errno: failure?.errno ?? 0)
        #expect(text.hasPrefix("cannot start a thread: ") && text.contains("ulimit -u"), "\(text)")
        var isReserved = false
        try PosixThread.reserving(4) { isReserved = true }
        #expect(isReserved)
    }
}
