import Glibc
import InkSystem

/// Why a key cannot be used. `description` is one line that a person can act on.
public enum KeyError: Error, Hashable, Sendable {
    case file(path: String, operation: String, errno: Int32)
    case exists(path: String)
    case malformed(path: String, reason: String)
    /// Other users may read a secret key.
    case exposed(path: String)
    case wrongRole(path: String, found: KeyRole, expected: KeyRole)
    /// A file with only a public key where a secret key is needed.
    case noSecret(path: String)
    case badName(String)
    /// libzmq could not generate a key pair.
    case notMade(ProtocolError)
}

extension KeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let path, let operation, let errno):
            "\(path): cannot \(operation): \(String(cString: strerror(errno)))"
        case .exists(let path): "\(path): already exists; keys are never replaced, remove it or choose another name"
        case .malformed(let path, let reason): "\(path): is not a key file: \(reason)"
        case .exposed(let path):
            "\(path): other users can read this secret key; run \"chmod 600\" on it and make a new one"
        case .wrongRole(let path, let found, let expected):
            "\(path): is the key of a \(found.rawValue), a \(expected.rawValue)'s is needed"
        case .noSecret(let path): "\(path): holds a public key only, the secret one (.key) is needed"
        case .badName(let name):
            "\"\(name)\" cannot name a key: use letters, digits, \"-\", \"_\" and \".\", at most 64, no \".\" first"
        case .notMade(let error): "\(error)"
        }
    }
}

extension KeyError {
    /// Runs `body` and reports its failure as a problem with the file.
    fileprivate static func wrapping<T>(_ body: () throws(SystemFailure) -> T) throws(KeyError) -> T {
        do throws(SystemFailure) {
            return try body()
        } catch {
            throw .file(path: error.place, operation: error.operation, errno: error.errno)
        }
    }
}

/// A key file: lines of `name = value`; `#` starts a comment.
///
///     # ink public key
///     role = worker
///     name = render-1
///     public = ...40 characters...
///     secret = ...40 characters...     (only in NAME.key)
public struct KeyFile: Hashable, Sendable {
    public let role: KeyRole
    /// The owner's name in messages.
    public let name: String
    public let publicKey: String
    /// nil in a file with only the public key.
    public let secretKey: String?

    /// nil if only the public half is known.
    public var pair: CurveKeyPair? { secretKey.flatMap { CurveKeyPair(publicKey: publicKey, secretKey: $0) } }

    private static let bytesMax = 4096

    /// Reads a key file. A file with a secret key must not be readable by others.
    ///
    /// - Throws: `malformed`, `exposed`, `file`.
    public static func read(path: String) throws(KeyError) -> KeyFile {
        let file = try KeyError.wrapping { () throws(SystemFailure) in
            try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK, operation: "open")
        }
        let status = try KeyError.wrapping { () throws(SystemFailure) in try file.status() }
        guard status.kind == .regular else {
            throw .malformed(path: path, reason: "it is not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        let count = try KeyError.wrapping { () throws(SystemFailure) in try file.read(into: &bytes) }
        guard count <= bytesMax else { throw .malformed(path: path, reason: "it is longer than \(bytesMax) bytes") }
        let key = try parse(Array(bytes[..<count]), path: path)
        // The group may read it: service managers pass secrets to services in this way.
        if key.secretKey != nil, status.mode & 0o027 != 0 { throw .exposed(path: path) }
        return key
    }

    /// Reads a secret key of that role.
    ///
    /// - Throws: the errors of `read`, `wrongRole`, `noSecret`.
    public static func secret(path: String, role: KeyRole) throws(KeyError) -> (name: String, pair: CurveKeyPair) {
        let key = try read(path: path)
        guard key.role == role else { throw .wrongRole(path: path, found: key.role, expected: role) }
        guard key.secretKey != nil else { throw .noSecret(path: path) }
        guard let pair = key.pair else { throw .malformed(path: path, reason: "its two halves do not belong together") }
        return (key.name, pair)
    }

    /// Reads a public key of that role.
    ///
    /// - Throws: the errors of `read`, `wrongRole`.
    public static func publicKey(path: String, role: KeyRole) throws(KeyError) -> KeyFile {
        let key = try read(path: path)
        guard key.role == role else { throw .wrongRole(path: path, found: key.role, expected: role) }
        return key
    }

    static func parse(_ bytes: [UInt8], path: String) throws(KeyError) -> KeyFile {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed(path: path, reason: "it is not text")
        }
        var values: [String: String] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let equals = line.firstIndex(of: "=") else {
                throw .malformed(path: path, reason: "a line is not \"name = value\"")
            }
            let name = line[..<equals].trimmed
            guard ["role", "name", "public", "secret"].contains(name), values[name] == nil else {
                throw .malformed(path: path, reason: "\"\(name)\" is unknown or there twice")
            }
            values[name] = line[line.index(after: equals)...].trimmed
        }
        guard let role = values["role"].flatMap({ KeyRole(rawValue: $0) }) else {
            throw .malformed(path: path, reason: "its role is not broker, worker or client")
        }
        guard let name = values["name"], isName(name) else {
            throw .malformed(path: path, reason: "it has no good name")
        }
        guard let publicKey = values["public"], CurveKeyPair.isKey(publicKey) else {
            throw .malformed(path: path, reason: "its public key is not 40 characters of Z85")
        }
        if let secret = values["secret"], !CurveKeyPair.isKey(secret) {
            throw .malformed(path: path, reason: "its secret key is not 40 characters of Z85")
        }
        return KeyFile(role: role, name: name, publicKey: publicKey, secretKey: values["secret"])
    }

    /// Generates a key pair: `folder/NAME.key` (mode 0600) and `folder/NAME.pub`. Returns their paths.
    ///
    /// - Throws: `badName`, `notMade`, `exists`, `file`.
    public static func generate(
        name: String, role: KeyRole, folder: String
    ) throws(KeyError) -> (secret: String, public: String) {
        guard isName(name) else { throw .badName(name) }
        let pair: CurveKeyPair
        do throws(ProtocolError) { pair = try .generate() } catch { throw .notMade(error) }
        let (secret, open) = ("\(folder)/\(name).key", "\(folder)/\(name).pub")
        let lines = "role = \(role.rawValue)\nname = \(name)\npublic = \(pair.publicKey)\n"
        // Writes both or neither, because one is useless without the other.
        if access(open, F_OK) == 0 { throw .exists(path: open) }
        try write(
            "# ink secret key: whoever has it is \(name)\n\(lines)secret = \(pair.secretKey)\n", to: secret, 0o600)
        do throws(KeyError) {
            try write("# ink public key\n\(lines)", to: open, 0o644)
        } catch {
            unlink(secret)
            throw error
        }
        return (secret, open)
    }

    private static func write(_ text: String, to path: String, _ mode: UInt32) throws(KeyError) {
        do throws(SystemFailure) {
            let file = try FileDescriptor(
                opening: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode, operation: "create")
            do throws(SystemFailure) {
                try file.write(Array(text.utf8))
                try file.sync()
            } catch {
                unlink(path)
                throw error
            }
        } catch {
            throw error.errno == EEXIST
                ? .exists(path: path) : .file(path: error.place, operation: error.operation, errno: error.errno)
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || [45, 46, 95].contains($0)
            }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
