import CMicroHTTP
import CSystem
import Glibc
package import InkSystem
import Synchronization

/// The bounds of a server.
package struct HTTPServerLimits: Sendable {
    /// Each has a thread.
    package var connections = 512
    /// A connection on which nothing moves for so long is closed.
    package var idleSeconds = 30
    /// A connection on which the head of a request has not arrived so long after the last one was answered is closed.
    package var headSeconds = 60
    /// The most bytes of a request's line and headers.
    package var headBytes = 192 << 10

    package init() {}
}

/// An HTTP/1.1 server: libmicrohttpd with a thread for each connection, so that handlers may wait.
package final class HTTPServer: Sendable {
    private let headers: [(name: String, value: String)]
    private let handler: @Sendable (HTTPRequest) -> HTTPIntake
    private let streams = Mutex<[ObjectIdentifier: any HTTPStream]>([:])
    /// One for each address.
    private let daemons = Mutex<[Daemon]>([])
    private let counts = Mutex<[Answer: Int]>([:])
    private let heads: HeadWatch
    private let limits: HTTPServerLimits

    private struct Daemon: @unchecked Sendable {
        var handle: OpaquePointer
    }

    /// A kind of answer, by which requests are counted.
    package struct Answer: Hashable, Sendable {
        package var method: String
        package var status: Int
    }

    /// - Parameters:
    ///   - headers: of all answers.
    ///   - handler: called on a connection's thread when the head of a request has arrived.
    package init(
        headers: [(name: String, value: String)], limits: HTTPServerLimits = HTTPServerLimits(),
        handler: @escaping @Sendable (HTTPRequest) -> HTTPIntake
    ) {
        self.headers = headers
        self.limits = limits
        heads = HeadWatch(seconds: limits.headSeconds)
        self.handler = handler
    }

    deinit { stop() }

    /// Listens at each of these addresses; returns the port.
    ///
    /// - Parameters:
    ///   - addresses: at least one.
    ///   - port: 0: one that the system chooses, the same for all.
    /// - Throws: if it cannot listen at one of them; then it listens at none.
    package func start(_ addresses: [HostAddress], port: UInt16) throws(SystemFailure) -> UInt16 {
        var port = port
        for address in addresses {
            do throws(SystemFailure) {
                port = try listen(address, port: port, connections: max(1, limits.connections / addresses.count))
            } catch {
                stop()
                throw error
            }
        }
        try heads.start()
        return port
    }

    private func listen(_ address: HostAddress, port: UInt16, connections: Int) throws(SystemFailure) -> UInt16 {
        var settings = ink_http_settings()
        var flags = MHD_USE_THREAD_PER_CONNECTION.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue
        flags |= MHD_USE_POLL.rawValue
        if address.family == AF_INET6 { flags |= MHD_USE_IPv6.rawValue }
        settings.flags = flags
        settings.connections_max = UInt32(connections)
        settings.idle_seconds = UInt32(limits.idleSeconds)
        settings.memory_bytes = limits.headBytes
        settings.stack_bytes = 2 << 20
        settings.context = Unmanaged.passUnretained(self).toOpaque()
        settings.handle = { context, connection, url, method, _, data, count, state in
            guard let context, let connection, let url, let method, let count, let state else { return ink_http_no }
            let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
            return server.handle(connection, url, method, data, count, state)
        }
        settings.completed = { context, connection, state, _ in
            guard let context, let connection, let pointer = state?.pointee else { return }
            let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
            let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
            server.end(exchange)
            server.heads.expect(connection)
            state?.pointee = nil
        }
        settings.connected = { context, connection, _, code in
            guard let context, let connection else { return }
            let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
            if code == ink_http_opened {
                server.heads.expect(connection)
            } else {
                server.heads.forget(connection)
            }
        }
        settings.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
        errno = 0
        let made = address.withAddress(port: port) { place -> OpaquePointer? in
            settings.address = place
            return ink_http_start(&settings)
        }
        guard let made else {
            let place = "\(HostAddress.bracketed(address.host)):\(port)"
            throw SystemFailure(operation: "listen at \(place)", errno: errno == 0 ? EADDRINUSE : errno)
        }
        daemons.withLock { $0.append(Daemon(handle: made)) }
        return UInt16(truncatingIfNeeded: ink_http_port(made))
    }

    /// Closes all connections and returns when their threads have ended.
    package func stop() {
        let daemons = daemons.withLock { daemons in
            defer { daemons = [] }
            return daemons
        }
        guard !daemons.isEmpty else { return }
        heads.stop()
        let listening = daemons.map { MHD_quiesce_daemon($0.handle) }
        for stream in streams.withLock({ Array($0.values) }) { stream.close() }
        for daemon in daemons { MHD_stop_daemon(daemon.handle) }
        for descriptor in listening where descriptor >= 0 { close(descriptor) }
    }

    package var connectionCount: Int {
        daemons.withLock { $0.reduce(0) { $0 + Int(ink_http_connections($1.handle)) } }
    }

    /// How many requests were answered how.
    package var answers: [Answer: Int] { counts.withLock { $0 } }

    // MARK: - A request

    /// What is under way on a connection.
    private final class Exchange {
        let method: String
        var intake: HTTPIntake?
        var form: FormReader?
        /// The answer that came before the end of the body, when, and what has come since.
        var early: HTTPResponse?
        var earlySince: UInt64 = 0
        var ignored = 0
        var stream: (any HTTPStream)?
        let began = SystemClock.milliseconds
        var received = 0

        init(method: String) { self.method = method }
    }

    /// A body that comes more slowly than this after a while is not waited for.
    private static let patienceMilliseconds: UInt64 = 30_000
    private static let leastBytesPerSecond = 1_024
    /// An answer can be sent only after the body. What still comes of one that is not wanted is passed over, so far and so
    /// long; then the connection is closed without an answer.
    private static let ignoredBytesMax = 8 << 20
    private static let ignoredMillisecondsMax: UInt64 = 10_000

    private func handle(
        _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ data: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let pointer = state.pointee else {
            heads.forget(connection)
            let exchange = Exchange(method: String(cString: method))
            state.pointee = Unmanaged.passRetained(exchange).toOpaque()
            guard let request = HTTPRequest(connection, url, method) else {
                let problem = Problem.malformed(
                    "a name or value of the address is not UTF-8 in percent-encoding, such as %C3%A4")
                return send(problem.response, connection, exchange)
            }
            let intake = handler(request)
            exchange.intake = intake
            switch intake {
            case .refuse(let response): return send(response, connection, exchange)
            case .takeForm:
                exchange.form = FormReader(contentType: request.header("content-type") ?? "")
                if exchange.form == nil {
                    let problem = Problem.malformed(
                        "the form's boundary is missing; send Content-Type: multipart/form-data; boundary=TEXT, as "
                            + "libraries for HTTP do by themselves")
                    return send(problem.response, connection, exchange)
                }
            case .answer, .take: break
            }
            return ink_http_yes
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
        if count.pointee > 0 {
            let bytes = UnsafeRawBufferPointer(start: data, count: count.pointee)
            count.pointee = 0
            return take(bytes, exchange) ? ink_http_yes : ink_http_no
        }
        if let early = exchange.early { return send(early, connection, exchange) }
        guard let response = Self.answer(exchange) else { return ink_http_no }
        return send(response, connection, exchange)
    }

    private static func answer(_ exchange: Exchange) -> HTTPResponse? {
        do throws(Problem) {
            switch exchange.intake {
            case .answer(let make): return try make()
            case .take(let taker): return try taker.end()
            case .takeForm(let taker): return try exchange.form?.end(taker)
            case .refuse, nil: return nil
            }
        } catch {
            return error.response
        }
    }

    /// Returns whether more is taken.
    private func take(_ bytes: UnsafeRawBufferPointer, _ exchange: Exchange) -> Bool {
        if exchange.early != nil {
            exchange.ignored += bytes.count
            return exchange.ignored <= Self.ignoredBytesMax
                && SystemClock.milliseconds - exchange.earlySince <= Self.ignoredMillisecondsMax
        }
        exchange.received += bytes.count
        defer { if exchange.early != nil { exchange.earlySince = SystemClock.milliseconds } }
        let milliseconds = SystemClock.milliseconds - exchange.began
        if milliseconds > Self.patienceMilliseconds,
            exchange.received < Int(milliseconds) / 1000 * Self.leastBytesPerSecond
        {
            exchange.early =
                Problem(
                    408, "Request Timeout",
                    "the body comes more slowly than 1 KiB a second; send it again over a faster connection"
                ).response
            return true
        }
        do throws(Problem) {
            switch exchange.intake {
            case .take(let taker): try taker.take(bytes)
            case .takeForm(let taker): try exchange.form?.take(bytes, taker)
            case .answer, .refuse, nil: break
            }
        } catch {
            exchange.early = error.response
        }
        return true
    }

    private func end(_ exchange: Exchange) {
        if let stream = exchange.stream {
            stream.close()
            streams.withLock { $0[ObjectIdentifier(stream)] = nil }
        }
        switch exchange.intake {
        case .take(let taker): taker.close()
        case .takeForm(let taker): taker.close()
        case .answer, .refuse, nil: break
        }
    }

    // MARK: - An answer

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"]

    private func send(_ response: HTTPResponse, _ connection: OpaquePointer, _ exchange: Exchange) -> MHD_Result {
        // A client may make methods up.
        let method = Self.methods.contains(exchange.method) ? exchange.method : "other"
        counts.withLock { $0[Answer(method: method, status: response.status), default: 0] += 1 }
        guard let made = make(response.body, exchange) else { return ink_http_no }
        defer { MHD_destroy_response(made) }
        for (name, value) in headers + response.headers { MHD_add_response_header(made, name, value) }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }

    private func make(_ body: HTTPResponse.Body, _ exchange: Exchange) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                let start = UnsafeMutableRawPointer(mutating: $0.baseAddress)
                return MHD_create_response_from_buffer($0.count, start, ink_http_copied)
            }
        case .file(let file, let offset, let count):
            // The library closes its own.
            let copy = fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { return nil }
            return MHD_create_response_from_fd_at_offset64(UInt64(count), copy, UInt64(offset))
        case .stream(let stream):
            exchange.stream = stream
            streams.withLock { $0[ObjectIdentifier(stream)] = stream }
            // The library asks for pieces that may be smaller than what has come.
            let reader = Unmanaged.passRetained(StreamReader(stream)).toOpaque()
            return MHD_create_response_from_callback(
                UInt64.max, 32 << 10,
                { context, _, buffer, room in
                    guard let context, let buffer else { return -2 }
                    return Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue().read(
                        UnsafeMutableRawBufferPointer(start: buffer, count: room))
                }, reader, { context in context.map { Unmanaged<StreamReader>.fromOpaque($0).release() } })
        }
    }

    private final class StreamReader {
        let stream: any HTTPStream
        var rest: ArraySlice<UInt8> = []

        init(_ stream: any HTTPStream) { self.stream = stream }

        /// The number of bytes; -1 at the end.
        func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            while rest.isEmpty {
                guard let next = stream.next() else { return -1 }
                rest = next[...]
            }
            let count = min(rest.count, buffer.count)
            rest.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
            rest = rest.dropFirst(count)
            return count
        }
    }
}

extension HTTPRequest {
    init?(_ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>) {
        let head = Head()
        let context = Unmanaged.passUnretained(head).toOpaque()
        MHD_get_connection_values_n(
            connection, ink_http_headers,
            { context, _, key, keyCount, value, valueCount in
                guard let context, let key else { return ink_http_no }
                let head = Unmanaged<Head>.fromOpaque(context).takeUnretainedValue()
                let name = Head.text(key, keyCount).lowercased()
                let text = Head.text(value, valueCount)
                head.headers[name] = head.headers[name].map { "\($0), \(text)" } ?? text
                return ink_http_yes
            }, context)
        MHD_get_connection_values_n(
            connection, ink_http_query,
            { context, _, key, keyCount, value, valueCount in
                guard let context, let key else { return ink_http_no }
                let head = Unmanaged<Head>.fromOpaque(context).takeUnretainedValue()
                head.query.append((Head.text(key, keyCount), Head.text(value, valueCount)))
                return ink_http_yes
            }, context)
        self.method = String(cString: method)
        guard let path = String(validatingCString: url) else { return nil }
        self.path = path
        headers = head.headers
        query = []
        for (name, value) in head.query {
            guard let name = PercentEncoding.decode(name, plusIsSpace: true),
                let value = PercentEncoding.decode(value, plusIsSpace: true)
            else { return nil }
            query.append((name, value))
        }
    }

    private final class Head {
        var headers: [String: String] = [:]
        var query: [(String, String)] = []

        static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
            guard let start else { return "" }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}
