import Foundation

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

    /// Starts `ink` with these arguments. `input` is its standard input; nil leaves it empty.
    init(_ arguments: [String], input: Pipe? = nil, output replacement: FileHandle? = nil) throws {
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = replacement ?? output
        process.standardError = error
        try process.run()
        // Where the output goes elsewhere, nobody else closes this end.
        if replacement != nil { try output.fileHandleForWriting.close() }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end. Reads standard output first: what these tests print on standard error fits a pipe.
    func wait() -> Result {
        let text = String(decoding: output.fileHandleForReading.availableDataToEnd(), as: UTF8.self)
        let errors = String(decoding: error.fileHandleForReading.availableDataToEnd(), as: UTF8.self)
        process.waitUntilExit()
        let code = process.terminationStatus
        return Result(
            code: process.terminationReason == .uncaughtSignal ? 128 + code : code, output: text, error: errors)
    }

    /// Runs `ink` to its end.
    static func run(_ arguments: [String], input: String? = nil) throws -> Result {
        guard let input else { return try InkProcess(arguments).wait() }
        let pipe = Pipe()
        let process = try InkProcess(arguments, input: pipe)
        pipe.fileHandleForWriting.write(Data(input.utf8))
        try pipe.fileHandleForWriting.close()
        return process.wait()
    }

    private static func executable() throws -> URL {
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

extension FileHandle {
    fileprivate func availableDataToEnd() -> Data { (try? readToEnd()) ?? Data() }
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
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)))
        return self(name)
    }

    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
