import Glibc
@testable import InkBroker
import InkCodecs
import InkEngine
import InkProtocol
import InkStore
import InkTestSupport
import Testing

@testable import InkService

@Suite("What a service says and takes for the same")
struct ServiceValuesTests {
    @Test("A sealed picture is taken for the one on the disk only with every byte of it")
    func sealed() throws {
        let folder = try TemporaryFolder(prefix: "ink-service")
        let bytes = [UInt8](repeating: 7, count: 3_000_000)
        let picture = PictureReport(
            size: PixelSize(width: 1, height: 1),
            files: [WrittenFile(byteCount: bytes.count, digest: SHA256.digest(bytes))])
        let path = folder.path(of: "a.png")
        for (name, content, isIt) in [
            ("the same", bytes, true), ("longer", bytes + [7], false), ("shorter", Array(bytes.dropLast()), false),
            ("damaged", Array(bytes.dropLast()) + [8], false),
        ] {
            try content.withUnsafeBytes { try #require(write($0, to: path)) }
            #expect(picture.isFile(at: path) == isIt, "\(name)")
        }
        #expect(!picture.isFile(at: folder.path(of: "b.png")))
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        defer { fclose(file) }
        return fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count
    }

    @Test("What ended an export decides the code that a client leaves with")
    func codes() {
        func code(_ error: BrokerError) -> FailureCode? {
            if case .ended(.failed(let code, _)) = ExportEnd(error) { code } else { nil }
        }
        let place = Place(file: "a")
        #expect(code(.refused(.badInput(place, reason: ""))) == .badInput)
        #expect(code(.refused(.overLimit(place, what: "", found: "", limit: ""))) == .badInput)
        #expect(code(.refused(.io(path: "", operation: "", errno: 5))) == .inputOutput)
        #expect(code(.output(path: "", operation: "", errno: 28)) == .inputOutput)
        #expect(code(.noWorkers(export: "", waitedMilliseconds: 1)) == .noWorkers)
        #expect(code(.internalError("")) == .internalError)
        let packing = BrokerError.packing("tile 3", .badCompression("no memory"))
        #expect(packing.description == "internal error: tile 3 cannot be packed: zstd: no memory")
        #expect(code(packing) == .internalError)
        #expect(ExportEnd(.refused(.cancelled)) == .ended(.cancelled))
        // No fault of the job.
        for number in [EMFILE, ENFILE] {
            for error: BrokerError in [
                .refused(.io(path: "", operation: "", errno: number)), .output(path: "", operation: "", errno: number),
                .spill(operation: "", errno: number),
            ] {
                #expect(ExportEnd(error) == .later(reason: error.description))
            }
        }
    }

    @Test("A story keeps its first lines and counts the others")
    func story() {
        var story = Story()
        let note = TaskNote(job: JobID(1), task: "tile 0,0", attempt: 1, worker: "w", what: .dispatched)
        for _ in 0..<(Story.linesMax + 3) { story.add(note, at: 1) }
        #expect(story.notes.count == Story.linesMax && story.forgotten == 3)
    }
}
