package import Glibc

/// An address of a host, with a port.
package struct HostAddress: Hashable, Sendable {
    /// Without a port: `127.0.0.1`, `::1`, `fe80::1%eth0`.
    package let host: String
    /// A number, or `*`.
    package let port: String
    package let family: Int32
    /// A `sockaddr` of that family.
    private var bytes: [UInt8]

    /// `127.0.0.1:5570`, `[::1]:5570`.
    package var text: String { "\(Self.bracketed(host)):\(port)" }

    /// A host as it stands before a port: IPv6 addresses in brackets.
    package static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// The other way round.
    package static func unbracketed(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    private init?(_ address: UnsafePointer<sockaddr>, length: Int, port: String) {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.host = host
        self.port = port
        family = Int32(address.pointee.sa_family)
        bytes = [UInt8](UnsafeRawBufferPointer(start: address, count: length))
    }

    /// The addresses of a network interface; empty if there is no such interface. Link-local addresses are omitted,
    /// because a peer would have to name its own interface to connect.
    package static func all(ofInterface name: String, port: String) -> [HostAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [HostAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, String(cString: entry.ifa_name) == name else { continue }
            let length =
                switch Int32(address.pointee.sa_family) {
                case AF_INET: MemoryLayout<sockaddr_in>.size
                case AF_INET6: MemoryLayout<sockaddr_in6>.size
                default: 0
                }
            if length > 0, let found = HostAddress(address, length: length, port: port),
                !found.host.contains("%"), !addresses.contains(found)
            {
                addresses.append(found)
            }
        }
        return addresses
    }

    /// The addresses of a name, in the resolver's order; empty if it has none or the resolver takes too long.
    ///
    /// - Parameter port: a number, or `*`.
    package static func all(of host: String, port: String, waitingAtMost milliseconds: Int) -> [HostAddress] {
        // The resolver may ask servers that do not answer, and cannot be cancelled. The caller continues without it.
        let found = Answer<[HostAddress]>()
        do {
            try PosixThread("resolver") { found.give(resolve(host, port: port)) }.detach()
        } catch {
            // If no thread can be started, wait for the resolver.
            return resolve(host, port: port)
        }
        return found.wait(milliseconds: milliseconds) ?? []
    }

    private static func resolve(_ host: String, port: String) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        // * stands for all addresses of this machine.
        hints.ai_flags = AI_PASSIVE
        guard getaddrinfo(host == "*" ? nil : host, port == "*" ? "0" : port, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [HostAddress] = []
        var next = list
        while let info = next {
            if let sockaddr = info.pointee.ai_addr,
                let address = HostAddress(sockaddr, length: Int(info.pointee.ai_addrlen), port: port),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            next = info.pointee.ai_next
        }
        return addresses
    }

    /// Where a program listens that is told to listen at a host. A name stands for those of its addresses that belong to
    /// this machine, a network interface for all its addresses.
    ///
    /// - Returns: why there is none, as what follows the name: `has no address`.
    package static func toListen(at host: String, port: String) -> Result<[HostAddress], ListeningFailure> {
        let interface = all(ofInterface: host, port: port)
        if !interface.isEmpty { return .success(interface) }
        let addresses = all(of: host, port: port, waitingAtMost: 10_000)
        let own = addresses.filter(\.isOfThisMachine)
        guard own.isEmpty else { return .success(own) }
        return .failure(ListeningFailure(text: addresses.isEmpty ? "has no address" : "is not this machine"))
    }

    /// Why this machine cannot listen at a host.
    package struct ListeningFailure: Error {
        package var text: String
    }

    /// Whether only this machine's programs reach it.
    package var isLoopback: Bool {
        switch family {
        case AF_INET: host.hasPrefix("127.")
        default: host == "::1" || host.hasPrefix("::ffff:127.")
        }
    }

    /// Passes the address with another port.
    package func withAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        var changed = self
        // The port is behind the family in the addresses of both.
        (changed.bytes[2], changed.bytes[3]) = (UInt8(port >> 8), UInt8(port & 0xFF))
        return changed.withAddress { address, _ in body(address) }
    }

    private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            // The length is that of the family, because getaddrinfo made the bytes.
            body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    private func openSocket() -> Int32 {
        socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// Whether it is an address of this machine.
    package var isOfThisMachine: Bool {
        let descriptor = openSocket()
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withAddress { Glibc.bind(descriptor, $0, $1) } == 0 || errno == EADDRINUSE || errno == EACCES
    }

    /// The first of several addresses that accepts connections, if that is known in time.
    package static func answering(_ addresses: [HostAddress], waitingAtMost milliseconds: Int32) -> HostAddress? {
        var tries: [pollfd] = []
        defer { for one in tries where one.fd >= 0 { close(one.fd) } }
        for address in addresses {
            let descriptor = address.openSocket()
            let isUnderWay =
                descriptor >= 0
                && (address.withAddress { connect(descriptor, $0, $1) } == 0 || errno == EINPROGRESS)
            if !isUnderWay, descriptor >= 0 { close(descriptor) }
            tries.append(pollfd(fd: isUnderWay ? descriptor : -1, events: Int16(POLLOUT), revents: 0))
        }
        // A refused connection is reported soon, and left out of the next wait.
        for _ in addresses where tries.contains(where: { $0.fd >= 0 }) {
            guard poll(&tries, nfds_t(tries.count), milliseconds) > 0 else { return nil }
            for index in tries.indices where tries[index].fd >= 0 && tries[index].revents != 0 {
                var error: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                if getsockopt(tries[index].fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error == 0 {
                    return addresses[index]
                }
                close(tries[index].fd)
                tries[index].fd = -1
            }
        }
        return nil
    }
}
