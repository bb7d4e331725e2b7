import CSystem
import Glibc
import InkEngine
public import InkProtocol

/// Where the bytes of a content are, as they travel.
public enum ContentSource: Hashable, Sendable {
    case bytes([UInt8])
    /// Read piece by piece when the broker asks. A file that has changed by then is not sent.
    case file(path: String, FileStamp)

    var byteCount: UInt64 {
        switch self {
        case .bytes(let bytes): UInt64(bytes.count)
        case .file(_, let stamp): stamp.byteCount
        }
    }
}

/// Tells whether a file is still the one that was looked at.
public struct FileStamp: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var byteCount: UInt64
    var modifiedSeconds: Int64
    var modifiedNanoseconds: Int64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        byteCount = UInt64(max(0, status.st_size))
        modifiedSeconds = Int64(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
    }
}

/// A content with its name: what a submission says of it, and where its bytes are.
public struct PreparedContent: Hashable, Sendable {
    /// For `Submission.source`.
    public let source: ProjectSource
    /// For `FarmClient.submit`.
    public let content: ContentSource

    /// These bytes as they are, 1 to `ProtocolLimits.contentBytes` of them.
    public init(bytes: [UInt8], encoding: ContentEncoding = .plain) {
        source = .content(ContentID(digest: SHA256.digest(bytes)), byteCount: UInt64(bytes.count), encoding)
        content = .bytes(bytes)
    }

    /// A file as it is. It is read once now, for its name, and again when the broker asks for it; it is not held in
    /// memory.
    ///
    /// Throws `file` and `contentSize`.
    public init(file path: String) throws(ClientError) {
        let file = try OpenFile(reading: path)
        let stamp = try file.stamp()
        guard stamp.byteCount > 0, stamp.byteCount <= ProtocolLimits.contentBytes else {
            throw .contentSize(path: path, found: stamp.byteCount, limit: ProtocolLimits.contentBytes)
        }
        let digest = SHA256()
        var offset: UInt64 = 0
        while offset < stamp.byteCount {
            let piece = try file.read(Int(min(1 << 20, stamp.byteCount - offset)), at: offset)
            digest.update(piece)
            offset += UInt64(piece.count)
        }
        source = .content(ContentID(digest: digest.finish()), byteCount: stamp.byteCount, .plain)
        content = .file(path: path, stamp)
    }
}

extension ContentSource {
    /// Some of the bytes; fails with a reason for a person.
    func read(offset: UInt64, byteCount: Int) -> Result<[UInt8], ContentFailure> {
        switch self {
        case .bytes(let bytes): return .success(Array(bytes[Int(offset)..<(Int(offset) + byteCount)]))
        case .file(let path, let stamp):
            do throws(ClientError) {
                let file = try OpenFile(reading: path)
                let piece = try file.read(byteCount, at: offset)
                guard try file.stamp() == stamp else {
                    return .failure(ContentFailure(reason: "\(path) has changed since it was submitted"))
                }
                return .success(piece)
            } catch {
                return .failure(ContentFailure(reason: "\(error)"))
            }
        }
    }
}
