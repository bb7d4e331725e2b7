import Glibc
import InkSystem

/// An address to bind or connect to: `tcp://host:port`, `ipc://path`, `inproc://name`.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The form that ZeroMQ accepts.
    public let text: String
    public var description: String { text }

    /// - Throws: `badValue`, with a reason for people, for anything else.
    public init(_ text: String) throws(ProtocolError) {
        func bad(_ expected: String) -> ProtocolError {
            .badValue(what: "endpoint", offset: 0, found: text.debugDescription, expected: expected)
        }
        self.text = text
        guard !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else { throw bad("no blanks") }
        if text.hasPrefix("inproc://") || text.hasPrefix("ipc://") {
            guard text.split(separator: "/", omittingEmptySubsequences: true).count >= 2 else { throw bad("a name") }
            return
        }
        guard text.hasPrefix("tcp://") else { throw bad("tcp://HOST:PORT, ipc://PATH or inproc://NAME") }
        guard let (host, port) = Self.split(text.dropFirst(6)), !host.isEmpty else { throw bad("tcp://HOST:PORT") }
        guard port == "*" || UInt16(port) != nil else { throw bad("a port from 0 to 65535") }
    }

    /// Whether it can be reached only from this machine.
    public var isLocal: Bool {
        guard text.hasPrefix("tcp://"), let (host, _) = Self.split(text.dropFirst(6)) else { return true }
        if host == "localhost" || host == "[::1]" || host == "::1" { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }

    private static func split(_ address: Substring) -> (host: String, port: String)? {
        // `tcp://source;host:port` is not supported.
        guard !address.contains(";"), !address.contains("/"), let colon = address.lastIndex(of: ":") else { return nil }
        return (String(address[..<colon]), String(address[address.index(after: colon)...]))
    }

    /// The host name and the port if HOST is a name: neither an address nor `*`.
    var hostName: (host: String, port: String)? {
        guard text.hasPrefix("tcp://"), let (host, port) = Self.split(text.dropFirst(6)), host != "*",
            !host.hasPrefix("["), !host.contains(":")
        else { return nil }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1 ? nil : (host, port)
    }

    /// Whether HOST is the name of a host or of a network interface.
    public var listensByName: Bool { hostName != nil }

    /// The endpoints to listen on. A host name stands for those of its addresses that belong to this machine; an
    /// interface, for all its addresses.
    ///
    /// - Throws: `badValue` for a name without such an address.
    public func listeningEndpoints() throws(ProtocolError) -> [String] {
        guard let (host, port) = hostName else { return [text] }
        switch HostAddress.toListen(at: host, port: port) {
        case .success(let addresses): return addresses.map(\.endpoint)
        case .failure(let failure):
            throw .badValue(
                what: "endpoint", offset: 0, found: "\(text), to listen; \(host) \(failure.text)",
                expected: "as HOST an address, a name or a network interface of this machine, or * for all")
        }
    }

    /// Refuses an endpoint that anyone on the network could read or use.
    ///
    /// - Throws: `badValue` for an endpoint beyond this machine without keys, unless `insecure`.
    public func check(hasKeys: Bool, insecure: Bool) throws(ProtocolError) {
        guard !isLocal, !hasKeys, !insecure else { return }
        throw .badValue(
            what: "endpoint", offset: 0, found: "\(text), open to the network without keys",
            expected: "--key (see \"ink help keygen\"), a loopback address, or --insecure")
    }
}

extension HostAddress {
    /// `tcp://127.0.0.1:5570`, `tcp://[::1]:5570`.
    var endpoint: String { "tcp://\(text)" }
}
