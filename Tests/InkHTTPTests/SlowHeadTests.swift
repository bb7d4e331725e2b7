import Glibc
import InkSystem
import Synchronization
import Testing

@testable import InkHTTP

@Suite("Requests whose head comes slowly", .timeLimit(.minutes(5)))
struct SlowHeadTests {
    @Test("A connection on which a head does not end is closed, and others go on")
    func slowHeads() throws {
        var limits = HTTPServerLimits()
        limits.headSeconds = 1
        let server = HTTPServer(headers: [], limits: limits) { _ in
            .answer { HTTPResponse(200, body: .bytes(Array("ok".utf8))) }
        }
        let port = try server.start(HostAddress.toListen(at: "127.0.0.1", port: "0").get(), port: 0)
        defer { server.stop() }
        let (slow, polite) = (try Connection(port), try Connection(port))
        slow.send("GET / HTTP/1.1\r\nHost: a\r\n")
        let began = SystemClock.milliseconds
        var answers = 0
        while !slow.isClosed, SystemClock.milliseconds - began < 60_000 {
            slow.send("X-\(answers): 1\r\n")
            polite.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(polite.receive()?.hasPrefix("HTTP/1.1 200") == true, "after \(answers) answers")
            answers += 1
            usleep(50_000)
        }
        #expect(slow.isClosed && answers > 5, "\(answers) answers")
        // One that says nothing more after an answer.
        let idle = SystemClock.milliseconds
        while !polite.isClosed, SystemClock.milliseconds - idle < 60_000 { usleep(50_000) }
        #expect(polite.isClosed)
    }

    private final class Connection {
        private let socket: Int32

        init(_ port: UInt16) throws {
            socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(result == 0)
        }

        deinit { close(socket) }

        func send(_ text: String) { _ = Glibc.send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

        /// What has come; nil at the end.
        func receive() -> String? {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(socket, &buffer, buffer.count, 0)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }

        var isClosed: Bool {
            var byte: UInt8 = 0
            let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            return count == 0 || count < 0 && errno == ECONNRESET
        }
    }
}
