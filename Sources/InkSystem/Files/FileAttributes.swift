import CSystem
import Glibc

extension FileDescriptor {
    private static let accessList = "system.posix_acl_access"
    /// They vouch for the content that they were made for.
    private static let contentAttributes: Set = ["security.capability", "security.ima", "security.evm"]

    /// Takes over owner, group, access control list and other extended attributes of the file that this one replaces, where
    /// the process may set them, and its permissions.
    ///
    /// What cannot be taken over lets nobody in: where the group is another, or the list is missing, the bits for group and
    /// others are narrowed to what each of them was allowed before.
    ///
    /// - Parameter modeMax: permissions beyond these are left out.
    func takeAttributes(of path: String, _ old: FileStatus, modeMax: UInt32) throws(SystemFailure) {
        // Who may read it may also have been allowed to execute it.
        var mode = old.mode & (modeMax | (modeMax & 0o444) >> 2) & 0o777
        // Should the process lose the right to change them on the way, nothing is too wide.
        setMode(mode & 0o700)
        if try !takeOwner(of: old) {
            // Members of the old group count as others now, and members of the new one were others before.
            let shared = mode >> 3 & mode & 0o7
            mode = mode & 0o700 | shared << 3 | shared
        }
        takeExtendedAttributes(of: path)
        if !takeAccessList(of: path) { mode &= 0o700 }
        setMode(mode)
    }

    /// Returns whether the group is the same now.
    private func takeOwner(of old: FileStatus) throws(SystemFailure) -> Bool {
        let own = try status()
        if own.owner == old.owner, own.group == old.group { return true }
        if fchown(rawValue, old.owner, old.group) == 0 { return true }
        // A user may give a file to the groups that he is in, not to another user.
        return own.group == old.group || fchown(rawValue, uid_t.max, old.group) == 0
    }

    private func takeExtendedAttributes(of path: String) {
        // A file system without any has none to lose; one that is not shown or may not be set is not this process's to keep.
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
        // A folder may have given its new file a list that the old one did not have.
        return fremovexattr(rawValue, Self.accessList) == 0 || errno == ENODATA || errno == ENOTSUP
    }

    /// What one of the calls for extended attributes gives; nil, with its error number, when it fails.
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
