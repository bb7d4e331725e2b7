import Foundation
import Glibc
import InkTestSupport
import Testing

/// A broker that is asked for more than it has: descriptors, memory.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BrokerLimitTests {
    /// What a process has computed, seconds.
    private func computed(_ process: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // After the name, which ends with the last parenthesis, come the state and ten more fields.
        let fields = text[text.index(after: try #require(text.lastIndex(of: ")")))...].split(separator: " ")
        return try (#require(Double(fields[11])) + #require(Double(fields[12]))) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// A connection that says nothing.
    private func connect(_ port: Int) -> Int32 {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return connection
    }

    @Test("A broker without descriptors does not spin, says it in one line, and serves again when there are some")
    func fewDescriptors() throws {
        let folder = try EndToEndFolder()
        let (workers, clients) = (try FarmProcesses.freePort(), try FarmProcesses.freePort())
        let endpoint = "tcp://127.0.0.1:\(clients)"
        let broker = try FarmProcesses.Member(
            "broker",
            [
                "broker", "--workers", "tcp://127.0.0.1:\(workers)", "--clients", endpoint, "--data", folder("data"),
                "--drain-time", "1s",
            ],
            log: folder("log"), prefix: ["sh", "-c", "ulimit -n 60; exec \"$0\" \"$@\""])
        defer { broker.kill9() }
        func isServed() throws -> Bool {
            try InkProcess.run(["status", "--broker", endpoint, "--timeout", "2"]).code == 0
        }
        for _ in 0..<20 where try !isServed() { usleep(100_000) }
        for port in [clients, workers] {
            let before = broker.log.split(separator: "\n").count { $0.contains("no file descriptor is left") }
            // Strangers are let go after some seconds; others come in their place, so that there is never room.
            var connections = (0..<100).map { _ in connect(port) }
            usleep(1_000_000)
            let start = try computed(broker.process.processIdentifier)
            for _ in 0..<10 {
                usleep(200_000)
                connections += (0..<10).map { _ in connect(port) }
            }
            #expect(try computed(broker.process.processIdentifier) - start < 1.2)
            let lines = broker.log.split(separator: "\n").filter { $0.contains("no file descriptor is left") }
            #expect(lines.count == before + 1, "\(lines)")
            for connection in connections { close(connection) }
            var isBack = false
            for _ in 0..<20 where !isBack { isBack = try isServed() }
            #expect(isBack)
        }
        broker.send(SIGTERM)
        #expect(broker.end(seconds: 20) == 0)
    }

    @Test("Many large answers at once all come, and their memory is given back")
    func largeAnswers() throws {
        let folder = try EndToEndFolder()
        let endpoint = "ipc://\(folder("c"))"
        func start() throws -> FarmProcesses.Member {
            try FarmProcesses.Member(
                "broker",
                ["broker", "--workers", "ipc://\(folder("w"))", "--clients", endpoint, "--data", folder("data")],
                log: folder("log"))
        }
        let first = try start()
        let project = try folder.file("a.ink", GoodProject.small)
        #expect(try InkProcess.run(["submit", project, "--broker", endpoint]).code == 0)
        #expect(try InkProcess.run(["cancel", "1", "--broker", endpoint]).code == 0)
        first.send(SIGTERM)
        #expect(first.end(seconds: 20) == 0)
        // A story of 3 MB, as of an export of thousands of tiles.
        let script = """
            import sqlite3
            jobs = sqlite3.connect('\(folder("data/jobs.sqlite"))')
            jobs.execute('UPDATE jobs SET story = ?', (b'"' + b'a' * (3 << 20) + b'"',))
            jobs.commit()
            """
        #expect(try Shell.run("python3 -c \"$SCRIPT\"", environment: ["SCRIPT": script]).code == 0)
        let broker = try start()
        defer { broker.kill9() }
        func resident() throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(broker.process.processIdentifier)/statm", encoding: .utf8)
            return try #require(Int(text.split(separator: " ")[1])) * sysconf(Int32(_SC_PAGESIZE))
        }
        #expect(try InkProcess.run(["status", "--broker", endpoint]).code == 0)
        let before = try resident()
        let questions = try (0..<60).map { _ in try InkProcess(["story", "1", "--broker", endpoint, "--timeout", "90"])
        }
        for question in questions { #expect(question.wait().code == 0) }
        // It looks after its memory now and then.
        var after = try resident()
        for _ in 0..<50 where after > before + 24 << 20 {
            usleep(100_000)
            after = try resident()
        }
        #expect(after <= before + 24 << 20, "\(before), then \(after) bytes")
    }
}
