import Glibc
import InkSystem

/// The peers of one role that are let in: a file `.pub`, or a folder of them.
///
/// Looked at anew at each handshake, so that a key is let in or shut out without a restart; connections that are open
/// stay. Safe to share.
public struct AllowList: Sendable {
    public let path: String
    public let role: KeyRole

    /// - Throws: `KeyError` if it cannot be read, contains a key of another role, or a file that is not a key.
    public init(path: String, role: KeyRole) throws(KeyError) {
        self.path = path
        self.role = role
        for file in try files() { _ = try KeyFile.publicKey(path: file, role: role) }
    }

    /// How many keys there are now; a folder that cannot be read has none that lets anybody in.
    public var count: Int { ((try? files()) ?? []).count }

    /// The name of the key's owner; nil if the key is not allowed. Unreadable files allow nobody.
    public func owner(of publicKey: String) -> String? {
        // Accepting a peer by mistake would be worse; refused peers are in the log.
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
            throw .file(path: path, operation: error.operation, errno: error.errno)
        }
        return names.map { String(decoding: $0, as: UTF8.self) }.filter { $0.hasSuffix(".pub") && !$0.hasPrefix(".") }
            .map { "\(path)/\($0)" }
    }
}
