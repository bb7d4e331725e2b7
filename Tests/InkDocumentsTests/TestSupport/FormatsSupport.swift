import Glibc
import InkTestSupport

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// Reads a project from text, with the name `test.ink`.
func read(
    _ text: String, companions: any CompanionFiles = FolderCompanions(), limits: Limits = Limits()
) throws(EngineError) -> ProjectReading {
    try ProjectReader.read(Array(text.utf8), file: "test.ink", companions: companions, limits: limits)
}

/// A project of one layer with one stroke, whose JSON keys are given.
func project(layer: String = "", stroke: String = "", points: String = "[[1,2]]") -> String {
    let layer = layer.isEmpty ? "" : layer + ","
    let stroke = stroke.isEmpty ? "" : stroke + ","
    return """
        {"version":"1.1","canvasSize":{"width":64,"height":48},"layers":[{\(layer)"name":"Sky","strokes":[{\(stroke)"points":\(points)}]}]}
        """
}

/// The message of the error that reading ends in; nil when it succeeds.
func message(_ text: String, limits: Limits = Limits()) -> String? {
    do throws(EngineError) {
        _ = try read(text, limits: limits)
        return nil
    } catch {
        return error.description
    }
}

/// A folder for one test, removed with everything in it at the end.
final class ScratchFolder {
    let path: String

    init() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(parent)/ink-formats-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { preconditionFailure("no temporary folder") }
        path = String(cString: made)
    }

    deinit { remove(path) }

    /// Writes a file, making the folders that lead to it; returns its path.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) -> String {
        let parts = name.split(separator: "/").map(String.init)
        var folder = path
        for part in parts.dropLast() {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
        let target = path + "/" + name
        let descriptor = open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        precondition(descriptor >= 0, "cannot write \(target)")
        bytes.withUnsafeBytes { precondition(Glibc.write(descriptor, $0.baseAddress, $0.count) == bytes.count) }
        close(descriptor)
        return target
    }

    @discardableResult
    func write(_ name: String, _ text: String) -> String { write(name, Array(text.utf8)) }

    private func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in (try? InputFile.names(inFolder: path)) ?? [] { remove(path + "/" + name) }
        rmdir(path)
    }
}

/// A zip archive of stored files, written by hand so that it can also be wrong.
struct StoredZip {
    struct Entry {
        var name: String
        var bytes: [UInt8]
        /// The Unix mode; nil for an entry that does not come from Unix.
        var mode: UInt32?
        var isEncrypted = false
        /// What the archive says of the size, when it lies.
        var claimedSize: Int?
        var isChecksumWrong = false
    }

    var entries: [Entry] = []

    var bytes: [UInt8] {
        func half(_ value: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        func word(_ value: Int) -> [UInt8] { half(value) + half(value >> 16) }
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let crc = Int(StoredZip.crc32(entry.bytes)) ^ (entry.isChecksumWrong ? 1 : 0)
            let size = entry.claimedSize ?? entry.bytes.count
            let common =
                half(entry.isEncrypted ? 1 : 0) + half(0) + word(0) + word(crc) + word(entry.bytes.count) + word(size)
                + half(entry.name.utf8.count) + half(0)
            directory += Array("PK\u{1}\u{2}".utf8) + half(entry.mode == nil ? 20 : 0x0314) + half(20) + common
            directory += half(0) + half(0) + half(0) + word(Int(entry.mode ?? 0) << 16) + word(file.count)
            directory += Array(entry.name.utf8)
            file += Array("PK\u{3}\u{4}".utf8) + half(20) + common + Array(entry.name.utf8) + entry.bytes
        }
        let end =
            Array("PK\u{5}\u{6}".utf8) + word(0) + half(entries.count) + half(entries.count) + word(directory.count)
            + word(file.count) + half(0)
        return file + directory + end
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
