import InkEngine
import InkProtocol
import InkSystem

/// What a token allows; each role includes those before it.
package enum AccessRole: String, Comparable, Sendable, CaseIterable {
    case read, submit, operate

    package static func < (a: AccessRole, b: AccessRole) -> Bool {
        (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
    }
}

/// A bearer token's holder. The token itself is not stored.
package struct AccessToken: Hashable, Sendable {
    package var name: String
    package var role: AccessRole
    /// SHA-256 of the token; it is random, so that nothing has to be added.
    package var digest: [UInt8]

    private static let prefix = "ink_"

    /// Makes a token of 32 random bytes: the text that its holder keeps, and what is stored.
    package static func make(name: String, role: AccessRole) -> (text: String, token: AccessToken) {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = prefix + bytes.hexadecimal
        return (text, AccessToken(name: name, role: role, digest: SHA256.digest(Array(text.utf8))))
    }

    /// `NAME ROLE DIGEST`.
    package var line: String { "\(name) \(role.rawValue) \(digest.hexadecimal)" }

    /// The tokens of a file, a line each; empty lines and those that begin with # do not count.
    ///
    /// - Throws: `configuration` with the line.
    package static func read(_ text: String, file: String) throws(GatewayError) -> [AccessToken] {
        var tokens: [AccessToken] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard words.count == 3, let role = AccessRole(rawValue: String(words[1])),
                let digest = [UInt8](hexadecimal: String(words[2])), digest.count == 32
            else {
                throw .configuration(
                    "\(file), line \(index + 1): not a name, a role (read, submit, operate) and the digest of a token")
            }
            tokens.append(AccessToken(name: String(first), role: role, digest: digest))
        }
        return tokens
    }
}

extension [UInt8] {
    /// nil unless there are two hexadecimal digits a byte.
    init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = (0..<digits.count / 2).map { (byte: Int) -> UInt8 in
            UInt8(digits[2 * byte] << 4 | digits[2 * byte + 1])
        }
    }
}

/// Who a request comes from.
struct Caller: Sendable {
    var name: String
    var role: AccessRole
}

/// Decides who may ask for what.
struct AccessRules: Sendable {
    /// Empty: everybody may do everything; only for loopback.
    var tokens: [AccessToken]
    /// The names by which the server is reached; others are refused, because pages of other sites can make a browser
    /// send requests here under their name. Small letters, without ports.
    var hosts: Set<String>

    static let localHosts: Set<String> = ["localhost", "127.0.0.1", "[::1]", "::1"]

    func check(_ request: HTTPRequest) -> Problem? {
        guard let host = request.header("host") else { return .malformed("the header Host is missing") }
        // With tokens a foreign name is of no use to a page: it has no token.
        if tokens.isEmpty, !hosts.contains(Self.name(of: host)) {
            return Problem(
                403, "Forbidden", "this server is not \(host.prefix(256)) (see --http-host of ink broker)")
        }
        guard request.method != "GET", request.method != "HEAD" else { return nil }
        // Browsers say where a request that changes something comes from.
        if let site = request.header("sec-fetch-site"), site != "same-origin", site != "none" {
            return Problem(403, "Forbidden", "requests of other sites are not taken")
        }
        if let origin = request.header("origin") {
            let authority = origin.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first
            guard let authority, authority.lowercased() == host.lowercased() else {
                return Problem(403, "Forbidden", "requests of other sites are not taken")
            }
        }
        return nil
    }

    /// The name in a Host header, without the port.
    private static func name(of host: String) -> String {
        let lower = host.lowercased()
        if lower.hasPrefix("["), let end = lower.firstIndex(of: "]") { return String(lower[...end]) }
        return String(lower.prefix { $0 != ":" })
    }

    /// - Throws: 401 without a valid token, 403 if its role does not suffice.
    func caller(_ request: HTTPRequest, needs role: AccessRole) throws(Problem) -> Caller {
        if tokens.isEmpty { return Caller(name: "http", role: .operate) }
        let challenge = [(name: "WWW-Authenticate", value: "Bearer realm=\"ink\"")]
        guard let header = request.header("authorization") else {
            throw Problem(401, "Unauthorized", "a bearer token is needed (see ink keygen --http)", headers: challenge)
        }
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw Problem(401, "Unauthorized", "the header Authorization is not \"Bearer TOKEN\"", headers: challenge)
        }
        // Digests are compared, so that the time tells nothing of the token.
        let digest = SHA256.digest(Array(words[1].utf8))
        guard let token = tokens.first(where: { $0.digest == digest }) else {
            throw Problem(401, "Unauthorized", "the token is not known here", headers: challenge)
        }
        guard token.role >= role else {
            throw Problem(
                403, "Forbidden", "this needs the role \(role.rawValue), and \(token.name) has \(token.role.rawValue)")
        }
        return Caller(name: token.name, role: token.role)
    }
}
