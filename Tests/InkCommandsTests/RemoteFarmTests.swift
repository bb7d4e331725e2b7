import Dispatch
import Glibc
import InkClient
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkCommands
@testable import InkExports

/// `ink export --broker` against a broker that answers as told.
@Suite struct RemoteFarmTests {
    private static let status = #"{"workers": [{"renderer": "7", "threads": 4}, {"renderer": "7", "threads": 2}]}"#

    private func broker() -> FakeBroker { FakeBroker(answers: { _ in Self.status }) }

    private static let remote = ["--broker", "tcp://127.0.0.1:1"]

    @Test func picturesComeBackUnderTheSameNames() throws {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "layer=l1:Sky\n")
        folder.file("in/sub/b.ink", "layer=l2:Sea\n")
        let broker = broker()
        let arguments = ["export", folder("in"), "-o", folder("out"), "--size", "1x,2k"] + Self.remote
        let (code, output, error) = broker.run(arguments + ["--report", folder("r.json")])
        #expect(code == .done, "\(error)")
        #expect(output.hasPrefix("4 exported in "), "\(output)")
        #expect(
            folder.files.filter { $0.hasPrefix("out/") }
                == ["out/a-1x.png", "out/a-2k.png", "out/sub/b-1x.png", "out/sub/b-2k.png"])
        let jobs = broker.now.jobs.values.map(\.submission)
        #expect(Set(jobs.map(\.source)).count == 2)
        #expect(Set(jobs.map(\.picture.size)).contains(.exact(PixelSize(width: 400, height: 300))))
        #expect(jobs.allSatisfy { $0.delivery == .fetch && $0.priority == JobPriority.normal })
        #expect(Set(jobs.map { $0.picture.options.digest ?? [] }).count == 4)
        // All notices are taken, and what is here need not stay there.
        #expect(broker.now.taken.count == 4)
        #expect(broker.now.orders.count == 1)
        if case .purge(let purged, 0) = broker.now.orders.first {
            #expect(Set(purged) == Set(1...4))
        } else {
            Issue.record("\(broker.now.orders)")
        }
        let report = try JSONReader.read(Array((folder.text("r.json") ?? "").utf8))
        #expect(report["renderer"]?.string == "7")
        #expect(report["workers"]?.integer == 6)
        #expect(report["broker"]?.string == "tcp://127.0.0.1:1")
        let export = try #require(report["exports"]?.array?.first)
        #expect(export["state"]?.string == "done")
        #expect(export["tiles"]?.integer == 3)
        #expect(export["attempts"]?.integer == 4)
        #expect(export["phasesMs"]?["stitch"]?.number == 7)
        #expect(report["options"]?["broker"] == nil)
    }

    @Test("The end does not wait until the broker has forgotten the jobs, and the time that passed is said")
    func timeThatPassed() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", "layer=l1:Sky\n")
        let broker = FakeBroker(
            answers: { _ in
                usleep(200_000)
                return Self.status
            }, orderMilliseconds: 60_000)
        let start = ContinuousClock.now
        let arguments = ["export", path, "-o", folder("out"), "--report", folder("r.json")] + Self.remote
        #expect(broker.run(arguments).code == .done)
        let passed = (ContinuousClock.now - start) / .milliseconds(1)
        #expect(passed < 9_000)
        #expect(broker.now.orders == [.purge([1], endedSecondsAgo: 0)])
        let report = try JSONReader.read(Array((folder.text("r.json") ?? "").utf8))
        let said = try #require(report["summary"]?["milliseconds"]?.number)
        #expect(said >= 200 && said <= passed, "\(said) of \(passed)")
    }

    @Test func projectsReadByOnesOwnLimitsAreWrittenAnew() throws {
        let folder = ScratchFolder()
        let limits = folder.file("limits.json", "{}")
        let path = folder.file("a.ink", "layer=l1:Sky\n")
        let broker = broker()
        let transcript = Transcript()
        var environment = broker.environment(transcript.console())
        let uses = Mutex<[TextUse]>([])
        environment.exports.makeOpener = { choices in
            uses.withLock { $0.append(choices.textUse) }
            return FakeOpener()
        }
        environment.readLimits = { _ in Limits() }
        for options in [[], ["--limits", limits], ["--if-exists", "skip-unchanged"], ["--dry-run"]] {
            let code = InkCommands.run(["export", path] + options + Self.remote, environment)
            #expect(code == .done, "\(transcript.error)")
        }
        #expect(InkCommands.run(["export", path, "--if-exists", "overwrite"], environment) == .done)
        #expect(uses.withLock { $0 } == [.packedAtOnce, .none, .packed, .none, .none])
    }

    @Test func digestsAreThoseOfTheFarmsRenderer() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", "layer=l1:Sky\n")
        let remote = broker()
        #expect(remote.run(["export", path, "--size", "1x"] + Self.remote).code == .done)
        let sent = try #require(remote.now.jobs[1]?.submission.picture.options.digest)
        // The embedded farm with that renderer says the same of the same picture.
        let transcript = Transcript()
        let farm = FakeFarm(rendererVersion: "7")
        var environment = remote.environment(transcript.console())
        environment.exports.makeFarm = { _, _, _ in farm }
        #expect(InkCommands.run(["export", path, "--size", "1x", "--if-exists", "overwrite"], environment) == .done)
        #expect(farm.requests.first?.options.digest == sent)
        // And a picture with that digest is up to date.
        environment.exports.storedDigest = { _ in sent }
        let again = ["export", path, "--size", "1x", "--if-exists", "skip-unchanged"] + Self.remote
        #expect(InkCommands.run(again, environment) == .done)
        #expect(transcript.output.contains("1 unchanged"), "\(transcript.output)")
        #expect(remote.now.jobs.count == 1)
    }

    @Test func failuresAreThoseOfTheirPictures() {
        let folder = ScratchFolder()
        for name in ["a", "bad", "gone", "lost", "refused", "z"] { folder.file("in/\(name).ink", "") }
        folder.file("in/y.ink", "broken")
        let (code, output, error) = broker().run(["export", folder("in"), "-o", folder("out")] + Self.remote)
        #expect(code == .exportFailed)
        #expect(output.hasPrefix("2 exported, 5 failed in "), "\(output)")
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a-2k.png", "out/z-2k.png"])
        for message in [
            "bad.ink: layers[0]: is bad", "cancelled", "it is gone", "not below a root", "layers[0]: is broken",
        ] {
            #expect(error.contains(message), "\(message) is missing in \(error)")
        }
    }

    @Test func oneKindOfFailureIsTheExitCode() {
        let folder = ScratchFolder()
        let path = folder.file("bad.ink", "")
        #expect(broker().run(["export", path] + Self.remote).code == .badInput)
        let refused = folder.file("refused.ink", "")
        #expect(broker().run(["export", refused] + Self.remote).code == .forbidden)
    }

    @Test func noBrokerIs69() {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", "")
        let broker = FakeBroker(answers: { _ in nil })
        let (code, _, error) = broker.run(["export", path, "--timeout", "2"] + Self.remote)
        #expect(code == .unreachable)
        #expect(error == "ink: error: no answer from tcp://fake:1 within 2.0 s: nobody is there\n")
        #expect(folder.files == ["a.ink"])
    }

    @Test(arguments: [
        ["--workers", "2", "--broker", "tcp://127.0.0.1:1"], ["--key", "k"], ["--insecure"], ["--timeout", "5"],
        ["--broker", "farm"], ["--broker", "tcp://farm.example:5571"],
        ["--broker", "tcp://127.0.0.1:1", "--key", "k"],
    ])
    func badRemoteOptionsAreUsage(options: [String]) {
        let folder = ScratchFolder()
        let (code, _, error) = broker().run(["export", folder.file("a.ink", "")] + options)
        #expect(code == .usage, "\(error)")
        #expect(error.split(separator: "\n").count == 1, "\(error)")
    }

    /// Requests of a farm without the command around it.
    private func request(_ id: Int, _ name: String, content: UInt8, in folder: ScratchFolder) -> PictureRequest {
        var project = Project(canvasSize: PixelSize(width: 4, height: 4))
        project.name = String(content)
        return PictureRequest(
            id: id, name: name, project: project, size: project.canvasSize.pixels,
            options: PictureOptions(digest: [UInt8](repeating: 1, count: 32)), output: folder("\(id).png"),
            contentDigest: [UInt8](repeating: content, count: 32))
    }

    private final class Events: Sendable {
        let all = Mutex<[FarmEvent]>([])

        /// Waits until it holds, at most 10 s.
        func wait(_ isThere: ([FarmEvent]) -> Bool) -> [FarmEvent] {
            for _ in 0..<10_000 {
                let events = all.withLock { $0 }
                if isThere(events) { return events }
                usleep(1000)
            }
            return all.withLock { $0 }
        }
    }

    private func start(_ broker: FakeBroker, timeout: Int? = nil) throws -> (RemoteFarm, Events) {
        let farm = try RemoteFarm(
            RemoteOptions(endpoint: "tcp://fake:1", timeoutMilliseconds: timeout),
            broker.environment(Transcript().console()).connect)
        let events = Events()
        try farm.start { event in events.all.withLock { $0.append(event) } }
        return (farm, events)
    }

    @Test func aCancelledRunEndsItsJobsAtTheBroker() throws {
        let folder = ScratchFolder()
        let broker = broker()
        let (farm, events) = try start(broker)
        for id in 0..<3 { farm.submit(request(id, "slow.ink", content: UInt8(id), in: folder)) }
        _ = events.wait { events in (0..<3).allSatisfy { events.contains(.taken($0)) } }
        // One whose number is still on its way.
        broker.hold()
        farm.submit(request(3, "slow.ink", content: 3, in: folder))
        while broker.now.held.isEmpty { usleep(1000) }
        farm.cancelAll()
        while broker.now.orders.isEmpty { usleep(1000) }
        broker.release()
        let all = events.wait { events in (0..<4).allSatisfy { events.contains(.cancelled($0)) } }
        #expect((0..<4).allSatisfy { all.contains(.cancelled($0)) }, "\(all)")
        farm.stop()
        let cancelled = broker.now.orders.flatMap { order in
            if case .cancel(let jobs) = order { jobs } else { [JobNumber]() }
        }
        #expect(Set(cancelled) == Set(1...4), "\(broker.now.orders)")
        #expect(broker.now.isStopped)
        // Each ends once.
        for id in 0..<4 { #expect(events.all.withLock { $0.count { $0 == .cancelled(id) } } == 1) }
    }

    @Test func aPictureThatIsFinishedWhileItIsCancelledIsNotKeptAnywhere() throws {
        let folder = ScratchFolder()
        let broker = broker()
        let (farm, events) = try start(broker)
        farm.submit(request(0, "late.ink", content: 0, in: folder))
        _ = events.wait { $0.contains(.taken(0)) }
        farm.cancelAll()
        let all = events.wait { $0.contains(.cancelled(0)) }
        farm.stop()
        #expect(all.contains(.cancelled(0)), "\(all)")
        let now = broker.now
        #expect(now.orders == [.cancel([1]), .purge([1], endedSecondsAgo: 0)], "\(now.orders)")
        #expect(now.fetched.isEmpty && now.taken == [101] && now.isStopped)
    }

    @Test func aBrokerThatIsAwayOnlyDelays() throws {
        let folder = ScratchFolder()
        let broker = broker()
        let (farm, events) = try start(broker)
        farm.submit(request(0, "slow.ink", content: 0, in: folder))
        _ = events.wait { $0.contains(.taken(0)) }
        broker.emit(.disconnected(reason: "silent for 3000 ms"))
        let told = events.wait { $0.contains { if case .news = $0 { true } else { false } } }
        #expect(told.contains { if case .news(let text) = $0 { text.contains("does not answer") } else { false } })
        broker.emit(
            .connected(
                ClientWelcome(
                    brokerName: "b", storeID: .random(), heartbeatMilliseconds: 1, livenessMilliseconds: 2)))
        broker.emit(.notice(Notice(id: 9, job: 1, ending: .finished(FakeBroker.picture(1)))))
        let all = events.wait { $0.contains { if case .finished(0, _) = $0 { true } else { false } } }
        #expect(folder.text("0.png") == "picture 1", "\(all)")
        farm.stop()
    }

    @Test func aBrokerThatIsAwayForTooLongIsGivenUp() throws {
        let folder = ScratchFolder()
        let broker = broker()
        let (farm, events) = try start(broker, timeout: 300)
        farm.submit(request(0, "slow.ink", content: 0, in: folder))
        _ = events.wait { $0.contains(.taken(0)) }
        broker.emit(.disconnected(reason: "silent"))
        let all = events.wait { $0.contains { if case .failed(0, _) = $0 { true } else { false } } }
        guard case .failed(0, let failure) = all.last else {
            Issue.record("\(all)")
            return
        }
        #expect(failure.kind == .unreachable)
        farm.stop()
    }

    /// 300 projects: only a few are in memory before the broker has them, however long pictures take.
    @Test func projectsDoNotWaitInMemoryForTheirPictures() {
        let folder = ScratchFolder()
        for index in 0..<300 { folder.file("in/\(index).ink", "") }
        let broker = broker()
        let opened = Mutex(0)
        struct CountingOpener: ProjectOpener {
            let onOpen: @Sendable () -> Void
            func open(_ input: ExportInput) throws(EngineError) -> OpenedProject {
                onOpen()
                return try FakeOpener().open(input)
            }
        }
        let transcript = Transcript()
        var environment = broker.environment(transcript.console())
        environment.exports.makeOpener = { _ in CountingOpener { opened.withLock { $0 += 1 } } }
        broker.hold()
        let atMost = Mutex(0)
        DispatchQueue.global().async {
            while broker.now.held.count < 16 { usleep(1000) }
            usleep(50_000)
            // Read, but for those that the broker has not taken: none beyond the room for them.
            atMost.withLock { $0 = opened.withLock { $0 } }
            broker.release()
        }
        let code = InkCommands.run(["export", folder("in"), "-o", folder("out")] + Self.remote, environment)
        #expect(code == .done, "\(transcript.error)")
        #expect(atMost.withLock { $0 } == 16)
        #expect(folder.files.count { $0.hasPrefix("out/") } == 300)
    }

    @Test func namesFitTheProtocol() {
        #expect(ProjectPacking.name("") == "project")
        #expect(ProjectPacking.name("a.ink") == "a.ink")
        // Else the broker would look for an archive.
        #expect(ProjectPacking.name("in/flower.ZIP") == "in/flower")
        let long = String(repeating: "ä/", count: 300) + "x.ink"
        let name = ProjectPacking.name(long)
        #expect(name.utf8.count <= ProtocolLimits.nameBytes)
        #expect(name.hasPrefix("...") && name.hasSuffix("/x.ink"))
    }
}
