import CSystem
import Glibc

extension FileDescriptor {
    private static let accessList = "system.posix_acl_access"
    /// Attributes that are valid only for the content that they were made for.
    private static let contentAttributes: Set = ["security.capability", "security.ima", "security.evm"]

    /// Copies owner, group, access control list and other extended attributes of the file that this one replaces, as
    /// far as the process may set them, and its permissions.
    ///
    /// Attributes that cannot be copied never widen access. If the group differs, or the list is missing, the
    /// permissions of group and others are reduced to those that each of them had before.
    ///
    /// - Parameter modeMax: permissions beyond these are removed.
    func takeAttributes(of path: String, _ old: FileStatus, modeMax: UInt32) throws(SystemFailure) {
        // Users with read permission may also have had execute permission.
        var mode = old.mode & (modeMax | (modeMax & 0o444) >> 2) & 0o777
        // If the process loses the right to change permissions in between, they are not too wide.
        setMode(mode & 0o700)
        if try !takeOwner(of: old) {
            // Members of the old group now count as others, and members of the new group counted as others before.
            let shared = mode >> 3 & mode & 0o7
            mode = mode & 0o700 | shared << 3 | shared
        }
        takeExtendedAttributes(of: path)
        if !takeAccessList(of: path) { mode &= 0o700 }
        setMode(mode)
    }

    /// Returns whether the group is now the same.
    private func takeOwner(of old: FileStatus) throws(SystemFailure) -> Bool {
        let own = try status()
        if own.owner == old.owner, own.group == old.group { return true }
        if fchown(rawValue, old.owner, old.group) == 0 { return true }
        // A user may give a file to his own groups, but not to another user.
        return own.group == old.group || fchown(rawValue, uid_t.max, old.group) == 0
    }

    private func takeExtendedAttributes(of path: String) {
        // A file system without attributes has none to lose. Attributes that are hidden or protected are not for this
        // process to keep.
        let names = Self.attribute { listxattr(path, $0, $1) } ?? []
        for bytes in names.split(separator: 0) {
            let name = String(decoding: bytes, as: UTF8.self)
            guard name != Self.accessList, !Self.contentAttributes.contains(name),
                let value = Self.attribute({ getxattr(path, name, $0, $1) })
            else { continue }
            _ = value.withUnsafeBytes { fsetxattr(rawValue, name, $0.baseAddress, $0.count, 0) }
        }
    }

    /// Returns whether both files have the same list, or none.
    private func takeAccessList(of path: String) -> Bool {
        if let list = Self.attribute({ getxattr(path, Self.accessList, $0, $1) }) {
            return list.withUnsafeBytes { fsetxattr(rawValue, Self.accessList, $0.baseAddress, $0.count, 0) == 0 }
        }
        guard errno == ENODATA || errno == ENOTSUP else { return false }
        // The folder may have given the new file a list that the old file did not have.
        return fremovexattr(rawValue, Self.accessList) == 0 || errno == ENODATA || errno == ENOTSUP
    }

    /// The result of one of the calls for extended attributes; nil, with errno set, if it fails.
    private static func attribute(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> [UInt8]? {
        while true {
            let size = call(nil, 0)
            guard size > 0 else { return size == 0 ? [] : nil }
            var bytes = [CChar](repeating: 0, count: size)
            let count = bytes.withUnsafeMutableBufferPointer { call($0.baseAddress, size) }
            if count >= 0 { return bytes[..<count].map { UInt8(bitPattern: $0) } }
            // It has grown in between.
            guard errno == ERANGE else { return nil }
        }
    }
}
