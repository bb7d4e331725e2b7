import CZeroMQ

/// A CurveZMQ key pair (RFC 26), each half as 40 characters of Z85 (RFC 32).
public struct CurveKeyPair: Hashable, Sendable {
    public let publicKey: String
    public let secretKey: String

    /// - Throws: `transport` if the library was built without CURVE.
    public static func generate() throws(ProtocolError) -> CurveKeyPair {
        var publicKey = [CChar](repeating: 0, count: 41)
        var secretKey = [CChar](repeating: 0, count: 41)
        guard zmq_curve_keypair(&publicKey, &secretKey) == 0 else { throw .zeroMQ("make a key pair") }
        return CurveKeyPair(Self.text(publicKey), Self.text(secretKey))
    }

    /// nil if the halves do not belong together or are not keys.
    public init?(publicKey: String, secretKey: String) {
        guard Self.isKey(publicKey), Self.isKey(secretKey) else { return nil }
        var derived = [CChar](repeating: 0, count: 41)
        guard zmq_curve_public(&derived, secretKey) == 0, Self.text(derived) == publicKey else { return nil }
        self.init(publicKey, secretKey)
    }

    private init(_ publicKey: String, _ secretKey: String) {
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a text is 40 characters that encode 32 bytes.
    public static func isKey(_ text: String) -> Bool {
        guard text.utf8.count == 40, !text.utf8.contains(0) else { return false }
        var bytes = [UInt8](repeating: 0, count: 32)
        return zmq_z85_decode(&bytes, text) != nil
    }

    /// The text for the 32 bytes of a key; nil for any other number of bytes.
    static func text(ofKey bytes: [UInt8]) -> String? {
        guard bytes.count == 32 else { return nil }
        var characters = [CChar](repeating: 0, count: 41)
        guard zmq_z85_encode(&characters, bytes, bytes.count) != nil else { return nil }
        return text(characters)
    }
}

/// What a key's owner may do.
public enum KeyRole: String, Hashable, Sendable, CaseIterable {
    case broker
    /// Accepts tasks; cannot submit jobs.
    case worker
    /// Submits jobs; cannot accept tasks.
    case client
}

/// How a socket authenticates itself and its peers.
public enum SocketSecurity: Hashable, Sendable {
    /// Accepts only peers that the process's `Authenticator` admits to the domain.
    case server(CurveKeyPair, domain: String)
    /// `serverKey`: the public key of the only server that is trusted.
    case client(CurveKeyPair, serverKey: String)
}
