import Foundation
import Glibc
import InkTestSupport

/// A farm of real processes over loopback: a broker on a data folder, and workers.
final class FarmProcesses {
    /// One process of a farm; what it says goes to a file.
    final class Member {
        let name: String
        let process: Process
        let logPath: String

        init(_ name: String, _ arguments: [String], log: String, prefix: [String] = []) throws {
            self.name = name
            logPath = log
            if !FileManager.default.fileExists(atPath: log) {
                _ = FileManager.default.createFile(atPath: log, contents: nil)
            }
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
            try handle.seekToEnd()
            process = Process()
            let command = prefix + [try InkProcess.executable().path] + arguments
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = command
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = handle
            process.standardError = handle
            try process.run()
        }

        func send(_ signal: Int32, group isGroup: Bool = false) {
            kill(isGroup ? -process.processIdentifier : process.processIdentifier, signal)
        }

        func kill9() {
            send(SIGKILL)
            process.waitUntilExit()
        }

        /// Its exit status, or nil when it has not ended in time.
        func end(seconds: Double) -> Int32? {
            let limit = Date().addingTimeInterval(seconds)
            while process.isRunning, Date() < limit { usleep(10_000) }
            return process.isRunning ? nil : process.terminationStatus
        }

        var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }
    }

    let folder: EndToEndFolder
    let brokerOptions: [String]
    let workerOptions: [String]
    let clientOptions: [String]
    /// The keys of its members; nil: there are none.
    let keys: FarmKeys?
    /// Where its members live; nil: on this machine's loopback.
    let network: FarmNetwork?
    let workersPort: Int
    let clientsPort: Int
    private(set) var broker: Member?
    private(set) var workers: [Member] = []
    private var started = 0

    /// - Parameters:
    ///   - workers: started with one thread each.
    ///   - brokerOptions: beside endpoints and data folder.
    init(
        workers count: Int, brokerOptions: [String] = [], keys: FarmKeys? = nil, network: FarmNetwork? = nil
    ) throws {
        folder = try EndToEndFolder()
        self.network = network
        self.keys = keys
        self.brokerOptions = brokerOptions + (keys?.brokerOptions ?? [])
        workerOptions = keys?.workerOptions ?? []
        clientOptions = keys?.clientOptions ?? []
        workersPort = try Self.freePort()
        clientsPort = try Self.freePort()
        try startBroker()
        for _ in 0..<count { try addWorker() }
    }

    deinit {
        for member in [broker].compactMap({ $0 }) + workers where member.process.isRunning {
            member.send(SIGCONT)
            member.kill9()
        }
    }

    /// A port that nobody listens at now.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    var endpoint: String { "tcp://127.0.0.1:\(clientsPort)" }
    var brokerLog: String { (try? String(contentsOfFile: path("broker.log"), encoding: .utf8)) ?? "" }

    func startBroker() throws {
        broker = try Member(
            "broker",
            [
                "broker", "--data", path("data"), "--clients", endpoint, "--log", "json", "--log-level", "debug",
                "--workers", "tcp://\(network == nil ? "127.0.0.1" : "*"):\(workersPort)",
            ] + brokerOptions, log: path("broker.log"), prefix: network?.brokerPrefix ?? [])
    }

    @discardableResult
    func addWorker() throws -> Member {
        started += 1
        let name = "w\(started)"
        let address = network?.brokerAddress(ofWorker: started - 1) ?? "127.0.0.1"
        let worker = try Member(
            name,
            ["worker", "--broker", "tcp://\(address):\(workersPort)", "--threads", "1", "--name", name] + workerOptions,
            log: path("\(name).log"), prefix: network?.prefix(ofWorker: started - 1) ?? [])
        workers.append(worker)
        return worker
    }

    func replaceWorker(_ index: Int) throws {
        workers[index].kill9()
        workers.remove(at: index)
        try addWorker()
    }

    func client(_ arguments: [String]) throws -> InkProcess {
        try InkProcess(arguments + ["--broker", endpoint] + clientOptions, prefix: network?.brokerPrefix ?? [])
    }

    func run(_ arguments: [String]) throws -> InkProcess.Result { try client(arguments).wait() }

    /// Lines of the broker's log with an event of that name; each a flat JSON object.
    func events(_ name: String) -> [[String: Any]] {
        brokerLog.split(separator: "\n").compactMap { line in
            guard line.contains("\"\(name)\"") else { return nil }
            let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return value?["event"] as? String == name ? value : nil
        }
    }

    func wait(seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
        let limit = Date().addingTimeInterval(seconds)
        while Date() < limit {
            if try condition() { return true }
            usleep(20_000)
        }
        return try condition()
    }
}

/// Pictures that a farm makes, and the same made in one process.
struct FarmJob {
    let inputs: [String]
    let expected: [String: Data]
    let folder: EndToEndFolder
    let options: [String]

    /// The examples of the project, at these sizes.
    init(sizes: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let examples = root.appendingPathComponent("examples").path
        inputs = try FileManager.default.contentsOfDirectory(atPath: examples).sorted()
            .filter { $0.hasSuffix(".ink") || $0.hasSuffix(".inktemplate") }.map { "\(examples)/\($0)" }
        options = ["--size", sizes, "--fill", "suggested", "--quiet"]
        folder = try EndToEndFolder()
        let target = "\(folder.path)/expected"
        let result = try InkProcess.run(["export"] + inputs + options + ["-o", target])
        guard result.code == 0 else { throw POSIXError(.EIO) }
        expected = try Self.files(in: target)
    }

    static func files(in folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        return files
    }

    /// What differs from the pictures of an undisturbed run.
    func differences(in target: String) throws -> [String] {
        let found = try Self.files(in: target)
        return expected.keys.filter { found[$0] != expected[$0] }.sorted()
            + found.keys.filter { expected[$0] == nil }.sorted().map { "\($0) too many" }
    }
}
