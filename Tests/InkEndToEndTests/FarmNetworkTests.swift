import Foundation
import Glibc
import InkTestSupport
import Testing

/// Hosts of their own, as far as the network goes, and cables that are cut, slow and lossy.
@Suite("A farm over bad cables", .serialized)
struct FarmNetworkTests {
    /// A farm of two workers with keys, each behind a cable; nil, with a message, where that is not permitted.
    private static func farm(_ workers: Int) throws -> (FarmProcesses, FarmNetwork)? {
        let network: FarmNetwork
        do {
            network = try FarmNetwork(workers: workers)
        } catch let error as FarmNetwork.NotPermitted {
            print("skipped: network namespaces are not permitted here: \(error)")
            return nil
        }
        let farm = try FarmProcesses(workers: workers, keys: FarmKeys(), network: network)
        guard farm.wait(seconds: 20, { farm.events("worker.joined").count == workers }) else {
            throw FarmNetwork.NotPermitted(description: "the workers do not come: \(farm.brokerLog.suffix(1000))")
        }
        return (farm, network)
    }

    @Test("A worker whose cable is cut is given up within three heartbeats, and comes back", .timeLimit(.minutes(5)))
    func cut() throws {
        guard let (farm, network) = try Self.farm(2) else { return }
        let job = try FarmJob(sizes: "2k,4k")
        let export = try farm.client(["export"] + job.inputs + job.options + ["-o", farm.path("out")])
        #expect(farm.wait(seconds: 20) { farm.events("task.dispatched").contains { $0["worker"] as? String == "w1" } })
        let start = Date()
        try network.cut(0)
        #expect(farm.wait(seconds: 20) { !farm.events("worker.left").isEmpty })
        let noticed = Date().timeIntervalSince(start)
        #expect(noticed < 4.5, "noticed after \(noticed) s")
        #expect(farm.events("worker.left").first?["worker"] as? String == "w1")
        let result = export.wait()
        #expect(result.code == 0, "\(result.error)")
        let differences = try job.differences(in: farm.path("out"))
        #expect(differences == [])
        try network.mend(0)
        // A cable that is whole again before the worker has noticed lets it join by the old connection, and then by a new one.
        #expect(
            farm.wait(seconds: 60) { farm.events("worker.joined").count >= 3 }, "\(farm.workers[0].log.suffix(800))")
    }

    @Test("A worker on a slow line is not lost, and no tile is blamed for it", .timeLimit(.minutes(5)))
    func slowLine() throws {
        guard let (farm, network) = try Self.farm(1) else { return }
        do {
            // A result takes longer than the time after which a silent worker is given up.
            try network.slow(0, kilobits: 512, waiting: 3000)
        } catch let error as FarmNetwork.NotPermitted {
            print("skipped: a cable cannot be made slow here: \(error)")
            return
        }
        let job = try FarmJob(sizes: "960x540")
        let result = try farm.client(["export"] + job.inputs + job.options + ["-o", farm.path("out")]).wait()
        #expect(result.code == 0, "\(result.error)")
        #expect(
            farm.events("worker.left").isEmpty && farm.events("task.failed").isEmpty, "\(farm.brokerLog.suffix(1000))")
        let differences = try job.differences(in: farm.path("out"))
        #expect(differences == [])
    }

    @Test(
        "Cables that lose, stall and come and go change no picture", .timeLimit(.minutes(5)),
        arguments: [1, 2] as [UInt64])
    func badCables(seed: UInt64) throws {
        guard let (farm, network) = try Self.farm(3) else { return }
        var random = SeededGenerator(seed: seed)
        var weather: [String] = []
        for (name, spoil) in [
            ("slow", { try network.slow(1, kilobits: 20_000) }), ("lossy", { try network.lose(2, percent: 5) }),
        ] {
            do {
                try spoil()
                weather.append(name)
            } catch let error as FarmNetwork.NotPermitted {
                print("skipped: a cable cannot be made \(name) here: \(error)")
            }
        }
        let job = try FarmJob(sizes: "1080p,2k")
        let export = try farm.client(["export"] + job.inputs + job.options + ["-o", farm.path("out")])
        var cuts = 0
        while export.isRunning, cuts < 4 {
            let index = Int.random(in: 0..<3, using: &random)
            usleep(UInt32.random(in: 100_000...600_000, using: &random))
            try network.cut(index)
            usleep(UInt32.random(in: 50_000...4_000_000, using: &random))
            try network.mend(index)
            cuts += 1
        }
        let result = export.wait()
        #expect(result.code == 0, "seed \(seed), \(weather), \(cuts) cuts: \(result.error)")
        let differences = try job.differences(in: farm.path("out"))
        #expect(differences == [], "seed \(seed), \(weather), \(cuts) cuts")
    }
}
