import CSystem
import Glibc
import InkBroker
import InkCodecs
import InkEngine
import InkProtocol
import InkService
import InkSystem
import InkTestSupport
import InkWorker
import Testing

@testable import InkCommands
@testable import InkExports

/// Keys, and the settings of broker and worker before anything starts.
@Suite struct ServiceCommandsTests {
    private func run(
        _ arguments: [String], _ variables: [String: String] = [:]
    ) -> (code: ExitCode, output: String, error: String) {
        let transcript = Transcript()
        var environment = CommandEnvironment.process
        environment.console = transcript.console()
        environment.handlesSignals = false
        environment.variables = variables
        let code = InkCommands.run(arguments, environment)
        return (code, transcript.output, transcript.error)
    }

    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    // MARK: Keys

    @Test func keysComeInPairsAndAreNeverReplaced() throws {
        let folder = ScratchFolder()
        let (code, output, error) = run(["keygen", "w-1", "--role", "worker", "-o", folder("keys/workers")])
        #expect(code == .done, "\(error)")
        #expect(output == "secret \(folder("keys/workers/w-1.key"))\npublic \(folder("keys/workers/w-1.pub"))\n")
        #expect(mode(folder("keys/workers/w-1.key")) == 0o600)
        let key = try KeyFile.secret(path: folder("keys/workers/w-1.key"), role: .worker)
        #expect(key.name == "w-1")
        #expect(
            try KeyFile.publicKey(path: folder("keys/workers/w-1.pub"), role: .worker).publicKey == key.pair.publicKey)
        let before = folder.text("keys/workers/w-1.key")
        let again = run(["keygen", "w-1", "--role", "worker", "-o", folder("keys/workers")])
        #expect(again.code == .inputOutput)
        #expect(again.error.contains("already exists"), "\(again.error)")
        #expect(folder.text("keys/workers/w-1.key") == before)
    }

    @Test(arguments: [
        [], ["k"], ["k", "--role", "boss"], ["../k", "--role", "worker"], [".k", "--role", "worker"],
        ["", "--role", "worker"], ["k", "--role", "worker", "-o", ""], ["k", "l", "--role", "worker"],
    ])
    func badKeyRequestsAreUsage(arguments: [String]) {
        #expect(run(["keygen"] + arguments).code == .usage, "\(arguments)")
    }

    // MARK: Settings

    /// A folder with keys of each role, and options that name them.
    private func keys(_ folder: ScratchFolder) throws -> (broker: [String], worker: [String], client: [String]) {
        for (name, role, place) in [("b", "broker", "."), ("w", "worker", "ws"), ("c", "client", "cs")] {
            #expect(run(["keygen", name, "--role", role, "-o", folder(place)]).code == .done)
        }
        return (
            ["--key", folder("b.key"), "--allow-workers", folder("ws"), "--allow-clients", folder("cs/c.pub")],
            ["--key", folder("ws/w.key"), "--broker-key", folder("b.pub")],
            ["--key", folder("cs/c.key"), "--broker-key", folder("b.pub")]
        )
    }

    @Test func checkedSettingsArePrintedWithTheirPlaces() throws {
        let folder = ScratchFolder()
        let file = folder.file("b.conf", "queue-limit = 7\nblock-memory = 64M # small\n")
        let (code, output, error) = run(
            ["broker", "--check-config", "--config", file, "--verify", "1%"],
            ["INK_QUEUE_LIMIT": "8", "INK_QUOTE": "x"])
        #expect(code == .done, "\(error)")
        let lines = output.split(separator: "\n").map { line in
            line.split(separator: "#", maxSplits: 1).map { String($0).trimmed() }
        }
        #expect(lines.contains(["queue-limit = 8", "INK_QUEUE_LIMIT"]), "\(output)")
        #expect(lines.contains(["block-memory = 64M", "\(file):2"]), "\(output)")
        #expect(lines.contains(["verify = 0.01", "--verify"]), "\(output)")
        #expect(lines.contains(["retention = 7d", "default"]), "\(output)")
        #expect(error == "ink: warning: INK_QUOTE: there is no such setting (did you mean INK_QUOTA?)\n")
        // Nothing has been made.
        #expect(folder.files == ["b.conf"])
        #expect(run(["worker", "--check-config"], ["INK_THREADS": "3"]).output.contains("threads = 3"))
    }

    @Test func aSecretIsNeverPrinted() throws {
        let folder = ScratchFolder()
        let options = try keys(folder)
        let secret = try #require(folder.text("b.key")?.split(separator: "\n").last?.split(separator: " ").last)
        let (code, output, error) = run(["broker", "--check-config"] + options.broker)
        #expect(code == .done, "\(error)")
        #expect(output.contains("key = \(folder("b.key"))"))
        #expect(!output.contains(secret) && !error.contains(secret))
    }

    @Test func keysAreNeededOffThisMachine() throws {
        let folder = ScratchFolder()
        let options = try keys(folder)
        let open = ["--workers", "tcp://*:5570", "--clients", "tcp://0.0.0.0:5571"]
        let refused = run(["broker", "--check-config"] + open)
        #expect(refused.code == .configuration)
        #expect(refused.error.hasPrefix("ink: error: --workers: tcp://*:5570 is not limited to this machine"))
        #expect(run(["broker"] + open).code == .configuration)
        #expect(run(["broker"], ["INK_CLIENTS": "tcp://10.0.0.1:5571"]).code == .configuration)
        #expect(run(["broker", "--check-config", "--insecure"] + open).code == .done)
        #expect(run(["broker", "--check-config"] + open + options.broker).code == .done)
        #expect(run(["worker", "--check-config", "--broker", "tcp://farm:5570"]).code == .configuration)
        #expect(run(["worker", "--check-config", "--broker", "tcp://farm:5570", "--insecure"]).code == .done)
        #expect(run(["worker", "--check-config", "--broker", "tcp://farm:5570"] + options.worker).code == .done)
        for local in ["tcp://127.0.0.1:5570", "tcp://localhost:5570", "tcp://[::1]:5570", "ipc:///tmp/x"] {
            #expect(run(["worker", "--check-config", "--broker", local]).code == .done, "\(local)")
        }
    }

    @Test(
        "A wrong setting of a service is 78 wherever it stands, and a wrong command line 64",
        arguments: [
            (["broker", "--heartbeat", "0"], [:], ExitCode.configuration),
            (["worker", "--threads", "0"], [:], .configuration),
            (["worker", "-j", "0"], [:], .configuration), (["broker"], ["INK_HEARTBEAT": "0"], .configuration),
            (["broker", "--heartbeat", "1000", "--liveness", "1999"], [:], .configuration),
            (["broker", "--check-config", "--heartbeat", "0"], [:], .configuration),
            (
                ["broker", "--check-config", "--workers", "tcp://127.0.0.1:*", "--clients", "tcp://127.0.0.1:*"], [:],
                .done
            ),
            (["broker", "--name", ""], [:], .configuration), (["worker", "--cache", ""], [:], .configuration),
            (["worker"], ["INK_CONFIG": "/"], .configuration), (["broker", "--limits", "/"], [:], .configuration),
            (["keygen", "a", "--role", "client", "-o", ""], [:], .usage),
            (["status", "--key", "/nowhere/a.key", "--broker-key", "/nowhere/b.pub"], [:], .configuration),
            (["worker", "--config", "missing.conf"], [:], .inputOutput),
            (["broker", "--hartbeat", "1"], [:], .usage), (["broker", "--heartbeat"], [:], .usage),
            (["status", "--timeout", "0"], [:], .usage), (["status"], ["INK_TIMEOUT": "0"], .configuration),
        ] as [([String], [String: String], ExitCode)])
    func exitCodesOfSettings(arguments: [String], variables: [String: String], code: ExitCode) {
        #expect(run(arguments, variables).code == code)
    }

    @Test func settingsThatDoNotGoTogetherAreRefused() throws {
        let folder = ScratchFolder()
        let options = try keys(folder)
        folder.file("limits.json", #"{"edgePixel": 5}"#)
        chmod(folder("ws/w.key"), 0o644)
        let cases: [([String], String)] = [
            (
                ["broker", "--heartbeat", "1000", "--liveness", "1999"],
                "--liveness: 1999 ms is less than two heartbeats"
            ),
            (["broker", "--clients", "tcp://127.0.0.1:5570"], "--clients: tcp://127.0.0.1:5570 is the endpoint of"),
            (["broker", "--key", folder("b.key")], "--key: also needs --allow-workers"),
            (["broker", "--allow-clients", folder("cs")], "--allow-clients: also needs --key"),
            (["broker", "--input-root", folder("none")], "--input-root: \(folder("none")): no such folder"),
            (["broker", "--output-root", folder("b.key")], "--output-root: \(folder("b.key")): no such folder"),
            (["broker", "--data", folder("b.pub")], "--data: \(folder("b.pub")): not a folder"),
            (["broker", "--limits", folder("limits.json")], "\(folder("limits.json")): edgePixel"),
            (
                ["broker"] + options.broker.replacing([folder("b.key")], with: [folder("cs/c.key")]),
                "is the key of a client"
            ),
            (["broker"] + options.broker.replacing([folder("ws")], with: [folder("cs")]), "is the key of a client"),
            (
                ["broker"] + options.broker.replacing([folder("b.key")], with: [folder("no.key")]),
                "--key: \(folder("no.key"))"
            ),
            (["worker", "--key", folder("cs/c.key")], "--key: also needs --broker-key"),
            (["worker", "--broker-key", folder("b.pub")], "--broker-key: also needs --key"),
            (["worker"] + options.client, "is the key of a client, a worker's is needed"),
            (["worker"] + options.worker, "other users can read this secret key"),
            (["worker", "--threads", "0"], "--threads: \"0\" is not a whole number from 1 to 512"),
        ]
        for (arguments, message) in cases {
            let (code, output, error) = run(arguments + ["--check-config"])
            #expect(code == .configuration, "\(arguments): \(error)")
            #expect(error.contains("ink: error: ") && error.contains(message), "\(arguments): \(error)")
            #expect(error.split(separator: "\n").count == 1, "\(error)")
            #expect(output.isEmpty)
        }
    }

    @Test func clientsReadTheirKeys() throws {
        let folder = ScratchFolder()
        let options = try keys(folder)
        // Endpoints off this machine, where nobody answers: the keys are read before.
        let wrong = run(["status", "--broker", "tcp://127.0.0.1:1", "--timeout", "0.2"] + options.worker)
        #expect(wrong.code == .configuration)
        #expect(wrong.error.contains("is the key of a worker, a client's is needed"), "\(wrong.error)")
        let right = run(
            ["status", "--broker", "tcp://127.0.0.1:1", "--timeout", "0.2"],
            ["INK_KEY": folder("cs/c.key"), "INK_BROKER_KEY": folder("b.pub")])
        #expect(right.code == .unreachable, "\(right.error)")
        let missing = run(["status"], ["INK_KEY": folder("none.key"), "INK_BROKER_KEY": folder("b.pub")])
        #expect(missing.code == .configuration)
        #expect(missing.error.contains("INK_KEY: \(folder("none.key")): no such file"), "\(missing.error)")
    }

    @Test func settingsReachTheService() throws {
        let folder = ScratchFolder()
        folder.folder("in")
        folder.folder("out")
        let line = try CommandLineParser.parse(
            [
                "broker", "--data", folder("d"), "--input-root", folder("in/"), "--output-root", folder("out"),
                "--queue-limit", "9", "--active", "3", "--block-memory", "2M", "--spill", "3M", "--quota", "4M",
                "--retention", "5h", "--heartbeat", "100", "--liveness", "400", "--lease", "7s", "--verify", "2%",
                "--spill-folder", folder("out"), "--drain-time", "6s", "--name", "farm", "--presets", folder("in"),
            ], program: .ink)
        guard case .command(let parsed) = line else { return }
        let settings = try Settings(BrokerSetting.all, parsed: parsed, variables: [:], readFile: { _ in [] })
        let arguments = try BrokerArguments(settings, hostName: "host") { _ in Limits() }
        #expect(arguments.drainMilliseconds == 6000)
        let configuration = try ServiceConfiguration(arguments)
        #expect(configuration.name == "farm")
        #expect(configuration.dataFolder == folder("d"))
        #expect(configuration.inputRoots == [folder("in")])
        #expect(configuration.outputRoot == folder("out"))
        #expect(configuration.limits.queuedJobs == 9)
        #expect(configuration.activeJobs == 3)
        #expect(configuration.quotaBytes == 4 << 20)
        #expect(configuration.retentionMilliseconds == 5 * 3_600_000)
        #expect(configuration.heartbeatMilliseconds == 100)
        #expect(configuration.livenessMilliseconds == 400)
        #expect(configuration.presetFolders == [folder("in")])
        #expect(configuration.broker.blockMemoryBytes == 2 << 20)
        #expect(configuration.broker.spillBytes == 3 << 20)
        #expect(configuration.broker.spillFolder == folder("out"))
        #expect(configuration.broker.heartbeatMilliseconds == 100)
        #expect(configuration.broker.livenessMilliseconds == 400)
        #expect(configuration.broker.leaseMilliseconds == 7000)
        #expect(configuration.broker.verifyShare == 0.02)
        #expect(configuration.security == nil)
    }

    @Test func aTaskIsReplayed() throws {
        let folder = ScratchFolder()
        let image = try Block(content: MinimalPNGWriter.png(gray: [1, 2], size: PixelSize(width: 2, height: 1)))
        let task = WorkerTask.decode(
            DecodeTask(image: image.id, use: .mask, place: Place(file: "a.ink"), limits: Limits()))
        let file = ReplayFile(title: "a.ink; decoding image 1\u{1b}", task: task, blocks: [image])
        try FileSystem.writeAtomically(file.encoded(), to: folder("good.replay"))
        let good = run(["worker", "--replay", folder("good.replay")])
        #expect(good.code == .done, "\(good.error)")
        #expect(good.output.hasPrefix("a.ink; decoding image 1\\u{1b}\ndone: "), "\(good.output)")
        let broken = try Block(content: [1, 2, 3])
        let bad = ReplayFile(
            title: "b",
            task: .decode(DecodeTask(image: broken.id, use: .mask, place: Place(file: "b.ink"), limits: Limits())),
            blocks: [broken])
        try FileSystem.writeAtomically(bad.encoded(), to: folder("bad.replay"))
        let failed = run(["worker", "--replay", folder("bad.replay")])
        #expect(failed.code == .badInput)
        #expect(failed.error.hasPrefix("ink: error: b.ink"), "\(failed.error)")
        #expect(run(["worker", "--replay", folder.file("x.replay", "x")]).code == .badInput)
        #expect(run(["worker", "--replay", folder("none.replay")]).code == .inputOutput)
    }

    @Test func eventsBecomeRecords() {
        let event = FarmNote(
            .warning, "task.lost", job: 7, task: "tile 0,3", worker: "w1", reason: "silent for 3 s",
            details: [("attempt", .number(2)), ("size", .text("4x4")), ("name", .text("42"))])
        #expect(
            LogRecord(event).text.split(separator: " ", maxSplits: 1).last
                == "warning task.lost job=7 task=\"tile 0,3\" worker=w1 attempt=2 size=4x4 name=42 reason=\"silent for 3 s\""
        )
        // A project that is named by digits has a name all the same.
        let json = LogRecord(event).json
        #expect(json.contains(#""attempt":2"#) && json.contains(#""name":"42""#), "\(json)")
        #expect(
            LogRecord(WorkerNews.disconnected, worker: "w1", broker: "tcp://h:1").text.hasSuffix(
                " warning worker.disconnected worker=w1 broker=tcp://h:1"))
    }
}
