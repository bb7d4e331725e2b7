import Foundation
import Glibc
import InkTestSupport
import Synchronization
import Testing

/// A user of its own, who may have so many processes and threads; root may have as many as there are.
private enum LimitedUser {
    static let isAvailable = getuid() == 0 && (try? Shell.run("command -v setpriv && command -v prlimit"))?.code == 0

    /// Numbers that no machine gives its users, each used once.
    private static let lastNumber = Mutex<Int>(1_000_000_000 + Int(getpid() % 1_000_000) * 200)

    /// A command that runs another as a new user, who may have so many threads; one that hangs is killed (exit code 137).
    /// Signals go to its group: `timeout` passes none on that are blocked where tests run.
    static func prefix(threads: Int) -> [String] {
        let user = lastNumber.withLock { number in
            number += 1
            return "\(number)"
        }
        return [
            "timeout", "-s", "KILL", "60", "setpriv", "--reuid", user, "--regid", user, "--clear-groups",
            "prlimit", "--nproc=\(threads):\(threads)", "--",
        ]
    }
}

/// Too few threads, processes or address space: a clear error at once, or fewer threads; nothing hangs, nothing aborts, and
/// signals end every program.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: LimitedUser.isAvailable, "a user of its own takes root, setpriv and prlimit"))
struct ThreadLimitTests {
    /// Anyone may write there.
    private func folder() throws -> EndToEndFolder {
        let folder = try EndToEndFolder()
        try #require(chmod(folder.path, 0o777) == 0)
        try folder.file("small.ink", GoodProject.small)
        return folder
    }

    /// Runs `ink` with each number of threads: where it ends with none of `codes`, or leaves with 74 without saying why, that
    /// is an issue. Returns the numbers that it worked with.
    private func run(
        threads: ClosedRange<Int>, codes: Set<Int32> = [0], _ arguments: (Int) -> [String]
    ) throws -> [Int] {
        let processes = try threads.map { count in
            (count, try InkProcess(arguments(count), prefix: LimitedUser.prefix(threads: count)))
        }
        return processes.compactMap { count, process in
            let result = process.wait()
            if result.code == 74 {
                #expect(result.error.contains("ink: error: "), "\(count) threads: \(result.error)")
                #expect(result.error.contains("cannot start a thread"), "\(count) threads: \(result.error)")
                return nil
            }
            #expect(codes.contains(result.code), "\(count) threads: exit code \(result.code): \(result.error)")
            return count
        }
    }

    @Test("An export with too few threads leaves at once with 74, or makes its picture; it does not hang or abort")
    func exportNeedsThreads() throws {
        let folder = try folder()
        let enough = try run(threads: 1...16) { count in
            ["export", folder("small.ink"), "-o", folder("n\(count).png"), "--workers", "2", "--quiet"]
        }
        #expect(enough.contains(16))
        #expect(!enough.contains(1))
        #expect(folder.files.filter { $0.hasSuffix(".png") }.count == enough.count)
        #expect(!folder.files.contains { $0.hasSuffix(".part") }, "\(folder.files)")
    }

    @Test("Where not all render threads can be started an export goes on with those that can, and says so")
    func exportGoesOnWithFewer() throws {
        let folder = try folder()
        let process = try InkProcess(
            ["export", folder("small.ink"), "-o", folder("out.png"), "--workers", "40", "--quiet"],
            prefix: LimitedUser.prefix(threads: 20))
        let result = process.wait()
        #expect(result.code == 0, "\(result.error)")
        #expect(result.error.contains("of 40 render threads could be started"), "\(result.error)")
    }

    @Test("Reading a large project needs no threads beside its own")
    func inspectNeedsNone() throws {
        let folder = try folder()
        let points = (0..<30_000).map { "[\($0 % 997), \($0 % 641), 0.5]" }.joined(separator: ",")
        let stroke = "{\"brush\": {\"type\": \"solid\", \"lineWidth\": 2}, \"points\": [\(points)]}"
        let strokes = Array(repeating: stroke, count: 10).joined(separator: ",")
        let path = try folder.file(
            "large.ink",
            """
            {"version": "1.1", "canvasSize": {"width": 1000, "height": 700}, "layers": [{"strokes": [\(strokes)]}]}
            """)
        let enough = try run(threads: 1...3) { _ in ["inspect", path] }
        #expect(enough == [1, 2, 3])
    }

    @Test("A client with too few threads leaves at once with 74, or does what it is to do")
    func clientsNeedThreads() throws {
        let folder = try folder()
        let enough = try run(threads: 1...9, codes: [69]) { _ in
            ["status", "--broker", "ipc://\(folder("none"))", "--timeout", "0.3"]
        }
        #expect(enough.contains(9))
        #expect(!enough.contains(1))
    }

    @Test("A broker with too few threads leaves at once with 74; one that runs does its jobs, and a signal ends it")
    func brokerNeedsThreads() throws {
        let folder = try folder()
        /// How it ended; nil: it works.
        func end(of count: Int) throws -> InkProcess.Result? {
            let (workers, clients) = ("ipc://\(folder("w\(count)"))", "ipc://\(folder("c\(count)"))")
            let broker = try InkProcess(
                [
                    "broker", "--workers", workers, "--clients", clients, "--data", folder("data\(count)"),
                    "--drain-time", "1s",
                ], prefix: LimitedUser.prefix(threads: count))
            while broker.isRunning, !folder.files.contains("c\(count)") { usleep(5_000) }
            if broker.isRunning {
                let worker = try InkProcess(["worker", "--broker", workers, "--threads", "1"])
                let picture = folder("picture\(count).png")
                let export = try InkProcess(
                    ["export", folder("small.ink"), "--broker", clients, "-o", picture, "--timeout", "10"]
                ).wait()
                #expect(export.code == 0, "\(count) threads: \(export.error)")
                worker.send(SIGTERM)
                #expect(worker.wait().code == 0)
                broker.send(SIGTERM, group: true)
                let result = broker.wait()
                #expect(result.code == 0, "\(count) threads: \(result.error)")
                return nil
            }
            return broker.wait()
        }
        var enough: [Int] = []
        for count in Array(1...19) + [24] where enough.count < 2 {
            guard let result = try end(of: count) else {
                enough.append(count)
                continue
            }
            #expect(result.code == 74, "\(count) threads: \(result.error)")
            #expect(result.error.contains("cannot start a thread"), "\(count) threads: \(result.error)")
        }
        #expect(enough.count == 2)
    }

    @Test(
        "A worker with too few threads leaves at once with 74; one that runs says how many it has, and a signal ends it"
    )
    func workerNeedsThreads() throws {
        let folder = try folder()
        var (logs, isEnough) = ([String](), false)
        for count in 1...9 {
            let worker = try FarmProcesses.Member(
                "worker", ["worker", "--broker", "ipc://\(folder("none"))", "--threads", "2"],
                log: folder("log\(count)"), prefix: LimitedUser.prefix(threads: count))
            // From then on it heeds a signal, whether it has come to an end by itself or not.
            while worker.process.isRunning, !worker.log.contains("worker.started") { usleep(5_000) }
            worker.send(SIGTERM, group: true)
            let code = worker.end(seconds: 20)
            logs.append(worker.log)
            if code == 74 {
                #expect(!isEnough)
                #expect(worker.log.contains("cannot start a thread"), "\(count) threads: \(worker.log)")
            } else {
                #expect(code == 0, "\(count) threads: \(worker.log)")
                isEnough = true
            }
        }
        #expect(isEnough)
        #expect(logs.contains { $0.contains("worker.threads") && $0.contains("threads=1 wanted=2") }, "\(logs)")
        #expect(!logs[8].contains("worker.threads"), "\(logs[8])")
    }

    @Test("A signal ends an export that can have no more threads, within its second")
    func signalEndsWithoutThreads() throws {
        let folder = try folder()
        let input = Pipe()
        let process = try InkProcess(
            ["export", "-", "-o", folder("out.png"), "--workers", "40"], prefix: LimitedUser.prefix(threads: 20),
            input: input)
        // It waits for a project that does not come.
        usleep(200_000)
        try #require(process.isRunning)
        let start = ContinuousClock.now
        process.send(SIGTERM, group: true)
        let result = process.wait()
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(result.code == 143, "\(result.error)")
        try input.fileHandleForWriting.close()
    }
}

/// Limits of file descriptors and address space, which any user may lower.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ResourceLimitTests {
    /// Exports under each limit, all at once; how each ended.
    private func exports(_ limits: [String], _ folder: EndToEndFolder) throws -> [InkProcess.Result] {
        let project = try folder.file("small.ink", GoodProject.small)
        return try limits.enumerated().map { index, limit in
            try InkProcess(
                ["export", project, "-o", folder("n\(index).png"), "--workers", "2", "--quiet"],
                prefix: ["timeout", "-s", "KILL", "60", "sh", "-c", "ulimit \(limit); exec \"$0\" \"$@\""])
        }.map { $0.wait() }
    }

    @Test("An export with too few file descriptors says so and leaves, or makes its picture; it does not hang or abort")
    func exportNeedsDescriptors() throws {
        let folder = try EndToEndFolder()
        // With fewer the system does not even load the libraries.
        let limits = (6...24).map { "-n \($0)" } + ["-n 40"]
        for (limit, result) in zip(limits, try exports(limits, folder)) where result.code != 0 {
            #expect([74, 127].contains(result.code), "\(limit): exit code \(result.code): \(result.error)")
            #expect(result.code == 127 || result.error.contains("ink: error: "), "\(limit): \(result.error)")
        }
        #expect(folder.files.contains("n\(limits.count - 1).png"))
    }

    @Test("An export with too little address space says so and leaves, or makes its picture; it does not abort")
    func exportNeedsAddressSpace() throws {
        let folder = try EndToEndFolder()
        let limits = stride(from: 90_000, through: 390_000, by: 20_000).map { "-v \($0)" } + ["-v 1500000"]
        for (limit, result) in zip(limits, try exports(limits, folder)) where result.code != 0 {
            // 127: there is not even room for the libraries; 74: for a thread's stack.
            #expect([71, 74, 127].contains(result.code), "\(limit): exit code \(result.code): \(result.error)")
            #expect((result.code == 71) == result.error.contains("out of memory"), "\(limit): \(result.error)")
            #expect(result.code == 127 || result.error.contains("ink: error: "), "\(limit): \(result.error)")
        }
        #expect(folder.files.contains("n\(limits.count - 1).png"))
    }
}
