import InkEngine
import InkProtocol
import Glibc
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
    /// send requests here under their name. As `name(of:)` gives them.
    var hosts: Set<String>

    static let localHosts: Set<String> = ["localhost", "127.0.0.1", "::1"]

    func check(_ request: HTTPRequest) -> Problem? {
        guard let host = request.header("host") else {
            return .malformed("the header Host is missing; HTTP/1.1 demands it, as in Host: 127.0.0.1:8080")
        }
        // With tokens a foreign name is of no use to a page: it has no token.
        if tokens.isEmpty, !hosts.contains(Self.name(of: host)) {
            let known = hosts.sorted().map(HostAddress.bracketed).joined(separator: ", ")
            return Problem(
                403, "Forbidden",
                "this server is not known as \(host.prefix(256)); ask for it as one of \(known), or start ink broker with "
                    + "--http-host \(Self.name(of: host).prefix(256))")
        }
        guard request.method != "GET", request.method != "HEAD" else { return nil }
        // Browsers say where a request that changes something comes from.
        if let site = request.header("sec-fetch-site"), site != "same-origin", site != "none" {
            return .otherSite
        }
        if let origin = request.header("origin") {
            let authority = origin.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first
            guard let authority, authority.lowercased() == host.lowercased() else {
                return .otherSite
            }
        }
        return nil
    }

    /// The name in a Host header, in one spelling: small letters, without port, brackets, zone, or dot at the end.
    static func name(of host: String) -> String {
        let lower = host.lowercased()
        var name = lower.prefix { $0 != ":" }
        if lower.hasPrefix("[") {
            name = lower.dropFirst().prefix { $0 != "]" }
        } else if lower.count(where: { $0 == ":" }) > 1 {
            name = lower[...]
        }
        guard name.contains(":") else { return String(name.hasSuffix(".") ? name.dropLast() : name) }
        name = name.prefix { $0 != "%" }
        var bytes = in6_addr()
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(AF_INET6, String(name), &bytes) == 1,
            inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count)) != nil
        else { return String(name) }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// - Throws: 401 without a valid token, 403 if its role does not suffice.
    func caller(_ request: HTTPRequest, needs role: AccessRole) throws(Problem) -> Caller {
        if tokens.isEmpty { return Caller(name: "http", role: .operate) }
        let challenge = [(name: "WWW-Authenticate", value: "Bearer realm=\"ink\"")]
        guard let header = request.header("authorization") else {
            throw Problem(
                401, "Unauthorized", "a token is needed: send Authorization: Bearer TOKEN; ink keygen --http makes one",
                headers: challenge)
        }
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw Problem(
                401, "Unauthorized",
                "the header Authorization is not \"Bearer TOKEN\"; ink keygen --http makes a token", headers: challenge)
        }
        // Digests are compared, so that the time tells nothing of the token.
        let digest = SHA256.digest(Array(words[1].utf8))
        guard let token = tokens.first(where: { $0.digest == digest }) else {
            throw Problem(
                401, "Unauthorized", "the token is not in the broker's file of --http-tokens; ask who runs it for one",
                headers: challenge)
        }
        guard token.role >= role else {
            throw Problem(
                403, "Forbidden",
                "this needs a token with the role \(role.rawValue), and \(token.name) has \(token.role.rawValue)")
        }
        return Caller(name: token.name, role: token.role)
    }
}

extension Problem {
    fileprivate static var otherSite: Problem {
        Problem(
            403, "Forbidden",
            "a page of another site sends this, which only the dashboard's own pages may; send it by a program, without Origin"
        )
    }
}
