import Glibc
import InkSystem

/// The allowed peers of one role: a `.pub` file, or a folder of them.
///
/// Read again at each handshake, so keys can be added and removed without a restart. Open connections stay open. Safe
/// to share.
public struct AllowList: Sendable {
    public let path: String
    public let role: KeyRole

    /// - Throws: `KeyError` if it cannot be read, contains a key of another role, or contains a file that is not a key.
    public init(path: String, role: KeyRole) throws(KeyError) {
        self.path = path
        self.role = role
        for file in try files() { _ = try KeyFile.publicKey(path: file, role: role) }
    }

    /// The current number of keys. A folder that cannot be read contains no valid key.
    public var count: Int { ((try? files()) ?? []).count }

    /// The name of the key's owner; nil if the key is not allowed. Unreadable files allow nobody.
    public func owner(of publicKey: String) -> String? {
        // Accepting a peer by mistake would be worse. Refused peers appear in the log.
        for file in (try? files()) ?? [] {
            if let key = try? KeyFile.publicKey(path: file, role: role), key.publicKey == publicKey { return key.name }
        }
        return nil
    }

    private func files() throws(KeyError) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .file(path: path, operation: "open", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
        let names: [[UInt8]]
        do throws(SystemFailure) {
            names = try FileSystem.names(in: path)
        } catch {
            throw .file(path: error.place, operation: error.operation, errno: error.errno)
        }
        return names.map { String(decoding: $0, as: UTF8.self) }.filter { $0.hasSuffix(".pub") && !$0.hasPrefix(".") }
            .map { "\(path)/\($0)" }
    }
}
