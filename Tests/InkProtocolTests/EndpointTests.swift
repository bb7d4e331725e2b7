import InkProtocol
import Testing

@Suite("Endpoints")
struct EndpointTests {
    @Test(arguments: [
        ("tcp://127.0.0.1:5570", true), ("tcp://127.9.8.7:0", true), ("tcp://localhost:1", true),
        ("tcp://[::1]:5570", true),
        ("ipc:///run/ink", true), ("inproc://a", true), ("tcp://*:5570", false), ("tcp://0.0.0.0:5570", false),
        ("tcp://[::]:5570", false), ("tcp://10.0.0.1:5570", false), ("tcp://127.0.0.1.example.org:5570", false),
        ("tcp://127.0.0.256:1", false), ("tcp://127.1:1", false), ("tcp://localhost.example.org:1", false),
        ("tcp://eth0:5570", false), ("tcp://[::ffff:10.0.0.1]:1", false),
    ])
    func onlyLoopbackIsLocal(text: String, isLocal: Bool) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.isLocal == isLocal)
        #expect(throws: Never.self) { try endpoint.check(hasKeys: true, insecure: false) }
        #expect(throws: Never.self) { try endpoint.check(hasKeys: false, insecure: true) }
        if isLocal {
            try endpoint.check(hasKeys: false, insecure: false)
        } else {
            let error = #expect(throws: ProtocolError.self) { try endpoint.check(hasKeys: false, insecure: false) }
            #expect("\(try #require(error))".contains("--insecure"))
        }
    }

    @Test(arguments: [
        "", "tcp://", "tcp://:5570", "tcp://a", "tcp://a:", "tcp://a:65536", "tcp://a:-1", "tcp://a:b", "tcp://a b:1",
        "tcp://a;b:1", "tcp://127.0.0.1;10.0.0.1:5570", "tcp://a/b:1", "udp://a:1", "http://a:1", "ipc://", "inproc://",
        "tcp://a:1\n", "tcp://a\u{0}:1", "TCP://a:1", "127.0.0.1:5570",
        "tcp://127.0.0.1:5570\ntcp://*:1", "tcp://host:http", "tcp://127.0.0.1:55 70",
    ])
    func whatIsNoEndpointIsRefusedInOneLine(text: String) throws {
        let error = try #require(throws: ProtocolError.self) { try Endpoint(text) }
        #expect(!"\(error)".contains("\n"))
    }
}
