import InkEngine

/// HMAC with SHA-256 (RFC 2104).
enum HMAC {
    private static let blockBytes = 64

    static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > blockBytes ? SHA256.digest(key) : key
        let padded = short + [UInt8](repeating: 0, count: blockBytes - short.count)
        let inner = SHA256.digest(padded.map { $0 ^ 0x36 } + message)
        return SHA256.digest(padded.map { $0 ^ 0x5C } + inner)
    }
}
