import Foundation
import Glibc

/// A plain HTTP/1.1 client: it sends exactly what it is given.
struct HTTPClient {
    struct Answer {
        var status = 0
        var headers: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }
    }

    let port: Int
    var headers: [String: String] = [:]

    /// A request with what it needs; `host` replaces the address.
    ///
    /// - Parameter cuts: of the body: where it waits a little, so that the broker sees what is there until then.
    func send(
        _ method: String, _ path: String, _ own: [String: String] = [:], body: [UInt8] = [], cuts: [Int] = []
    ) throws -> Answer {
        var all = ["Host": "127.0.0.1:\(port)", "Connection": "close"].merging(headers) { $1 }.merging(own) { $1 }
        if !body.isEmpty || method == "POST" { all["Content-Length"] = all["Content-Length"] ?? "\(body.count)" }
        let head = "\(method) \(path) HTTP/1.1\r\n" + all.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n"
        return try Self.answer(raw(Array(head.utf8) + body, cuts: cuts.map { head.utf8.count + $0 }))
    }

    func get(_ path: String, _ headers: [String: String] = [:]) throws -> Answer { try send("GET", path, headers) }

    func post(_ path: String, json: String) throws -> Answer {
        try send("POST", path, ["Content-Type": "application/json"], body: Array(json.utf8))
    }

    func post(_ path: String) throws -> Answer { try send("POST", path) }

    /// Submits a document; the numbers of its jobs.
    func submit(_ document: String, _ query: String, _ headers: [String: String] = [:]) throws -> (Answer, [Int]) {
        let answer = try send(
            "POST", "/v1/jobs?\(query)", ["Content-Type": "application/octet-stream"].merging(headers) { $1 },
            body: Array(document.utf8))
        let jobs = (answer.json["jobs"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
        return (answer, jobs)
    }

    func job(_ number: Int) throws -> [String: Any] { try get("/v1/jobs/\(number)").json }

    /// The state of a job once it has ended, or after a minute.
    func end(of number: Int) throws -> String {
        for _ in 0..<3000 {
            let state = try job(number)["state"] as? String ?? ""
            if ["finished", "failed", "cancelled"].contains(state) { return state }
            usleep(20_000)
        }
        return try job(number)["state"] as? String ?? ""
    }

    /// Sends bytes and reads what comes until the other side closes, or for so long.
    ///
    /// - Parameters:
    ///   - cuts: where it waits a little.
    ///   - onSent: gets how many have been sent.
    func raw(
        _ bytes: [UInt8], seconds: Double = 60, cuts: [Int] = [], closesEarly: Bool = false,
        onSent: (Int) -> Void = { _ in }
    ) throws -> [UInt8] {
        let descriptor = try connect()
        defer { close(descriptor) }
        var sent = 0
        while sent < bytes.count {
            if cuts.contains(sent) { usleep(60_000) }
            let end = cuts.filter { $0 > sent }.min() ?? bytes.count
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, end - sent, Int32(MSG_NOSIGNAL))
            }
            // An answer may come before all has been sent.
            if count <= 0 { break }
            sent += count
        }
        onSent(sent)
        if closesEarly { return [] }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { break }
            if count < 0 {
                if errno == EAGAIN || errno == EINTR { continue }
                break
            }
            received += buffer[..<count]
        }
        return received
    }

    private func connect() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 0, tv_usec: 200_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw POSIXError(.ECONNREFUSED)
        }
        return descriptor
    }

    static func answer(_ bytes: [UInt8]) -> Answer {
        var answer = Answer()
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return answer }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        answer.status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            answer.headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        answer.body = Array(bytes[end.upperBound...])
        if answer.headers["transfer-encoding"] == "chunked" { answer.body = dechunked(answer.body) }
        return answer
    }

    private static func dechunked(_ bytes: [UInt8]) -> [UInt8] {
        var (rest, body) = (bytes[...], [UInt8]())
        while let end = rest.firstRange(of: Array("\r\n".utf8)),
            let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16), count > 0
        {
            body += rest[end.upperBound...].prefix(count)
            rest = rest[end.upperBound...].dropFirst(count + 2)
        }
        return body
    }

    /// A form of `multipart/form-data`: names, file names and contents.
    static func form(_ parts: [(name: String, file: String?, bytes: [UInt8])]) -> (type: String, body: [UInt8]) {
        let boundary = "b0undary\(UInt32.random(in: 0 ... .max))"
        var body: [UInt8] = []
        for part in parts {
            let file = part.file.map { "; filename=\"\($0)\"" } ?? ""
            body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"\(file)\r\n\r\n".utf8)
            body += part.bytes + Array("\r\n".utf8)
        }
        return ("multipart/form-data; boundary=\(boundary)", body + Array("--\(boundary)--\r\n".utf8))
    }
}

extension FarmProcesses {
    /// Where its broker serves HTTP; it has to be started with `--http 127.0.0.1:0`.
    func http() throws -> HTTPClient {
        var client: HTTPClient?
        // The last one may be of an earlier life.
        _ = wait(seconds: 60) {
            let address = events("broker.started").last?["http"] as? String
            client = address.flatMap { Int($0.split(separator: ":").last ?? "") }.map { HTTPClient(port: $0) }
            return (try? client?.get("/healthz"))?.status == 200
        }
        guard let client else { throw POSIXError(.ECONNREFUSED) }
        return client
    }
}
