import InkProtocol
import Testing

@Suite("Endpoints")
struct EndpointTests {
    @Test(arguments: [
        ("tcp://*:5570", false), ("tcp://127.0.0.1:5570", true), ("tcp://127.8.9.1:*", true), ("tcp://[::1]:1", true),
        ("tcp://localhost:65535", true), ("tcp://farm.example:5571", false), ("tcp://10.0.0.1:0", false),
        ("tcp://127.0.0.1.example:1", false), ("tcp://127.example:1", false), ("ipc:///run/ink", true),
        ("inproc://a", true), ("tcp://[::]:5570", false), ("tcp://0.0.0.0:5570", false),
    ])
    func goodOnesAreLocalOrNot(text: String, isLocal: Bool) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.isLocal == isLocal)
        if isLocal {
            try endpoint.check(hasKeys: false, insecure: false)
        } else {
            #expect(throws: ProtocolError.self) { try endpoint.check(hasKeys: false, insecure: false) }
        }
        try endpoint.check(hasKeys: true, insecure: false)
        try endpoint.check(hasKeys: false, insecure: true)
    }

    @Test(arguments: [
        "", "tcp", "tcp://", "tcp://host", "tcp://:5570", "tcp://host:70000", "tcp://host:-1", "tcp://host:http",
        "tcp://10.0.0.1:1;127.0.0.1:5570", "tcp://127.0.0.1:5570/path", "udp://127.0.0.1:1", "http://127.0.0.1:1",
        "ipc://", "inproc://", "tcp://127.0.0.1:55 70", "tcp://127.0.0.1:5570\ntcp://*:1", "tcp://\u{0}:1",
    ])
    func badOnesAreRefusedInOneLine(text: String) throws {
        let error = try #require(throws: ProtocolError.self) { try Endpoint(text) }
        #expect(!"\(error)".contains("\n"))
    }
}
