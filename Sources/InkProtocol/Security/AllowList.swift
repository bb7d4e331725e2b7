import Glibc

/// The peers of one role that are let in: a file `.pub`, or a folder of them.
///
/// Looked at anew at each handshake, so that a key is let in or shut out without a restart; connections that are open
/// stay. Safe to share.
public struct AllowList: Sendable {
    public let path: String
    public let role: KeyRole

    /// - Throws: `KeyError` when it cannot be read, or holds a key of another role or a file that is no key.
    public init(path: String, role: KeyRole) throws(KeyError) {
        self.path = path
        self.role = role
        for file in try files() { _ = try KeyFile.publicKey(path: file, role: role) }
    }

    /// How many keys there are now.
    public var count: Int { ((try? files()) ?? []).count }

    /// The name of the key's owner; nil when the key is not let in. Files that cannot be read let nobody in.
    public func owner(of publicKey: String) -> String? {
        for file in (try? files()) ?? [] {
            if let key = try? KeyFile.publicKey(path: file, role: role), key.publicKey == publicKey { return key.name }
        }
        return nil
    }

    private func files() throws(KeyError) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .file(path: path, operation: "open", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
        guard let stream = opendir(path) else { throw .file(path: path, operation: "open", errno: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".pub"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted().map { "\(path)/\($0)" }
    }
}
