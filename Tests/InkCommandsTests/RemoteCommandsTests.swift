import Dispatch
import Glibc
import InkClient
import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkCommands
@testable import InkExports

/// The commands of a client against a broker that answers as told.
@Suite struct RemoteCommandsTests {
    // MARK: Submit

    @Test func submitPrintsAJobAPicture() throws {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "layer=l1:Sky\nlayer=l2:Sea\n")
        folder.file("in/sub/b.ink", "layer=l2:Sea\n")
        let broker = FakeBroker()
        let (code, output, error) = broker.run(
            [
                "submit", folder("in"), "--size", "2k,50x50", "--layers", "Sea", "--background", "#010203", "--dpi",
                "72",
                "--rgb", "--effort", "fast", "--tile", "64x32", "--no-metadata", "--no-base", "--priority", "urgent",
                "--insecure",
            ])
        #expect(code == .done, "\(error)")
        #expect(output == "1\ta-2k.png\n2\ta-50x50.png\n3\tsub/b-2k.png\n4\tsub/b-50x50.png\n")
        let jobs = broker.now.jobs
        #expect(jobs.count == 4)
        let first = try #require(jobs[1])
        let second = try #require(jobs[2])
        // Both sizes of one project are one content.
        #expect(first.submission.source == second.submission.source)
        #expect(first.submission.source != jobs[3]?.submission.source)
        guard case .content(let id, let byteCount, .zstd) = first.submission.source,
            case .bytes(let bytes) = first.content
        else {
            Issue.record("no content: \(first)")
            return
        }
        #expect(id.digest == SHA256.digest(bytes))
        #expect(byteCount == UInt64(bytes.count))
        let project = try ProjectLoader.load(bytes: Zstandard.decompress(bytes, limit: 1 << 20)).project
        #expect(project.layers.map(\.name) == ["Sky", "Sea"])
        #expect(first.submission.name == folder("in/a.ink"))
        #expect(first.submission.delivery == .fetch)
        #expect(first.submission.priority == JobPriority.urgent)
        var picture = PictureSpec(size: .named("2k"))
        picture.options.background = RGBA8(red: 1, green: 2, blue: 3)
        picture.options.includesBaseImage = false
        picture.options.layers = [1]
        picture.options.colorMode = .rgb
        picture.options.encoding.effort = .fast
        picture.options.tile = PixelSize(width: 64, height: 32)
        picture.options.dotsPerInch = 72
        picture.options.hasMetadata = false
        // What a later export recognises the picture by; that of another size is another one.
        picture.options.digest = first.submission.picture.options.digest
        #expect(
            picture.options.digest?.count == 32 && second.submission.picture.options.digest != picture.options.digest)
        #expect(first.submission.picture == picture)
        #expect(second.submission.picture.size == .named("50x50"))
        #expect(jobs[3]?.submission.picture.options.layers == [0])
        #expect(broker.now.isStopped)
    }

    @Test("Names of submitted pictures follow a tab; programs that want numbers alone get them with --quiet")
    func submittedNamesAndNumbers() throws {
        let folder = ScratchFolder()
        folder.file("in/a\tb\n.ink", "")
        let broker = FakeBroker()
        #expect(broker.run(["submit", folder("in"), "--insecure"]).output == "1\ta_b_-2k.png\n")
        #expect(broker.run(["submit", folder("in"), "--quiet", "--insecure"]).output == "2\n")
        #expect(broker.run(["submit", folder("in"), "-q", "-v", "--insecure"]).code == .usage)
        // What `ink wait -` and other commands read.
        let jobs = try JobList.read(["-"]) { Array("1\ta 7-2k.png\n12\t3-2k.png\n4 5-6\n".utf8) }
        #expect(jobs == [1, 12, 4, 5, 6])
    }

    @Test("ink jobs lists all jobs of a broker page by page, with the causes of failures")
    func jobsAreListed() throws {
        let jobs = (1...2500).map { number in
            number.isMultiple(of: 1000)
                ? #"{"job": \#(number), "state": "failed", "name": "b/\#(number).ink", "size": "2k", "reason": "layers[0]: is broken"}"#
                : #"{"job": \#(number), "state": "finished", "name": "a.ink", "size": "2k", "owner": "ann@host"}"#
        }
        let broker = FakeBroker { topic in
            guard case .jobs(let after, let limit) = topic else { return "null" }
            let page = jobs.dropFirst(Int(after)).prefix(limit)
            return #"{"jobs": [\#(page.joined(separator: ","))], "more": \#(Int(after) + limit < jobs.count)}"#
        }
        let all = broker.run(["jobs", "--insecure"])
        #expect(all.code == .done && all.output.split(separator: "\n").count == 2501, "\(all.error)")
        let failed = broker.run(["jobs", "--state", "failed", "--insecure"])
        #expect(
            failed.output == """
                JOB   STATE   SIZE  FORMAT  OWNER  PICTURE     REASON
                1000  failed  2k    png     -      b/1000.ink  layers[0]: is broken
                2000  failed  2k    png     -      b/2000.ink  layers[0]: is broken

                """)
        let lines = broker.run(["jobs", "--state", "failed,queued", "--json", "--insecure"]).output
            .split(separator: "\n")
        #expect(try lines.map { try JSONReader.read(Array($0.utf8))["job"]?.integer } == [1000, 2000])
        let wrong = broker.run(["jobs", "--state", "faild", "--insecure"])
        #expect(wrong.code == .usage && wrong.error.contains("did you mean failed?"), "\(wrong.error)")
        #expect(FakeBroker { _ in #"{"jobs": [], "more": false}"# }.run(["jobs", "--insecure"]).output == "No jobs\n")
    }

    @Test func submitWritesBelowTheOutputRoot() throws {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "layer=l1:Sky\nlayer=-l2:Sea\n")
        folder.file("in/sub/b.ink", "layer=l3:Hill\n")
        let broker = FakeBroker()
        let (code, output, error) = broker.run(
            ["submit", folder("in"), "--into", "today/", "--each-layer", "--json", "--insecure"])
        #expect(code == .done, "\(error)")
        let deliveries = broker.now.jobs.sorted { $0.key < $1.key }.map(\.value.submission.delivery)
        #expect(deliveries == [.write("today/a-Sky-2k.png"), .write("today/sub/b-Hill-2k.png")])
        let lines = try output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
        #expect(lines.map { $0["job"]?.integer } == [1, 2])
        #expect(lines.map { $0["output"]?.string } == ["today/a-Sky-2k.png", "today/sub/b-Hill-2k.png"])
        #expect(lines.map { $0["layer"]?.integer } == [0, 0])
        #expect(broker.now.jobs[1]?.submission.priority == JobPriority.bulk)
    }

    @Test func sharedProjectsTravelByPath() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", "broken")
        let broker = FakeBroker()
        let (code, output, error) = broker.run(["submit", path, "--shared", "--insecure"])
        #expect(code == .done, "\(error)")
        #expect(output == "1\ta-2k.png\n")
        #expect(broker.now.jobs[1]?.submission.source == .path(path))
        // Layers are numbers on the way, so their names have to be read.
        #expect(broker.run(["submit", path, "--shared", "--layers", "Sea", "--insecure"]).code == .badInput)
    }

    @Test func whatCannotBeSubmittedIsSaidAndTheOthersGoOn() {
        let folder = ScratchFolder()
        for name in ["a", "b-refused", "d"] { folder.file("in/\(name).ink", "") }
        folder.file("in/c.ink", "broken")
        let broker = FakeBroker()
        let (code, output, error) = broker.run(["submit", folder("in"), "--insecure"])
        #expect(code == .exportFailed)
        #expect(output == "1\ta-2k.png\n2\td-2k.png\n")
        let lines = error.split(separator: "\n")
        #expect(lines.count == 2, "\(error)")
        #expect(error.contains("\(folder("in/c.ink")): layers[0]: is broken"), "\(error)")
        #expect(error.contains("b-refused.ink: the broker refused it: not below a root"), "\(error)")
    }

    @Test(arguments: [
        [], ["x", "--into", "/abs"], ["x", "--into", "a/../b"], ["x", "--into", ""],
        ["x", "--priority", "11"], ["x", "--priority", "high"], ["-", "--shared"], ["x", "--broker", "host"],
        ["x", "--key", "k"], ["x", "--timeout", "never"], ["x", "-o", "d"],
    ])
    func badSubmissionsAreUsage(arguments: [String]) {
        let broker = FakeBroker()
        let (code, _, error) = broker.run(["submit"] + arguments)
        #expect(code == .usage, "\(arguments): \(error)")
        #expect(error.split(separator: "\n").count == 1)
        #expect(broker.options.withLock { $0 } == nil)
    }

    @Test func manySubmissionsWaitForRoom() {
        let folder = ScratchFolder()
        for index in 0..<100 { folder.file("in/\(index).ink", "") }
        let broker = FakeBroker()
        broker.hold()
        DispatchQueue.global().async {
            // As many as may be open, then none.
            while broker.now.held.count < 32 { usleep(1000) }
            broker.release()
        }
        let (code, output, error) = broker.run(["submit", folder("in"), "--insecure"])
        #expect(code == .done, "\(error)")
        #expect(output.split(separator: "\n").count == 100)
    }

    // MARK: Wait

    private static let pages: @Sendable (Topic) -> String? = { topic in
        guard case .jobs(let after, let limit) = topic else { return "null" }
        let names = ["in/a.ink", "in/b.ink", "sub/a.ink", "in/bad.ink", "in/gone.ink", "in/w.ink", "in/lost.ink"]
        let jobs = names.indices.filter { $0 >= Int(after) }.prefix(min(limit, 2)).map { index in
            let output = index == 5 ? #", "output": "today/w-2k.png""# : ""
            return #"{"job": \#(index + 1), "name": "\#(names[index])", "size": "2k"\#(output)}"#
        }
        return #"{"jobs": [\#(jobs.joined(separator: ","))], "more": \#(Int(after) + 2 < names.count)}"#
    }

    private func waitingBroker() -> FakeBroker {
        let broker = FakeBroker(answers: Self.pages)
        for (index, name) in ["in/a.ink", "in/b.ink", "sub/a.ink"].enumerated() {
            let job = JobNumber(index + 1)
            broker.put(job, name: name, ending: .finished(FakeBroker.picture(job)))
        }
        broker.put(4, name: "in/bad.ink", ending: .failed(.inputOutput, text: "in/bad.ink: disk full"))
        broker.put(5, name: "in/gone.ink", ending: .cancelled)
        broker.put(6, name: "in/w.ink", ending: .finished(FakeBroker.picture(6)))
        broker.put(7, name: "in/lost.ink", ending: .finished(FakeBroker.picture(7)))
        return broker
    }

    @Test func waitFetchesPictures() {
        let folder = ScratchFolder()
        let broker = waitingBroker()
        let (code, output, error) = broker.run(["wait", "1-3", "6", "1", "-o", folder("out"), "--insecure"])
        #expect(code == .done, "\(error)")
        // Two projects of one name: their pictures have the jobs' numbers.
        #expect(folder.files == ["out/a-2k-1.png", "out/a-2k-3.png", "out/b-2k.png"])
        #expect(folder.text("out/a-2k-3.png") == "picture 3")
        #expect(output.split(separator: "\n").count == 4)
        #expect(output.contains("2 finished \(folder("out/b-2k.png")) (40x30, 9 B, 1 ms)\n"), "\(output)")
        #expect(output.contains("6 finished today/w-2k.png ("), "\(output)")
        #expect(broker.now.taken.sorted() == [101, 102, 103, 106])
        // Once more: the very pictures are there, nothing is fetched.
        let again = waitingBroker()
        #expect(again.run(["wait", "1-3", "-o", folder("out"), "--insecure", "--quiet"]).output.isEmpty)
        #expect(again.now.fetched.isEmpty)
        // Of one that is something else, of as many bytes, it is fetched again.
        folder.file("out/b-2k.png", "Picture!2")
        let third = waitingBroker()
        _ = third.run(["wait", "1-3", "-o", folder("out"), "--insecure", "--quiet"])
        #expect(third.now.fetched.count == 1 && folder.text("out/b-2k.png") == "picture 2")
        #expect(again.now.taken.count == 3)
    }

    @Test(arguments: [
        (["4"], ExitCode.inputOutput, "job 4: in/bad.ink: disk full"), (["5"], .exportFailed, "job 5: cancelled"),
        (["99"], .usage, "job 99: the broker does not know this job; it may have been purged"),
        (["4", "99"], .exportFailed, "job 99: the broker"), (["1", "4"], .inputOutput, "job 4: "),
        (["7"], .inputOutput, "the broker has no picture of job 7: it is gone"),
    ])
    func waitLeavesWithWhatWentWrong(jobs: [String], expected: ExitCode, message: String) {
        let folder = ScratchFolder()
        let broker = waitingBroker()
        let (code, _, error) = broker.run(["wait"] + jobs + ["-o", folder("out"), "--insecure"])
        #expect(code == expected, "\(error)")
        #expect(error.contains("ink: error: \(message)"), "\(error)")
    }

    @Test func waitPrintsJSONAndReadsNumbers() throws {
        let broker = waitingBroker()
        let (code, output, _) = broker.run(["wait", "-", "--no-fetch", "--json", "--insecure"], input: "1\n4 \n")
        #expect(code == .inputOutput)
        let lines = try output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
        #expect(lines.count == 2)
        let finished = try #require(lines.first { $0["job"]?.integer == 1 })
        #expect(finished["state"]?.string == "finished")
        #expect(finished["bytes"]?.integer == 9)
        #expect(finished["sha256"]?.string == SHA256.digest(Array("picture 1".utf8)).hexadecimal)
        let failed = try #require(lines.first { $0["job"]?.integer == 4 })
        #expect(failed["state"]?.string == "failed")
        #expect(failed["code"]?.integer == 74)
        #expect(broker.now.fetched.isEmpty)
        #expect(broker.run(["wait", "-"], input: " \n").code == .done)
    }

    // MARK: Orders

    @Test func ordersSayWhatCameOfThem() {
        let broker = FakeBroker(orderResult: OrderResult(number: 1, code: .done, count: 3, text: ""))
        #expect(broker.run(["cancel", "3-5"]).output == "3 jobs cancelled\n")
        #expect(broker.run(["retry", "-"], input: "7 8\n9").output == "3 jobs queued again\n")
        #expect(broker.run(["priority", "-3", "1"]).output == "3 jobs now at priority -3\n")
        #expect(broker.run(["priority", "--", "-3", "1"]).code == .done)
        #expect(broker.run(["priority", "bulk", "1", "2"]).code == .done)
        #expect(broker.run(["purge", "1"]).output == "3 jobs purged\n")
        #expect(broker.run(["purge", "--older-than", "2d"]).code == .done)
        #expect(broker.run(["drain", "w 1"]).output == "3 workers draining\n")
        #expect(
            broker.now.orders == [
                .cancel([3, 4, 5]), .retry([7, 8, 9]), .priority([1], -3), .priority([1], -3), .priority([1, 2], -5),
                .purge([1], endedSecondsAgo: 0), .purge([], endedSecondsAgo: 172_800), .drain(worker: "w 1"),
            ])
    }

    @Test func whatTheBrokerDidNotDoIsSaid() {
        let partly = FakeBroker(
            orderResult: OrderResult(number: 1, code: .partly, count: 1, text: "not under way: job 5"))
        let (code, output, error) = partly.run(["cancel", "4", "5"])
        #expect(code == .exportFailed)
        #expect(output == "1 job cancelled\n")
        #expect(error == "ink: error: not under way: job 5\n")
        let refused = FakeBroker(
            orderResult: OrderResult(number: 1, code: .refused, count: 0, text: "there is no such worker"))
        #expect(refused.run(["drain", "x"]).code == .usage)
        #expect(refused.run(["drain", "x"]).output.isEmpty)
    }

    @Test(
        "A job that does not exist is the command line's mistake, one in another state is not",
        arguments: [("4", ExitCode.usage), ("5", .exportFailed), ("4 6-9", .usage), ("4 5", .exportFailed)])
    func ordersForUnknownJobs(jobs: String, code: ExitCode) {
        let broker = FakeBroker(
            answers: { topic in
                guard case .jobs(let after, _) = topic else { return "{}" }
                return after < 5 ? #"{"jobs": [{"job": 5}], "more": false}"# : #"{"jobs": [], "more": false}"#
            }, orderResult: OrderResult(number: 1, code: .refused, count: 0, text: "not under way, or unknown"))
        for command in ["cancel", "retry", "purge"] {
            #expect(broker.run([command] + jobs.split(separator: " ").map(String.init)).code == code, "\(command)")
        }
    }

    @Test(arguments: [
        ["cancel"], ["cancel", "0"], ["cancel", "x"], ["cancel", "5-3"], ["cancel", "1-2-3"], ["cancel", "-", "-"],
        ["cancel", "1-9999999"], ["retry", "18446744073709551616"], ["priority", "5"], ["priority", "99", "1"],
        ["purge"], ["purge", "1", "--older-than", "1d"], ["purge", "--older-than", "1"], ["drain"], ["story"],
        ["story", "x"], ["status", "x"], ["wait"], ["wait", "1", "-o", ""], ["wait", "1", "-o", "x", "--no-fetch"],
        ["cancel", "1", "--broker", "tcp://*:5571"], ["cancel", "1", "--broker-key", "x"],
        ["cancel", "1", "--broker", "tcp://farm.example:5571"],
    ])
    func badOrdersAreUsage(arguments: [String]) {
        let broker = FakeBroker()
        let (code, _, error) = broker.run(arguments, input: "1")
        #expect(code == .usage, "\(arguments): \(error)")
        #expect(error.split(separator: "\n").count == 1, "\(error)")
        #expect(broker.now.orders.isEmpty)
    }

    @Test("Jobs are read from what \"ink submit --json\" prints, with what they are made of")
    func jobsOfSubmitJSON() throws {
        let folder = ScratchFolder()
        folder.file("a.ink", "layer=l1:Sky\n")
        let broker = FakeBroker()
        let (_, output, _) = broker.run(["submit", folder("a.ink"), "--size", "2k,4k", "--json", "--insecure"])
        var submissions: [JobNumber: ContentID] = [:]
        let jobs = try JobList.read(["-"], submissions: &submissions) { () throws(EngineError) in
            Array((output + "17 19-20\n").utf8)
        }
        #expect(jobs == [1, 2, 17, 19, 20])
        #expect(submissions == broker.now.jobs.mapValues(\.submission.digest))
        let (code, _, error) = broker.run(["wait", "-", "--no-fetch", "--insecure"], input: output)
        #expect(code == .done, "\(error)")
        #expect(broker.now.expected == submissions)
        for wrong in ["{", "{\"job\": -1}", "{\"job\": \"1\"}"] {
            #expect(broker.run(["wait", "-", "--insecure"], input: wrong).code == .usage, "\(wrong)")
        }
    }

    @Test("Where the disk of the broker takes nothing, the health check fails and says why")
    func unwellBroker() {
        let broker = FakeBroker(answers: { _ in
            #"{"jobs": {"ending": 2}, "store": {"usedBytes": 1, "quotaBytes": 2, "problem": "/d: the disk is full"}}"#
        })
        let (code, output, _) = broker.run(["status", "--insecure"])
        #expect(code == .inputOutput && output.contains("Problem  /d: the disk is full"), "\(output)")
        #expect(output.contains("2 ending"), "\(output)")
    }

    @Test(arguments: 0..<100)
    func jobListsReadBackAsTheyAreShown(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let jobs = Set(
            (0..<Int.random(in: 1...30, using: &random)).map { _ in
                JobNumber.random(in: 1...40, using: &random)
            }
        ).sorted()
        let words = jobs.shortText.split(separator: " ").map(String.init)
        let read = try JobList.read(words) { () throws(EngineError) in [] }
        #expect(read == jobs, "seed \(seed): \(jobs.shortText)")
    }

    // MARK: Status

    private static let status = """
        {"broker": {"name": "farm\\u001b[2J", "version": "ink 0.1.0", "uptimeSeconds": 3700, "state": "serving"},
         "jobs": {"queued": 12, "running": 1, "finished": 340, "failed": 2, "cancelled": 1}, "queue": {"limit": 100},
         "clients": 3, "workers": [{"name": "w1", "renderer": "1", "threads": 4, "held": 8, "done": 1203,
           "tasksPerSecond": 12.54, "lastHeardMilliseconds": 200, "state": "busy", "key": null, "address": "10.0.0.2"}],
         "exports": [{"job": 7, "name": "a.ink", "file": "a-2k.png", "owner": "ann", "done": 40, "total": 120,
                      "timeLeft": {"seconds": 12, "low": 8, "high": 20}}],
         "timeLeft": {"seconds": 300, "low": 280, "high": 310},
         "throughput": {"picturesPerMinute": 25.04, "tasksPerSecond": 120, "megapixelsPerSecond": 35.2},
         "tasks": {"dispatched": 10, "finished": 9, "failed": 1, "raced": 2, "verified": 0},
         "store": {"usedBytes": 1288490188, "quotaBytes": 68719476736}, "memory": {"blockBytes": 54525952, "spilledBytes": 0}}
        """

    @Test func statusIsATable() throws {
        let broker = FakeBroker(answers: { $0 == .status ? Self.status : "null" })
        let (code, output, _) = broker.run(["status"])
        #expect(code == .done)
        #expect(
            output == """
                Broker   farm\\u{1b}[2J (ink 0.1.0), serving, up 1:01:40
                Jobs     12 queued of at most 100, 1 running, 340 finished, 2 failed, 1 cancelled
                Speed    25.0 pictures/min, 120.0 tasks/s, 35.2 Mpixels/s
                Left     about 5:00
                Tasks    9 done, 1 failed, 2 raced, 0 verified
                Storage  1.2 GiB of 64.0 GiB used; blocks: 52.0 MiB, 0 B spilled
                Clients  3

                WORKER  STATE  THREADS  HELD  DONE  TASKS/S  HEARD   RENDERER  ADDRESS
                w1      busy   4        8     1203  12.5     200 ms  1         10.0.0.2

                JOB                          DONE  TILES   LEFT       OWNER  PICTURE
                7    [######              ]   33%  40/120  8 to 20 s  ann    a-2k.png

                """, "\(output)")
        let json = try JSONReader.read(Array(broker.run(["status", "--json"]).output.utf8))
        #expect(json["jobs"]?["queued"]?.integer == 12)
        #expect(broker.run(["status", "9"]).code == .usage)
    }

    @Test(arguments: [(10, 20), (24, 80), (50, 200)])
    func statusFitsTheTerminal(rows: Int, columns: Int) throws {
        let worker = #"{"name": "w", "state": "busy", "threads": 1}"#
        let export = #"{"job": 1, "name": "a long name of a project", "done": 1, "total": 2}"#
        let text = """
            {"workers": [\(Array(repeating: worker, count: 60).joined(separator: ","))],
             "exports": [\(Array(repeating: export, count: 60).joined(separator: ","))]}
            """
        let status = try JSONReader.read(Array(text.utf8))
        let lines = StatusText(columns: columns, isCut: true).lines(status: status, rowsMax: rows - 1)
        #expect(lines.allSatisfy { $0.count < columns })
        // The head and a few of each are always there.
        #expect(lines.count <= max(rows, 14), "\(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.hasPrefix("JOB") })
        #expect(lines.contains { $0.hasPrefix("WORKER") })
    }

    @Test(
        "On narrow terminals names of jobs can be told apart, and reasons stand on lines of their own",
        arguments: [40, 60, 80])
    func jobsOnNarrowTerminals(columns: Int) throws {
        let jobs = try (1...3).map { number in
            try JSONReader.read(
                Array(
                    #"""
                    {"job": \#(number), "state": "failed", "size": "2k", "owner": "somebody@a-long-host.example",
                     "name": "drawings/a long folder/another/frame-000\#(number).ink",
                     "reason": "layers[0].strokes[3].points[7]: x must be a number, is a string"}
                    """#.utf8))
        }
        let lines = StatusText(columns: columns).lines(jobs: jobs)
        #expect(lines.count == 7)
        for number in 1...3 {
            let line = lines[2 * number - 1]
            #expect(line.columns < columns && line.hasSuffix("000\(number).ink"), "\(lines)")
            #expect(lines[2 * number] == "  layers[0].strokes[3].points[7]: x must be a number, is a string")
        }
    }

    @Test("A broker that leaves is asked for warnings once, not for each job whose end is known")
    func warningsOfManyJobs() {
        let asked = Mutex(0)
        let broker = FakeBroker(answers: { topic in
            guard case .job = topic else { return #"{"jobs": [], "more": false}"# }
            asked.withLock { $0 += 1 }
            return nil
        })
        for job in 1...20 {
            broker.put(JobNumber(job), name: "a.ink", ending: .finished(FakeBroker.picture(JobNumber(job))))
        }
        let (code, output, error) = broker.run(["wait", "1-20", "--no-fetch", "--insecure", "--timeout", "0.1"])
        #expect(code == .done)
        #expect(output.split(separator: "\n").count == 20, "\(output)")
        #expect(asked.withLock { $0 } == 1 && error.split(separator: "\n").count == 1, "\(error)")
    }

    @Test func nobodyThereIs69() {
        let broker = FakeBroker(answers: { _ in nil })
        for command in [["status"], ["status", "--watch"], ["story", "1"], ["wait", "1"]] {
            let (code, _, error) = broker.run(command + ["--timeout", "1.5"])
            #expect(code == .unreachable, "\(command)")
            #expect(error == "ink: error: no answer from tcp://fake:1 within 1.5 s: nobody is there\n", "\(error)")
        }
    }

    @Test func watchingAJobEndsWithIt() {
        let count = Mutex(0)
        let broker = FakeBroker(answers: { topic in
            guard topic == .job(7) else { return "null" }
            let turn = count.withLock { count in
                count += 1
                return count
            }
            // The broker is away for a while in between.
            if turn == 2 { return nil }
            let end = turn > 3 ? #", "endedAt": 1000"# : ""
            return #"{"job": 7, "name": "a.ink", "state": "running", "done": \#(turn), "total": 9\#(end)}"#
        })
        let (code, output, error) = broker.run(["status", "7", "--watch"])
        #expect(code == .done)
        #expect(output.split(separator: "\n").count == 3, "\(output)")
        #expect(error.contains("ink: warning: "), "\(error)")
    }

    @Test func aStoryIsATable() {
        let story = """
            {"job": 7, "events": [
              {"ms": 12, "task": "tile 0,3", "attempt": 1, "worker": "w1", "what": "dispatched"},
              {"ms": 3400, "task": "tile 0,3", "attempt": 1, "worker": "w1", "what": "lost", "reason": "silent\\n"}],
             "forgotten": 3}
            """
        let broker = FakeBroker(answers: { $0 == .story(7) ? story : "null" })
        let (code, output, _) = broker.run(["story", "7"])
        #expect(code == .done)
        #expect(
            output == """
                MS    TASK      ATTEMPT  WHAT        WORKER  REASON
                12    tile 0,3  1        dispatched  w1
                3400  tile 0,3  1        lost        w1      silent\\n
                (3 later events are not kept)

                """, "\(output)")
        #expect(broker.run(["story", "8"]).code == .usage)
    }

    // MARK: The link

    @Test func patienceEndsWhenItShould() {
        let welcome = FarmClientEvent.connected(
            ClientWelcome(brokerName: "b", storeID: .random(), heartbeatMilliseconds: 1, livenessMilliseconds: 2))
        func link(_ timeout: Int?) -> LinkWatch {
            LinkWatch(RemoteOptions(endpoint: "tcp://h:1", timeoutMilliseconds: timeout))
        }
        var fresh = link(nil)
        #expect(fresh.failure(now: 29_999) == nil)
        #expect(fresh.failure(now: 30_000)?.exitCode == .unreachable)
        #expect(link(500).failure(now: 500)?.exitCode == .unreachable)
        fresh.note(.refused(reason: "too old"), now: 10)
        #expect(fresh.failure(now: 11)?.description == "the broker refused this client: too old")

        var kept = link(nil)
        kept.note(welcome, now: 5)
        kept.note(.disconnected(reason: "silent"), now: 100)
        #expect(kept.news(now: 200) == nil)
        #expect(kept.news(now: 2100)?.contains("does not answer (silent)") == true)
        #expect(kept.news(now: 2200) == nil)
        // It was there once: it is waited for as long as it takes.
        #expect(kept.failure(now: 1e9) == nil)
        kept.note(.refused(reason: "draining"), now: 3000)
        #expect(kept.failure(now: 1e9) == nil)
        kept.note(welcome, now: 5000)
        #expect(kept.news(now: 5001) == "the broker at tcp://h:1 is back")
        #expect(kept.news(now: 5002) == nil)

        var full = link(nil)
        let key = SubmissionKey.random()
        full.note(welcome, now: 5)
        full.note(.busy(key, retryMilliseconds: 1, reason: "2 jobs wait"), now: 100)
        #expect(full.news(now: 2099) == nil)
        full.note(.busy(key, retryMilliseconds: 1, reason: "2 jobs wait"), now: 2000)
        #expect(full.news(now: 2100) == "the broker at tcp://h:1 takes nothing for now (2 jobs wait); waiting for it")
        #expect(full.news(now: 9999) == nil && full.failure(now: 1e9) == nil)

        var timed = link(1000)
        timed.note(welcome, now: 5)
        timed.note(.disconnected(reason: "silent"), now: 100)
        #expect(timed.failure(now: 1099) == nil)
        #expect(timed.failure(now: 1100)?.exitCode == .unreachable)
    }
}
