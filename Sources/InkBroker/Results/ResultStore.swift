import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import Synchronization

/// The result of a tile: a piece of the picture's files, samples for a later task, or both.
struct KeptResult: Sendable {
    var band: EncodedPiece?
    var pixels: Block?
}

/// Results of tiles on the disk, by what decides them (`TileKeys`), for later exports of the same process and of others.
///
/// A file a result, written beside its place and renamed, so that it is there whole or not at all, and read with its check:
/// one that is damaged is removed and made again. Files that were used least recently go when there is no room. The disk
/// is never waited for: what a crash takes is only rendered again. Thread-safe, also between processes.
final class ResultStore: Sendable {
    private struct Entry {
        /// The space on the disk that the file takes.
        var byteCount: Int
        /// The larger, the later it was used.
        var use: UInt64
    }

    private struct State {
        var entries: [BlockID: Entry] = [:]
        var byteCount = 0
        var lastUse: UInt64 = 0
        var lastFile: UInt64 = 0

        /// A file was found, written or used.
        mutating func note(_ key: BlockID, byteCount: Int) {
            lastUse += 1
            // A small file takes a block of the disk, and there must not be any number of them.
            let taken = (byteCount + 4095) / 4096 * 4096
            self.byteCount += taken - (entries[key]?.byteCount ?? 0)
            entries[key] = Entry(byteCount: taken, use: lastUse)
        }
    }

    private static let magic = Array("inkR\u{3}".utf8)
    private static let headBytes = magic.count + 4 + 8 + 4 + 8 + 8 + 4
    /// Files of writers that have ended without a word.
    private static let leftoverSeconds = 3600

    private let folder: String
    private let bytesMax: Int
    /// The limit for one file: larger ones are neither written nor read.
    private var fileBytesMax: Int { bytesMax / 8 }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: made if it is missing.
    ///   - bytesMax: of all files.
    /// - Throws: if the folder cannot be made or read.
    init(folder: String, bytesMax: Int) throws(SystemFailure) {
        self.folder = folder
        self.bytesMax = bytesMax
        var made: [String] = []
        try FileSystem.makeFolders(folder, mode: 0o700, made: &made)
        guard access(folder, R_OK | W_OK | X_OK) == 0 else { throw SystemFailure(operation: "write", errno: errno) }
        try scan()
        makeRoom()
    }

    /// Learns which files there are, by the time of their last use.
    private func scan() throws(SystemFailure) {
        var found: [(BlockID, Int, Int)] = []
        let now = time(nil)
        for bytes in try FileSystem.names(in: folder) {
            let name = String(decoding: bytes, as: UTF8.self)
            var status = stat()
            guard lstat(folder.appendingPath(name), &status) == 0 else { continue }
            if let id = BlockID(hexadecimal: name) {
                found.append((id, Int(status.st_size), status.st_mtim.tv_sec))
            } else if name.hasSuffix(".part"), now - status.st_mtim.tv_sec > Self.leftoverSeconds {
                unlink(folder.appendingPath(name))
            }
        }
        found.sort { $0.2 < $1.2 }
        state.withLock { [found] state in
            state.entries = [:]
            state.byteCount = 0
            for (id, byteCount, _) in found { state.note(id, byteCount: byteCount) }
        }
    }

    private func path(_ key: BlockID) -> String { folder.appendingPath(key.description) }

    /// The result of a tile; nil if there is none, or it cannot be read.
    func result(_ key: BlockID) -> KeptResult? {
        let path = path(key)
        // What is no file of ours may make a reader wait forever.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
        // Whatever is wrong with the file, the tile is rendered again.
        guard let file = try? FileDescriptor(opening: path, flags: flags, operation: "open"),
            let status = try? file.status(), status.kind == .regular, status.byteCount <= fileBytesMax,
            let bytes = try? file.read(Int(status.byteCount), at: 0)
        else {
            forget(key)
            return nil
        }
        guard let result = Self.result(bytes, of: key) else {
            unlink(path)
            forget(key)
            return nil
        }
        // For those who look for the least recently used.
        futimens(file.rawValue, nil)
        state.withLock { state in
            state.note(key, byteCount: bytes.count)
        }
        return result
    }

    /// Keeps a result, as far as the disk takes it: a full one is no reason to fail, the results are only not there next
    /// time. A folder that has been removed is made again.
    ///
    /// - Returns: why it is not kept.
    @discardableResult
    func keep(_ result: KeptResult, as key: BlockID) -> SystemFailure? {
        let bytes = Self.file(of: result, as: key)
        guard bytes.count <= fileBytesMax else { return nil }
        let number = state.withLock { state in
            state.lastFile += 1
            return state.lastFile
        }
        let temporary = folder.appendingPath("\(key).\(getpid())-\(number).part")
        do throws(SystemFailure) {
            let file = try create(temporary)
            try file.write(bytes)
            guard rename(temporary, path(key)) == 0 else { throw SystemFailure(operation: "rename", errno: errno) }
        } catch {
            unlink(temporary)
            return error
        }
        state.withLock { $0.note(key, byteCount: bytes.count) }
        makeRoom()
        return nil
    }

    private func create(_ path: String) throws(SystemFailure) -> FileDescriptor {
        func create() throws(SystemFailure) -> FileDescriptor {
            try FileDescriptor(opening: path, flags: O_CREAT | O_EXCL | O_WRONLY, mode: 0o600, operation: "create")
        }
        do throws(SystemFailure) { return try create() } catch {
            guard error.errno == ENOENT else { throw error }
            var made: [String] = []
            try FileSystem.makeFolders(folder, mode: 0o700, made: &made)
            try scan()
            return try create()
        }
    }

    private func forget(_ key: BlockID) {
        state.withLock { state in
            if let entry = state.entries.removeValue(forKey: key) { state.byteCount -= entry.byteCount }
        }
    }

    /// Removes those used least recently, until a tenth is free.
    private func makeRoom() {
        guard state.withLock({ $0.byteCount > bytesMax }) else { return }
        // Others may have written and removed files meanwhile.
        try? scan()
        let victims = state.withLock { state in
            var victims: [BlockID] = []
            for (id, entry) in state.entries.sorted(by: { $0.value.use < $1.value.use }) {
                guard state.byteCount > bytesMax / 10 * 9 else { break }
                victims.append(id)
                state.entries[id] = nil
                state.byteCount -= entry.byteCount
            }
            return victims
        }
        for id in victims { unlink(path(id)) }
    }

    // MARK: - Files

    private static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// The head says how many bytes the piece and the samples take; a part that is not there takes none.
    static func file(of result: KeptResult, as key: BlockID) -> [UInt8] {
        let (band, pixels) = (result.band, result.pixels?.frame ?? [])
        let head =
            bigEndian(band?.rowCount ?? 0, 4) + bigEndian(band?.rawByteCount ?? 0, 8)
            + bigEndian(Int(band?.adler32 ?? 0), 4) + bigEndian(band?.bytes.count ?? 0, 8) + bigEndian(pixels.count, 8)
        var bytes = magic + head + [0, 0, 0, 0]
        bytes.reserveCapacity(headBytes + (band?.bytes.count ?? 0) + pixels.count)
        if let band { bytes += band.bytes }
        bytes += pixels
        bytes.replaceSubrange((headBytes - 4)..<headBytes, with: bigEndian(Int(checksum(of: bytes, as: key)), 4))
        return bytes
    }

    static func result(_ file: [UInt8], of key: BlockID) -> KeptResult? {
        guard file.count >= headBytes, file.starts(with: magic) else { return nil }
        var at = magic.count
        func number(_ count: Int) -> Int {
            defer { at += count }
            return file[at..<(at + count)].reduce(0) { $0 << 8 | Int($1) }
        }
        let (rowCount, rawByteCount, adler32) = (number(4), number(8), number(4))
        let (bandBytes, pixelBytes, check) = (number(8), number(8), number(4))
        guard check == Int(checksum(of: file, as: key)), bandBytes >= 0, pixelBytes >= 0, bandBytes <= file.count,
            pixelBytes == file.count - headBytes - bandBytes
        else { return nil }
        let bandEnd = headBytes + bandBytes
        let pixels = Array(file[bandEnd...])
        return KeptResult(
            band: rowCount == 0
                ? nil
                : EncodedPiece(
                    rowCount: rowCount, rawByteCount: rawByteCount, adler32: UInt32(truncatingIfNeeded: adler32),
                    bytes: Array(file[headBytes..<bandEnd])),
            pixels: pixels.isEmpty ? nil : Block(id: BlockID(hashing: pixels), frame: pixels))
    }

    /// The checksum of the key, so that no file is taken for another, and of all of the file but the checksum itself.
    private static func checksum(of file: [UInt8], as key: BlockID) -> UInt32 {
        let name = key.digest
        var crc = Checksum.crc32(of: name, name.startIndex..<name.endIndex)
        crc = Checksum.crc32(of: file, magic.count..<(headBytes - 4), continuing: crc)
        return Checksum.crc32(of: file, headBytes..<file.count, continuing: crc)
    }
}
