import Foundation
import Testing

/// The client in another language, which was written from docs/protocol.md, with the real broker and a real worker.
@Suite("examples/python")
struct PythonClientTests {
    /// The first interpreter that has pyzmq.
    static let interpreter = ["/usr/bin/python3", "/usr/local/bin/python3"].first { path in
        FileManager.default.isExecutableFile(atPath: path) && (try? run(path, ["-c", "import zmq"]))?.code == 0
    }

    private static func run(
        _ path: String, _ arguments: [String], folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "It encodes as the document says, and gets pictures from a farm whose broker is killed",
        .enabled(if: interpreter != nil, "no python3 with pyzmq here (Debian: python3-zmq)"), .timeLimit(.minutes(10)))
    func unittest() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let result = try Self.run(
            try #require(Self.interpreter), ["-B", "-m", "unittest", "-v"],
            folder: root.appendingPathComponent("examples/python"),
            environment: ["INK_EXECUTABLE": try InkProcess.executable().path])
        #expect(result.code == 0 && !result.output.contains("skipped"), "\(result.output)")
    }
}
