import CSystem
import Glibc

/// The status of a path.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case regular
        case folder
        case link
        case other
    }

    /// Identifies a file independently of its name.
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64
    }

    package let kind: Kind
    package let isSocket: Bool
    package let identity: Identity
    package let byteCount: Int
    /// Permissions.
    package let mode: UInt32
    package let owner: UInt32
    package let group: UInt32
    /// Nanoseconds since 1970.
    package let modifiedAt: Int64

    package var isFolder: Bool { kind == .folder }

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        byteCount = max(0, Int(status.st_size))
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
        modifiedAt = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
