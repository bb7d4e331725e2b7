import Foundation
import Glibc
import Testing

/// What a broker tells of ended jobs.
@Suite("Notices", .timeLimit(.minutes(10)))
struct NoticeTests {
    @Test("Jobs and batches are told to a program and, signed and in spite of failures, to an address")
    func told() throws {
        let folder = try EndToEndFolder()
        let receiver = try Receiver(folder, failing: 2)
        try folder.file("secret", "a secret of enough bytes\n")
        let program = try folder.file("told.sh", "#!/bin/sh\ncat >> \(folder("told"))\necho >> \(folder("told"))\n")
        chmod(program, 0o755)
        let farm = try FarmProcesses(
            workers: 1,
            brokerOptions: [
                "--http", "127.0.0.1:0", "--notify-command", program, "--webhook",
                "http://127.0.0.1:\(receiver.port)/ink",
                "--webhook-secret", folder("secret"),
            ])
        let http = try farm.http()
        let (_, jobs) = try http.submit(GoodProject.small, "name=a.ink&size=64x64,32x32")
        #expect(jobs.count == 2)
        #expect(farm.wait(seconds: 120) { folder.lines("told").count >= 3 && folder.lines("received").count >= 3 })
        for (events, name) in [
            (folder.lines("told").compactMap { $0["event"] as? String }, "program"),
            (folder.lines("received").compactMap { $0["event"] as? String }, "address"),
        ] {
            #expect(events.sorted() == ["batch.ended", "job.ended", "job.ended"], "\(name): \(events)")
        }
        let received = folder.lines("received")
        #expect(received.allSatisfy { $0["isSigned"] as? Bool == true })
        #expect(Set(received.compactMap { $0["delivery"] as? String }).count == 3)
        let told = received.compactMap { ($0["body"] as? [String: Any])?["job"] as? [String: Any] }
        #expect(Set(told.compactMap { $0["id"] as? Int }) == Set(jobs))
        #expect(farm.events("notice.failed").count >= 1)
    }

    @Test("A job's spans go to a collector, in the trace of its submission, with those of its workers")
    func spans() throws {
        let folder = try EndToEndFolder()
        let receiver = try Receiver(folder)
        let farm = try FarmProcesses(
            workers: 1,
            brokerOptions: ["--http", "127.0.0.1:0", "--otlp-endpoint", "http://127.0.0.1:\(receiver.port)"])
        let http = try farm.http()
        let (trace, parent) = (String(repeating: "ab", count: 16), String(repeating: "cd", count: 8))
        let (_, jobs) = try http.submit(
            GoodProject.small, "name=a.ink&size=64x64", ["traceparent": "00-\(trace)-\(parent)-01"])
        #expect(try http.end(of: jobs.first ?? 0) == "finished")
        #expect(farm.wait(seconds: 60) { (try? folder.read("received").contains(UInt8(ascii: "\n"))) == true })
        let line = try folder.read("received").prefix { $0 != UInt8(ascii: "\n") }
        let received = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        #expect(received["path"] as? String == "/v1/traces")
        let document = try #require(received["body"] as? [String: Any])
        let resources = document["resourceSpans"] as? [[String: Any]] ?? []
        let spans = resources.flatMap { resource in
            (resource["scopeSpans"] as? [[String: Any]] ?? []).flatMap { $0["spans"] as? [[String: Any]] ?? [] }
        }
        #expect(resources.count == 2 && spans.count >= 2)
        #expect(spans.allSatisfy { $0["traceId"] as? String == trace })
        let root = try #require(spans.first)
        #expect(root["name"] as? String == "export" && root["parentSpanId"] as? String == parent)
        for span in spans.dropFirst() {
            #expect(span["parentSpanId"] as? String == root["spanId"] as? String)
            let times = ["startTimeUnixNano", "endTimeUnixNano"].compactMap { span[$0] as? String }.compactMap(Int.init)
            #expect(times.count == 2 && times[0] <= times[1] && times[0] > 1_700_000_000_000_000_000)
        }
        let attributes = (resources[1]["resource"] as? [String: Any])?["attributes"] as? [[String: Any]] ?? []
        let instance = attributes.first { $0["key"] as? String == "service.instance.id" }?["value"] as? [String: Any]
        #expect(instance?["stringValue"] as? String == "w1")
    }

    @Test("A notice that nobody has taken goes out in the next life")
    func nextLife() throws {
        let folder = try EndToEndFolder()
        let program = try folder.file("told.sh", "#!/bin/sh\ntest -e \(folder("open")) && cat > \(folder("told"))\n")
        chmod(program, 0o755)
        let farm = try FarmProcesses(workers: 1, brokerOptions: ["--http", "127.0.0.1:0", "--notify-command", program])
        let http = try farm.http()
        let (_, jobs) = try http.submit(GoodProject.small, "name=a.ink&size=64x64")
        #expect(try http.end(of: jobs.first ?? 0) == "finished")
        #expect(farm.wait(seconds: 60) { !farm.events("notice.failed").isEmpty })
        farm.broker?.kill9()
        try folder.file("open", "")
        try farm.startBroker()
        #expect(farm.wait(seconds: 60) { FileManager.default.fileExists(atPath: folder("told")) })
    }

    @Test("A job that ends while the broker drains is told of, before its end or in the next life")
    func drained() throws {
        let folder = try EndToEndFolder()
        let receiver = try Receiver(folder)
        let farm = try FarmProcesses(
            workers: 1,
            brokerOptions: ["--http", "127.0.0.1:0", "--webhook", "http://127.0.0.1:\(receiver.port)/ink"])
        let http = try farm.http()
        let (_, jobs) = try http.submit(GoodProject.long, "name=a.ink&size=2k")
        let job = try #require(jobs.first)
        #expect(
            try farm.wait(seconds: 60) {
                (try http.job(job)["progress"] as? [String: Any])?["phase"] as? String == "rendering"
            })
        farm.broker?.send(SIGTERM)
        #expect(farm.broker?.end(seconds: 120) == 0)
        try farm.startBroker()
        let again = try farm.http()
        #expect(try again.end(of: job) == "finished")
        #expect(farm.wait(seconds: 60) { folder.lines("received").count == 1 })
    }

    @Test("A webhook that does not answer holds up no command, and a batch is told of with all of its jobs")
    func hung() throws {
        let folder = try EndToEndFolder()
        let hung = try Receiver(folder, delay: 600)
        let program = try folder.file("told.sh", "#!/bin/sh\ncat >> \(folder("told"))\necho >> \(folder("told"))\n")
        chmod(program, 0o755)
        let farm = try FarmProcesses(
            workers: 1,
            brokerOptions: [
                "--http", "127.0.0.1:0", "--notify-command", program, "--webhook", "http://127.0.0.1:\(hung.port)/ink",
            ])
        let http = try farm.http()
        let small = Array(GoodProject.small.utf8)
        // One that is refused is none of the batch.
        let (type, body) = HTTPClient.form([
            ("document", "a.ink", small), ("options", nil, Array(#"{"size": ["64x64", "32x32"]}"#.utf8)),
            ("document", "bad.ink", Array("{".utf8)), ("document", "b.ink", small),
        ])
        #expect(try http.send("POST", "/v1/jobs", ["Content-Type": type], body: body).status == 201)
        #expect(farm.wait(seconds: 120) { folder.lines("told").count == 5 }, "\(folder.lines("told"))")
        // One after the other, each of the command's would have waited for one of the webhook's.
        #expect(farm.events("notice.failed").count < 4)
        let batches = folder.lines("told").compactMap { $0["batch"] as? [String: Any] }
        #expect(batches.count == 1 && batches[0]["jobs"] as? Int == 4 && batches[0]["finished"] as? Int == 4)
    }

    @Test(
        "Wrong settings are refused",
        arguments: [
            ["--notify-command", "/nonexistent"], ["--webhook", "ftp://a"], ["--webhook-secret", "/dev/null"],
            ["--webhook", "http://a", "--webhook-secret", "/nonexistent"],
        ])
    func refused(options: [String]) throws {
        let folder = try EndToEndFolder()
        #expect(try InkProcess.run(["broker", "--data", folder("data")] + options).code == 78)
    }
}

/// A server in Python that answers 500 to the first requests and keeps what it gets then, a line each in a file named
/// received. It checks signatures by another implementation of HMAC.
private final class Receiver {
    let port: String
    private let process = Process()

    private static let script = """
        import hashlib, hmac, http.server, json, os, sys, time
        failing, delay = int(sys.argv[3]), int(sys.argv[4])
        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                global failing
                body = self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(delay)
                signed = self.headers.get("Ink-Timestamp", "").encode() + b"." + body
                expected = "v1=" + hmac.new(b"a secret of enough bytes", signed, hashlib.sha256).hexdigest()
                failing -= 1
                if failing < 0:
                    line = {"path": self.path, "isSigned": self.headers.get("Ink-Signature") == expected,
                            "event": self.headers.get("Ink-Event"), "delivery": self.headers.get("Ink-Delivery"),
                            "body": json.loads(body)}
                    with open(sys.argv[1], "a") as file: file.write(json.dumps(line) + "\\n")
                self.send_response(500 if failing >= 0 else 200)
                self.end_headers()
            def log_message(self, *arguments): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
        with open(sys.argv[2] + ".part", "w") as file: file.write(str(server.server_port))
        os.rename(sys.argv[2] + ".part", sys.argv[2])
        server.serve_forever()
        """

    init(_ folder: EndToEndFolder, failing: Int = 0, delay: Int = 0) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", try folder.file("receiver.py", Self.script), folder("received"), folder("port"), "\(failing)",
            "\(delay)",
        ]
        // It must not hold the pipes of those that run the tests.
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        var found = ""
        for _ in 0..<1500 where found.isEmpty {
            found = (try? String(contentsOfFile: folder("port"), encoding: .utf8)) ?? ""
            usleep(20_000)
        }
        port = found
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

extension EndToEndFolder {
    /// The JSON documents of a file, one a line.
    fileprivate func lines(_ name: String) -> [[String: Any]] {
        let text = (try? String(contentsOfFile: self(name), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }
}
