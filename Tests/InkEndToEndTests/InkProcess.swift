import Foundation
import Glibc

/// What the system allows a process, so that a test sees what happens beyond it.
struct ProcessLimits {
    /// Private writable memory, bytes: more than what can ever be resident of it. An allocation beyond it fails.
    var memoryBytes: Int?
    /// The largest file that can be written, bytes.
    var fileBytes: Int?

    /// The bound that every export of bad input has to keep.
    static let halfGigabyte = ProcessLimits(memoryBytes: 512_000_000)

    /// For a shell, which becomes the program after setting them.
    fileprivate var script: String {
        var lines: [String] = []
        if let memoryBytes { lines.append("ulimit -d \(memoryBytes / 1024)") }
        if let fileBytes { lines.append("ulimit -f \(fileBytes / 512)") }
        return (lines + ["exec \"$0\" \"$@\""]).joined(separator: " && ")
    }
}

/// The real executable, found next to the tests, run as a person would.
struct InkProcess {
    struct Result {
        /// As a shell sees it: 128 and the number when a signal ended it.
        var code: Int32
        var output: String
        var error: String
    }

    struct NotFound: Error, CustomStringConvertible {
        let description = "the ink executable is not beside the tests; build all targets first"
    }

    private let process = Process()
    private let output = Pipe()
    private let error = Pipe()

    /// Starts `ink` with these arguments. `input` is its standard input; nil leaves it empty. `prefix` is a command that
    /// runs another.
    init(
        _ arguments: [String], prefix: [String] = [], input: Pipe? = nil, output replacement: FileHandle? = nil,
        limits: ProcessLimits = ProcessLimits(), environment: [String: String] = [:]
    ) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", limits.script] + prefix + [try Self.executable().path] + arguments
        // The config file of whoever runs the tests is not read.
        let standard = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": "/nonexistent"]) { $1 }
        process.environment = standard.merging(environment) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = replacement ?? output
        process.standardError = error
        try process.run()
        // Where the output goes elsewhere, nobody else closes this end.
        if replacement != nil { try output.fileHandleForWriting.close() }
    }

    /// - Parameter isGroup: to all of the process's group, which a prefix such as `timeout` makes.
    func send(_ signal: Int32, group isGroup: Bool = false) {
        kill(isGroup ? -process.processIdentifier : process.processIdentifier, signal)
    }

    /// Whether it still runs.
    var isRunning: Bool { process.isRunning }

    /// Waits for the end.
    func wait() -> Result {
        let streams = [output, error].map { $0.fileHandleForReading.fileDescriptor }
        let texts = Self.drain(streams).map { String(decoding: $0, as: UTF8.self) }
        let (text, errors) = (texts[0], texts[1])
        process.waitUntilExit()
        let code = process.terminationStatus
        return Result(
            code: process.terminationReason == .uncaughtSignal ? 128 + code : code, output: text, error: errors)
    }

    /// What comes out of several pipes until all are closed; read together, so that none fills up meanwhile.
    private static func drain(_ descriptors: [Int32]) -> [[UInt8]] {
        var contents = [[UInt8]](repeating: [], count: descriptors.count)
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while polls.contains(where: { $0.fd >= 0 }) {
            guard poll(&polls, nfds_t(polls.count), -1) >= 0 || errno == EINTR else { break }
            for index in polls.indices where polls[index].fd >= 0 && polls[index].revents != 0 {
                let count = read(polls[index].fd, &buffer, buffer.count)
                if count > 0 {
                    contents[index] += buffer[..<count]
                } else if count == 0 || errno != EINTR {
                    // poll passes over negative descriptors.
                    polls[index].fd = -1
                }
            }
        }
        return contents
    }

    /// Runs `ink` to its end.
    static func run(
        _ arguments: [String], input: String? = nil, limits: ProcessLimits = ProcessLimits(),
        environment: [String: String] = [:]
    ) throws -> Result {
        guard let input else {
            return try InkProcess(arguments, limits: limits, environment: environment).wait()
        }
        let pipe = Pipe()
        let process = try InkProcess(arguments, input: pipe, limits: limits, environment: environment)
        pipe.fileHandleForWriting.write(Data(input.utf8))
        try pipe.fileHandleForWriting.close()
        return process.wait()
    }

    static func executable() throws -> URL {
        // The test bundle is an argument of the process that runs it, or the process itself.
        let places =
            CommandLine.arguments + [
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
            ]
        for place in places {
            var folder = URL(fileURLWithPath: place)
            while folder.pathComponents.count > 1 {
                folder.deleteLastPathComponent()
                let candidate = folder.appendingPathComponent("ink")
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue,
                    FileManager.default.isExecutableFile(atPath: candidate.path)
                {
                    return candidate
                }
            }
        }
        throw NotFound()
    }
}

/// A folder of its own for a test, removed at the end.
final class EndToEndFolder {
    let path: String

    init() throws {
        let made = FileManager.default.temporaryDirectory.appendingPathComponent("ink-end-to-end-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        path = made.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    @discardableResult
    func file(_ name: String, _ text: String) throws -> String { try file(name, Array(text.utf8)) }

    /// Writes a file, making the folders above it.
    @discardableResult
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = URL(fileURLWithPath: self(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return self(name)
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: self(name)))) }

    var files: [String] { files(in: "") }

    /// The names in a folder inside, hidden ones too; none when there is no such folder.
    func files(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self(folder))) ?? []).sorted()
    }
}
