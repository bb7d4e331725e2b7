import Foundation
import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import InkTestSupport
import Synchronization
import Testing

@testable import InkBroker
@testable import InkPlanning

/// A file on a disk that fails once, at the n-th call, and is well before and after.
private struct FailingFile: OutputFile {
    private var file: PendingFile
    private var calls = 0
    private let failing: Int

    init(_ file: PendingFile, failing: Int) {
        self.file = file
        self.failing = failing
    }

    var target: String { file.target }
    var temporary: String { file.temporary }
    var byteCount: Int { file.byteCount }

    mutating func patch(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
        if isTurn() { throw SystemFailure(operation: "write", errno: ENOSPC) }
        try file.patch(bytes, at: offset)
    }

    private mutating func isTurn() -> Bool {
        calls += 1
        return calls == failing
    }

    mutating func write(_ bytes: [UInt8]) throws(SystemFailure) {
        guard isTurn() else { return try file.write(bytes) }
        // Half of it is there.
        try file.write(Array(bytes.prefix(bytes.count / 2)))
        throw SystemFailure(operation: "write", errno: ENOSPC)
    }

    mutating func sync() throws(SystemFailure) {
        if isTurn() { throw SystemFailure(operation: "sync", errno: EIO) }
        try file.sync()
    }

    mutating func publish() throws(SystemFailure) {
        if isTurn() { throw SystemFailure(operation: "rename", errno: EACCES) }
        try file.publish()
    }

    mutating func discard() { file.discard() }
}

@Suite("A picture whose disk fails", .serialized)
struct PictureOutputTests {
    private static let size = PixelSize(width: 100, height: 300)
    private static let tile = PixelSize(width: 100, height: 50)
    private static let head = PictureHead(size: size, pixels: .rgb)

    @Test(
        "Whichever call fails, what was queued behind it makes no picture of the rest, and the old one stays",
        arguments: [nil, "old"])
    func anyFailedCall(old: String?) throws {
        let folder = try TemporaryFolder(prefix: "ink-output")
        let target = folder.path(of: "a.png")
        let bands = (0..<6).map {
            EncodedPiece(rowCount: 1, rawByteCount: 1, adler32: 1, bytes: [UInt8](repeating: UInt8($0), count: 50))
        }
        var (failing, isWhole) = (0, false)
        while !isWhole {
            failing += 1
            if let old { try folder.write(old, to: "a.png") }
            let number = failing
            let output = PictureOutput(name: target, assembler: PlainAssembler(Self.head)) {
                () throws(BrokerError) in
                do throws(SystemFailure) {
                    let file = FailingFile(try PendingFile(target: target), failing: number)
                    return PictureFiles([PictureWriter(file, wantsDigest: true)])
                } catch {
                    throw .output(path: target, operation: error.operation, errno: error.errno)
                }
            }
            // As the loop does: all at once, whatever comes of each.
            let lane = try Lane("test")
            let results = Mutex<[Result<Int, BrokerError>]>([])
            for band in bands {
                lane.run {
                    let result = Self.result { () throws(BrokerError) in try output.write([band]).byteCount }
                    results.withLock { $0.append(result) }
                }
            }
            lane.run {
                let result = Self.result { () throws(BrokerError) in try output.finish(seal: nil)[0].byteCount
                }
                results.withLock { $0.append(result) }
            }
            lane.wait()
            let found = results.withLock { $0 }
            guard let first = found.firstIndex(where: { (try? $0.get()) == nil }) else {
                isWhole = true
                continue
            }
            #expect(found[first...].allSatisfy { (try? $0.get()) == nil }, "call \(failing): \(found)")
            guard case .failure(.output(target, let operation, _)) = found[first] else {
                Issue.record("call \(failing): \(found[first])")
                continue
            }
            #expect(["write", "sync", "rename"].contains(operation))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == (old == nil ? [] : ["a.png"]), "call \(failing)")
            if let old { #expect(try folder.read("a.png") == Array(old.utf8), "call \(failing)") }
        }
        // The head, six bands, the end, sync and rename.
        #expect(failing == 11)
        #expect(try folder.read("a.png").count > 300)
    }

    /// Writes to two files, by way of a store, and replaces bytes of the first.
    private struct TwoFiles: PictureAssembler {
        var fileCount: Int { 2 }
        var isAppendOnly: Bool { false }
        mutating func begin() -> [PictureWrite] { [.append(Array("head ".utf8)), .append(Array("two ".utf8), to: 1)] }
        mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
            [.append(piece.bytes, to: 3), .append(piece.bytes), .append(Array("b".utf8), to: 2)]
        }
        mutating func end() -> [PictureWrite] {
            [
                .patch(Array("HEAD".utf8), at: 0), .patch(Array("X".utf8), at: 1, of: 3), .move(3, to: 2),
                .move(2, to: 1), .move(7, to: 1), .append(Array(" end".utf8), to: 1),
            ]
        }
    }

    @Test("Bytes are replaced, stores are moved, and digests are those of the files as they are in the end")
    func filesAndStores() throws {
        let folder = try TemporaryFolder(prefix: "ink-output")
        let source = DocumentSource { () throws(BrokerError) in throw .internalError("unused") }
        var job = ExportJob(
            id: JobID(1), name: "a", source: .document(source), destination: folder.path(of: "a"))
        job.destinations.append(folder.path(of: "b"))
        var target = PictureTarget(job)
        target.open(TwoFiles(), as: [.png, .png])
        let output = try #require(target.output)
        let piece = EncodedPiece(rowCount: 1, rawByteCount: 1, adler32: 1, bytes: Array("123".utf8))
        #expect(try output.write([piece]).byteCount == 0, "bytes may still change")
        #expect(Self.names(folder).count == 2, "a store has no name: \(Self.names(folder))")
        let files = try output.finish(seal: nil)
        #expect(try folder.read("a") == Array("HEAD 123".utf8))
        #expect(try folder.read("b") == Array("two b1X3 end".utf8))
        for (file, name) in zip(files, ["a", "b"]) {
            let bytes = try folder.read(name)
            #expect(file == WrittenFile(byteCount: bytes.count, digest: SHA256.digest(bytes)))
        }
        #expect(Self.names(folder) == ["a", "b"])
    }

    @Test("Where one of several files cannot be written, none is left")
    func oneOfSeveralFails() throws {
        let folder = try TemporaryFolder(prefix: "ink-output")
        try FileManager.default.createDirectory(atPath: folder.path(of: "b"), withIntermediateDirectories: false)
        let source = DocumentSource { () throws(BrokerError) in throw .internalError("unused") }
        var job = ExportJob(
            id: JobID(1), name: "a", source: .document(source), destination: folder.path(of: "a"))
        job.destinations.append(folder.path(of: "b"))
        var target = PictureTarget(job)
        target.open(TwoFiles(), as: [.png, .png])
        let output = try #require(target.output)
        #expect(throws: BrokerError.self) { try output.write([]) }
        #expect(Self.names(folder) == ["b"])
    }

    private static func names(_ folder: TemporaryFolder) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private static func result<T>(_ work: () throws(BrokerError) -> T) -> Result<T, BrokerError> {
        do throws(BrokerError) { return .success(try work()) } catch { return .failure(error) }
    }

    /// The whole broker, and a real disk: a limit on the size of files takes the place of a full one. At each size of the
    /// file the writes behind the one that fails are small enough, or there is room again.
    @Test("Wherever the disk is full, the export fails and names the file, and the old picture stays")
    func anySize() async {
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGXFSZ, SIG_IGN)
            func setLimit(_ bytes: Int?) {
                var limit = rlimit(rlim_cur: bytes.map { rlim_t($0) } ?? rlim_t.max, rlim_max: rlim_t.max)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            }
            let farm = try Farm { $0.livenessMilliseconds = 60_000 }
            farm.hire()
            let whole = FakePicture.file(TileGrid(output: Self.size, tile: Self.tile), .rgb)
            let path = farm.folder + "/a.png"
            for size in 0..<whole.utf8.count {
                try Data("old".utf8).write(to: URL(fileURLWithPath: path))
                setLimit(size)
                farm.submit(UInt64(size + 1), tile: Self.tile)
                let end = farm.end(of: UInt64(size + 1))
                setLimit(nil)
                guard case .failure(.output(path, "write", EFBIG))? = end else {
                    print("\(size) bytes: \(String(describing: end))")
                    exit(1)
                }
                guard farm.file("a.png") == "old", farm.until({ farm.files == ["a.png"] }) else {
                    print("\(size) bytes: \(farm.files)")
                    exit(2)
                }
            }
            farm.submit(10_000, tile: Self.tile)
            guard case .success? = farm.end(of: 10_000), farm.file("a.png") == whole else { exit(3) }
            farm.stop()
            exit(42)
        }
    }
}
