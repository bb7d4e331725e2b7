import Glibc
public import InkEngine
public import InkProtocol
import InkSystem

/// What is wrong with what is stored.
public enum StoreDamage: Hashable, Sendable, CustomStringConvertible {
    /// The database itself, in the words of SQLite or of who reads it.
    case database(String)
    /// A value that this program wrote cannot be read.
    case value(String, ProtocolError)

    public var description: String {
        switch self {
        case .database(let reason): reason
        case .value(let what, let cause): "\(what): \(cause)"
        }
    }
}

/// Why the store failed. `description` is one line that a person can act on.
public enum StoreError: Error, Hashable, Sendable {
    /// SQLite failed; `code` is its extended result code.
    case database(path: String, operation: String, code: Int32, message: String)
    /// The disk is full. The store is intact and continues when there is room.
    case full(path: String)
    /// Another broker runs on this data folder.
    case locked(path: String)
    /// The database was made by another version of the program, with other tables.
    case otherSchema(path: String, version: Int)
    case corrupt(path: String, StoreDamage)
    /// The quota of the data folder is used up.
    case quota(neededBytes: Int, limitBytes: Int)
    case file(path: String, operation: String, errno: Int32)
    /// Bytes that do not match the content's name.
    case wrongContent(found: ContentID, expected: ContentID)
    /// A content that differs from what was stored; it has been removed.
    case damaged(path: String)
    /// The data folder has been removed or replaced.
    case folderGone(path: String)
    /// Other users can write to the folder.
    case unsafeFolder(path: String, reason: String)

    /// Whether the disk is full.
    public var isOutOfSpace: Bool {
        switch self {
        case .full: true
        case .file(_, _, let errno): errno == ENOSPC || errno == EDQUOT
        default: false
        }
    }

    /// Whether the same operation may succeed later.
    public var isTemporary: Bool {
        switch self {
        case .full, .database: true
        // What is larger than the whole quota has no room later either.
        case .quota(let needed, let limit): needed <= limit
        case .file(_, _, let errno): [ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM].contains(errno)
        case .locked, .otherSchema, .corrupt, .wrongContent, .damaged, .folderGone, .unsafeFolder: false
        }
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .database(let path, let operation, let code, let message):
            "\(path): cannot \(operation): \(message) (SQLite code \(code))"
        case .full(let path): "\(path): the disk is full; make room (a running broker continues by itself)"
        case .locked(let path): "\(path): another broker uses this data folder"
        case .otherSchema(let path, let version):
            "\(path): was made by another version of this program (schema \(version), not \(JobStore.schemaVersion)); "
                + "use that version, or another data folder"
        case .corrupt(let path, let damage): "\(path): is damaged: \(damage); restore a backup"
        case .quota(let needed, let limit):
            "the quota of \(limit) bytes is used up, \(needed) more are needed; purge ended jobs or raise --quota"
        case .file(let path, let operation, let errno):
            "\(path): cannot \(operation): \(String(cString: strerror(errno)))"
        case .wrongContent(let found, let expected): "content \(expected) arrived as \(found)"
        case .damaged(let path):
            "\(path): is damaged: its SHA-256 is not the one that it was stored under; check the disk"
        case .folderGone(let path):
            "\(path): is no longer the folder that this broker was started with; put it back, or restart the broker"
        case .unsafeFolder(let path, let reason): "\(path): \(reason)"
        }
    }
}

extension StoreError {
    /// Runs `body` and reports its failure as a problem with the file, called `path` if that is given.
    static func wrapping<T>(
        _ path: String? = nil, _ body: () throws(SystemFailure) -> T
    ) throws(StoreError) -> T {
        do throws(SystemFailure) {
            return try body()
        } catch {
            throw .file(path: path ?? error.place, operation: error.operation, errno: error.errno)
        }
    }
}
