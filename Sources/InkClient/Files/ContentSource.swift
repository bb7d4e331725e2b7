import Glibc
import InkEngine
public import InkProtocol
import InkSystem

/// The bytes of a content as they are sent.
public enum ContentSource: Hashable, Sendable {
    case bytes([UInt8])
    /// Read piece by piece when the broker requests it. A file that has changed by then is not sent.
    case file(path: String, FileStamp)

    var byteCount: UInt64 {
        switch self {
        case .bytes(let bytes): UInt64(bytes.count)
        case .file(_, let stamp): stamp.byteCount
        }
    }
}

/// Identifies the state of a file, to detect changes.
public struct FileStamp: Hashable, Sendable {
    private let status: FileStatus
    var byteCount: UInt64 { UInt64(status.byteCount) }

    init(_ status: FileStatus) { self.status = status }
}

/// A content with its name: the source for a submission, and the place of its bytes.
public struct PreparedContent: Hashable, Sendable {
    /// For `Submission.source`.
    public let source: ProjectSource
    /// For `FarmClient.submit`.
    public let content: ContentSource

    /// These bytes without change, 1 to `ProtocolLimits.contentBytes` of them.
    public init(bytes: [UInt8], encoding: ContentEncoding = .plain) {
        source = .content(ContentID(digest: SHA256.digest(bytes)), byteCount: UInt64(bytes.count), encoding)
        content = .bytes(bytes)
    }

    /// A file without change. It is read once now, to compute its name, and again when the broker requests it; it is
    /// not held in memory.
    ///
    /// - Throws: `file` and `contentSize`.
    public init(file path: String) throws(ClientError) {
        let (file, stamp) = try ContentSource.open(path)
        guard stamp.byteCount > 0, stamp.byteCount <= ProtocolLimits.contentBytes else {
            throw .contentSize(path: path, found: stamp.byteCount, limit: ProtocolLimits.contentBytes)
        }
        let digest = SHA256()
        var offset = 0
        while offset < stamp.byteCount {
            let count = min(1 << 20, Int(stamp.byteCount) - offset)
            digest.update(
                try ClientError.wrapping { () throws(SystemFailure) in try file.read(count, at: offset) })
            offset += count
        }
        source = .content(ContentID(digest: digest.finish()), byteCount: stamp.byteCount, .plain)
        content = .file(path: path, stamp)
    }
}

extension ContentSource {
    /// Reads some of the bytes; fails with a reason for people.
    func read(offset: UInt64, byteCount: Int) -> Result<[UInt8], ContentFailure> {
        switch self {
        case .bytes(let bytes): return .success(Array(bytes[Int(offset)..<(Int(offset) + byteCount)]))
        case .file(let path, let stamp):
            do throws(ClientError) {
                let (file, before) = try Self.open(path)
                if before == stamp {
                    let piece = try ClientError.wrapping { () throws(SystemFailure) in
                        try file.read(byteCount, at: Int(offset))
                    }
                    if try Self.stamp(of: file, path) == stamp { return .success(piece) }
                }
                return .failure(.changed(path: path))
            } catch {
                return .failure(.unreadable(error))
            }
        }
    }
    /// Opens a regular file.
    fileprivate static func open(_ path: String) throws(ClientError) -> (FileDescriptor, FileStamp) {
        // Nonblocking, so that a pipe without a writer does not block the thread.
        let file = try ClientError.wrapping { () throws(SystemFailure) in
            try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK, operation: "open")
        }
        return (file, try stamp(of: file, path))
    }

    private static func stamp(of file: FileDescriptor, _ path: String) throws(ClientError) -> FileStamp {
        let status = try ClientError.wrapping { () throws(SystemFailure) in try file.status() }
        guard status.kind == .regular else {
            throw .file(path: path, operation: "read", errno: status.isFolder ? EISDIR : ESPIPE)
        }
        return FileStamp(status)
    }
}
