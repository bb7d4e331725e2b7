import Foundation
import Testing

/// The client in another language, which was written from docs/protocol.md, with the real broker and a real worker.
@Suite("examples/python")
struct PythonClientTests {
    /// The first interpreter that has pyzmq.
    static let interpreter = ["/usr/bin/python3", "/usr/local/bin/python3"].first { path in
        FileManager.default.isExecutableFile(atPath: path) && (try? Shell.run("\(path) -c 'import zmq'"))?.code == 0
    }

    @Test(
        "It encodes as the document says, and gets pictures from a farm whose broker is killed",
        .enabled(if: interpreter != nil, "no python3 with pyzmq here (Debian: python3-zmq)"), .timeLimit(.minutes(10)))
    func unittest() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let result = try Shell.run(
            "\(try #require(Self.interpreter)) -B -m unittest -v",
            folder: root.appendingPathComponent("examples/python"),
            environment: ["INK_EXECUTABLE": try InkProcess.executable().path])
        #expect(result.code == 0 && !result.output.contains("skipped"), "\(result.output)")
    }
}
