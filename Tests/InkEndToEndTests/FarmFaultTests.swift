import Foundation
import Glibc
import InkTestSupport
import Testing

/// Real processes, real sockets, real signals.
@Suite("A farm of processes", .serialized)
struct FarmFaultTests {
    @Test("The pictures are those of one process", .timeLimit(.minutes(5)))
    func undisturbed() throws {
        let job = try FarmJob(sizes: "1080p")
        let farm = try FarmProcesses(workers: 2)
        let result = try farm.run(["export"] + job.inputs + job.options + ["-o", farm.path("out")])
        #expect(result.code == 0, "\(result.error)")
        #expect(try job.differences(in: farm.path("out")) == [])
    }

    @Test("Kill, stop and restart of each side at random moments", .timeLimit(.minutes(10)), arguments: [1, 2, 3, 4])
    func chaos(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let job = try FarmJob(sizes: "1080p,2k")
        let farm = try FarmProcesses(workers: 3)
        let export = try farm.client(["export"] + job.inputs + job.options + ["-o", farm.path("out")])
        var faults: [String] = []
        while export.isRunning, faults.count < 10 {
            usleep(UInt32.random(in: 100_000...700_000, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                faults.append("broker killed")
                farm.broker?.kill9()
                usleep(UInt32.random(in: 0...500_000, using: &random))
                try farm.startBroker()
            case 1:
                faults.append("worker killed")
                try farm.replaceWorker(Int.random(in: 0..<3, using: &random))
            case 2:
                faults.append("worker stopped")
                let worker = farm.workers[Int.random(in: 0..<3, using: &random)]
                worker.send(SIGSTOP)
                usleep(UInt32.random(in: 200_000...4_000_000, using: &random))
                worker.send(SIGCONT)
            default:
                faults.append("broker stopped")
                farm.broker?.send(SIGSTOP)
                usleep(UInt32.random(in: 200_000...4_000_000, using: &random))
                farm.broker?.send(SIGCONT)
            }
        }
        let result = export.wait()
        #expect(result.code == 0, "seed \(seed), \(faults): \(result.error)")
        let differences = try job.differences(in: farm.path("out"))
        #expect(differences == [], "seed \(seed), \(faults), \(result.error)")
    }

    @Test("Every acknowledged job ends after kill -9 of the broker, and clients go on waiting", .timeLimit(.minutes(5)))
    func acknowledgedJobsEnd() throws {
        let job = try FarmJob(sizes: "1080p")
        let farm = try FarmProcesses(workers: 0)
        let submitted = try farm.run(["submit", "--quiet"] + job.inputs + ["--size", "1080p", "--fill", "suggested"])
        let numbers = submitted.output.split(separator: "\n").map(String.init)
        #expect(submitted.code == 0 && numbers.count == job.expected.count, "\(submitted)")
        let waiting = try farm.client(["wait"] + numbers + ["-o", farm.path("out")])
        for round in 0..<3 {
            usleep(400_000)
            farm.broker?.kill9()
            try farm.startBroker()
            if round == 0 { for _ in 0..<2 { try farm.addWorker() } }
        }
        let result = waiting.wait()
        #expect(result.code == 0, "\(result.error)")
        #expect(try job.differences(in: farm.path("out")) == [])
        // Each job is begun in a life or two, and finished once. One whose end was on the disk when the broker was killed,
        // but not yet in its log, is not named there.
        let finished = farm.events("job.finished").compactMap { $0["job"] as? Int }
        #expect(Set(finished).count == finished.count, "\(finished)")
        #expect(Set(finished).isSubset(of: numbers.compactMap { Int($0) }), "\(finished)")
    }

    @Test(
        "A stopped worker is noticed within three heartbeats and its tiles are made elsewhere", .timeLimit(.minutes(5)))
    func silentWorker() throws {
        let job = try FarmJob(sizes: "4k")
        let farm = try FarmProcesses(workers: 2)
        #expect(farm.wait(seconds: 10) { farm.events("worker.joined").count == 2 })
        let export = try farm.client(["export"] + job.inputs + job.options + ["-o", farm.path("out")])
        #expect(farm.wait(seconds: 20) { farm.events("task.dispatched").contains { $0["worker"] as? String == "w1" } })
        let stopped = Date()
        farm.workers[0].send(SIGSTOP)
        #expect(farm.wait(seconds: 20) { !farm.events("worker.left").isEmpty })
        // Three heartbeats of a second, and a little for a busy machine; by the broker's log, whose reading takes its time.
        let left = farm.events("worker.left").first?["time"] as? String ?? ""
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let noticed = try format.parse(left).timeIntervalSince(stopped)
        #expect(noticed < 4.5, "noticed after \(noticed) s")
        let result = export.wait()
        farm.workers[0].send(SIGCONT)
        #expect(result.code == 0, "\(result.error)")
        #expect(try job.differences(in: farm.path("out")) == [])
    }

    @Test("Idle workers that die together are no fault of the next jobs", .timeLimit(.minutes(5)))
    func deadIdleWorkers() throws {
        let farm = try FarmProcesses(workers: 2)
        // Several images: more tasks at once than the living can take.
        let scene = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Benchmarks/scenes/scene-S.ink")
            .standardizedFileURL.path
        for round in 1...3 {
            let idle = try (0..<6).map { _ in try farm.addWorker() }
            #expect(farm.wait(seconds: 20) { farm.events("worker.joined").count == 2 + 6 * round })
            for worker in idle { worker.send(SIGKILL) }
            for worker in idle { worker.process.waitUntilExit() }
            // At once: the broker notices with its next heartbeat at the latest.
            let numbers = try (0..<3).map { _ in
                try farm.run(["submit", "--quiet", scene, "--size", "128x128"]).output.trimmingCharacters(in: .newlines)
            }
            let waited = try farm.run(["wait", "--no-fetch"] + numbers)
            #expect(waited.code == 0, "round \(round): \(waited.error)")
        }
    }

    @Test(
        "A tile that takes its workers down fails its job after three, with its story and a replay",
        .timeLimit(.minutes(5)))
    func poison() throws {
        let job = try FarmJob(sizes: "1080p")
        let farm = try FarmProcesses(workers: 3)
        #expect(farm.wait(seconds: 10) { farm.events("worker.joined").count == 3 })
        // Heavy enough to be caught in the act.
        let heavy = try farm.folder.file("heavy.ink", Self.heavyProject)
        // One tile, so that it is long under way.
        let options = ["--size", "1080p", "--fill", "suggested"]
        let poison = try farm.run(["submit", "--quiet", heavy, "--tile", "1920x1920"] + options)
        let others = try farm.run(["submit", "--quiet"] + job.inputs + options)
        let numbers = (poison.output + others.output).split(separator: "\n").compactMap { Int($0) }
        let victim = try #require(numbers.first)
        var seen: Set<String> = []
        let isOver = try farm.wait(seconds: 120) {
            for event in farm.events("task.dispatched") where event["job"] as? Int == victim {
                let (worker, task) = (event["worker"] as? String ?? "", event["task"] as? String ?? "")
                guard task == "tile 0,0", seen.insert(worker).inserted,
                    let index = farm.workers.firstIndex(where: { $0.name == worker })
                else { continue }
                try farm.replaceWorker(index)
            }
            return farm.events("job.failed").count + farm.events("job.finished").count == numbers.count
        }
        #expect(isOver, "\(farm.brokerLog.suffix(2000))")
        let failed = farm.events("job.failed")
        #expect(failed.count == 1 && failed.first?["job"] as? Int == victim, "\(failed)")
        let reason = failed.first?["reason"] as? String ?? ""
        #expect(reason.contains("tile 0,0 failed") && reason.contains("ink worker --replay"), "\(reason)")
        #expect((3...5).contains(seen.count), "\(seen)")
        let result = try farm.run(["wait"] + numbers.map(String.init) + ["-o", farm.path("out")])
        #expect(result.code == 70, "\(result)")
        let differences = try job.differences(in: farm.path("out"))
        #expect(differences == [])
        let replays = try FileManager.default.contentsOfDirectory(atPath: farm.path("data/replays"))
        #expect(replays.count == 1)
        let replay = try InkProcess.run(["worker", "--replay", farm.path("data/replays/\(replays.first ?? "")")])
        #expect(replay.code == 0 && replay.output.contains("SHA-256"), "\(replay)")
        let story = try farm.run(["story", String(victim)])
        #expect(story.code == 0 && story.output.contains("tile 0,0"), "\(story)")
    }

    /// One tile's worth of many strokes of dots, one over the other.
    private static var heavyProject: String {
        let strokes = (0..<500).map { index in
            let y = Double(index) / 2.5
            let brush = ##"{"type": "dots", "color": "#e0a94f", "spacing": 1, "scale": 0.4}"##
            return #"{"brush": \#(brush), "points": [[0, \#(y)], [200, \#(200 - y)]]}"#
        }
        return """
            {"version": "1.1", "id": "heavy", "name": "Heavy", "canvasSize": {"width": 200, "height": 200},
            "background": "#ffffff", "layers": [{"id": "a", "order": 0, "isVisible": true, "name": "A",
            "blendMode": "normal", "opacity": 1, "strokes": [\(strokes.joined(separator: ",\n"))]}]}
            """
    }

    @Test("SIGTERM drains both sides", .timeLimit(.minutes(5)))
    func termination() throws {
        let job = try FarmJob(sizes: "2k")
        let farm = try FarmProcesses(workers: 2)
        #expect(farm.wait(seconds: 10) { farm.events("worker.joined").count == 2 })
        let submitted = try farm.run(["submit", "--quiet"] + job.inputs + ["--size", "2k", "--fill", "suggested"])
        let numbers = submitted.output.split(separator: "\n").map(String.init)
        #expect(farm.wait(seconds: 20) { farm.events("task.finished").count > 3 })
        // A worker finishes what it holds and leaves.
        farm.workers[0].send(SIGTERM)
        #expect(farm.workers[0].end(seconds: 20) == 0, "\(farm.workers[0].log)")
        #expect(farm.events("task.lost").isEmpty)
        // The broker finishes what is under way; what waits is there in its next life.
        farm.broker?.send(SIGTERM)
        #expect(farm.broker?.end(seconds: 60) == 0, "\(farm.brokerLog.suffix(2000))")
        try farm.startBroker()
        let result = try farm.run(["wait"] + numbers + ["-o", farm.path("out")])
        #expect(result.code == 0, "\(result.error)")
        #expect(try job.differences(in: farm.path("out")) == [])
    }

    @Test("A broker may have as many files as the system allows, and writes nothing for people into its own")
    func openFiles() throws {
        let folder = try EndToEndFolder()
        let ink = try InkProcess.executable().path
        let broker = try FarmProcesses.Member(
            "broker", [], log: folder("log"),
            prefix: [
                "sh", "-c",
                "ulimit -S -n 64; exec '\(ink)' broker --data \(folder("data")) --log-level debug --log json "
                    + "--clients ipc://\(folder("c")) --workers ipc://\(folder("w")) <&- >&- 2>&-",
            ])
        defer { broker.kill9() }
        let limit = Date().addingTimeInterval(20)
        while !folder.files.contains("c"), Date() < limit { usleep(20_000) }
        // Two things to be logged.
        for _ in 0..<2 { _ = try InkProcess.run(["submit", "-", "--broker", "ipc://\(folder("c"))"], input: "{}") }
        let limits = try String(contentsOfFile: "/proc/\(broker.process.processIdentifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        let words = line.split(separator: " ")
        #expect(words.count == 6 && words[3] == words[4], "\(line)")
        #expect(try !String(decoding: folder.read("data/lock"), as: UTF8.self).contains("{"))
        broker.send(SIGTERM)
        #expect(broker.end(seconds: 20) == 0)
    }

    @Test("A full queue says so, and clients come again", .timeLimit(.minutes(5)))
    func busy() throws {
        let job = try FarmJob(sizes: "0.1x,0.2x,0.3x")
        let farm = try FarmProcesses(workers: 1, brokerOptions: ["--queue-limit", "3"])
        let result = try farm.run(["export"] + job.inputs + job.options + ["-o", farm.path("out")])
        #expect(result.code == 0, "\(result.error)")
        #expect(try job.differences(in: farm.path("out")) == [])
    }

    @Test("A full disk fails the job with that reason, and the broker goes on", .timeLimit(.minutes(5)))
    func fullDisk() throws {
        let job = try FarmJob(sizes: "2k")
        let disk = try EndToEndFolder()
        let mount = try Shell.run("mount -t tmpfs -o size=2500k tmpfs '\(disk.path)'")
        guard mount.code == 0 else {
            print("skipped: a small file system cannot be mounted here: \(mount.output)")
            return
        }
        defer { _ = try? Shell.run("umount -l '\(disk.path)'") }
        let farm = try FarmProcesses(workers: 2, brokerOptions: ["--output-root", disk.path])
        let submitted = try farm.run(
            ["submit", "--quiet"] + job.inputs + ["--size", "2k", "--fill", "suggested", "--into", "pictures"])
        let numbers = submitted.output.split(separator: "\n").map(String.init)
        #expect(submitted.code == 0 && numbers.count == job.expected.count, "\(submitted)")
        let result = try farm.run(["wait"] + numbers)
        #expect(result.code != 0 && result.error.contains("No space left on device"), "\(result)")
        #expect(farm.broker?.process.isRunning == true)
        // What is there is whole, and no unfinished file is left.
        for (name, data) in try FarmJob.files(in: "\(disk.path)/pictures") {
            #expect(job.expected[name] == data, "\(name)")
        }
        _ = try Shell.run("rm -rf '\(disk.path)'/pictures")
        let again = try farm.run(
            ["submit", "--quiet"] + job.inputs.filter { $0.hasSuffix("/owl.ink") } + [
                "--size", "0.2x", "--into", "later",
            ])
        let last = try farm.run(["wait"] + again.output.split(separator: "\n").map(String.init))
        #expect(last.code == 0, "\(last)")
    }

    @Test("Keys are needed off loopback, and each role has its own", .timeLimit(.minutes(5)))
    func keys() throws {
        let refused = try InkProcess.run(["broker", "--clients", "tcp://*:5999", "--check-config"])
        #expect(refused.code == 78 && refused.error.contains("ink keygen"), "\(refused)")
        let keys = try FarmKeys()
        let farm = try FarmProcesses(workers: 1, keys: keys)
        let job = try FarmJob(sizes: "0.3x")
        let result = try farm.run(["export"] + job.inputs + job.options + ["-o", farm.path("out")])
        #expect(result.code == 0, "\(result.error)")
        #expect(try job.differences(in: farm.path("out")) == [])
        // Neither without a key, nor with a worker's.
        for options in [[], keys.workerOptions] {
            let status = try InkProcess.run(["status", "--broker", farm.endpoint, "--timeout", "2"] + options)
            #expect(status.code != 0, "\(options): \(status)")
        }
    }
}

/// Keys of a broker, a worker and a client, as `ink keygen` makes them.
struct FarmKeys {
    let folder: EndToEndFolder
    private func path(_ name: String) -> String { folder(name) }
    var brokerOptions: [String] {
        ["--key", path("broker.key"), "--allow-workers", path("w.pub"), "--allow-clients", path("c.pub")]
    }
    var workerOptions: [String] { ["--key", path("w.key"), "--broker-key", path("broker.pub")] }
    var clientOptions: [String] { ["--key", path("c.key"), "--broker-key", path("broker.pub")] }

    init() throws {
        folder = try EndToEndFolder()
        for (name, role) in [("broker", "broker"), ("w", "worker"), ("c", "client")] {
            let made = try InkProcess.run(["keygen", name, "--role", role, "-o", folder.path])
            guard made.code == 0 else { throw POSIXError(.EIO) }
        }
    }
}
