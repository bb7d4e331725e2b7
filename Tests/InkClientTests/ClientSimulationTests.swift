import InkProtocol
import InkTestSupport
import Testing

@testable import InkClient

@Suite("Client in a simulated farm")
struct ClientSimulationTests {
    /// Submits, waits, fetches, orders and asks while messages are lost, repeated and reordered and the broker is
    /// killed; then the network is good, and everything must come to its end.
    private func wholeLife(seed: UInt64) -> ClientSimulation {
        var random = SeededGenerator(seed: seed)
        var rules = ClientRules()
        rules.submissionsInFlight = Int.random(in: 1...5, using: &random)
        rules.uploadPartBytes = Int.random(in: 1_000...30_000, using: &random)
        rules.uploadBytes = Int.random(in: 1...90_000, using: &random)
        rules.fetchesInFlight = Int.random(in: 1...3, using: &random)
        var farm = ClientSimulation(seed: seed, rules: rules)
        farm.badUntil = 60_000
        farm.service.pictureBytes = 1...90_000
        farm.service.partBytes = 1...30_000
        farm.lossShare = Int.random(in: 0...30, using: &random)
        farm.repeatShare = Int.random(in: 0...30, using: &random)
        farm.service.queueLimit = Int.random(in: 1...9, using: &random)
        farm.follows = Bool.random(using: &random)
        farm.service.jobTime = Bool.random(using: &random) ? 2_000 : 90_000
        farm.service.remakeShare = 30
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            farm.restartBroker(in: Int64.random(in: 0...60_000, using: &random))
        }
        for number in 0..<UInt64(8) {
            // Some have the same content.
            let seed = number % 5
            let content = PreparedContent(bytes: ClientSamples.bytes(Int(seed) * 20_000 + 1, seed: seed))
            farm.tell(.submit(ClientSamples.submission(content, number), content.content))
        }
        farm.tell(.order(1, .cancel([1])))
        farm.tell(.question(2, .status))
        var watched = 0
        var fetched = 0
        _ = farm.run(until: 1_000_000) { farm in
            farm.accepted.count == 8 && farm.answers.count == 2
        }
        for event in farm.events {
            guard case .accepted(_, let job) = event else { continue }
            farm.tell(.watch([job]))
            watched += 1
        }
        _ = farm.run(until: 1_000_000) { $0.notices.count >= watched }
        for notice in farm.notices {
            guard case .finished(let picture) = notice.ending else { continue }
            farm.tell(.fetch(notice.job, picture, path: "\(notice.job)"))
            farm.tell(.noticeTaken(notice.id))
            fetched += 1
        }
        _ = farm.run(until: 1_000_000) { $0.stored.count >= fetched && $0.service.openNotices == 0 }
        // Nothing comes twice, and nothing that was not asked for.
        _ = farm.run(until: farm.now + 60_000) { _ in false }
        return farm
    }

    @Test("Everything is settled once, whatever the network and the broker do", arguments: 0..<200)
    func wholeLives(seed: UInt64) {
        let farm = wholeLife(seed: seed)
        let story = "seed \(seed), now \(farm.now)\n\(farm.history.suffix(60).joined(separator: "\n"))"
        let accepted = farm.events.filter { if case .accepted = $0 { true } else { false } }
        #expect(accepted.count == 8 && farm.accepted.count == 8, "\(story)")
        #expect(Set(farm.accepted.values).count == 8 && farm.service.jobs.count == 8, "\(story)")
        #expect(farm.notices.count == 8 && Set(farm.notices.map(\.job)).count == 8, "\(story)")
        #expect(farm.service.openNotices == 0, "\(story)")
        #expect(farm.stored.count == 8, "\(story)")
        for (path, bytes) in farm.stored {
            #expect(farm.service.pictures[JobNumber(path) ?? 0] == bytes, "picture \(path), \(story)")
        }
        #expect(farm.answers[2] == .answer(FakeService.answer(to: .status)), "\(story)")
        if case .done(let result)? = farm.answers[1] {
            #expect(result.code == .done)
        } else {
            Issue.record("no answer to the order, \(story)")
        }
        #expect(farm.openFiles == 0, "\(story)")
        #expect(farm.mostReadAhead <= farm.client.rules.uploadBytes + farm.client.rules.uploadPartBytes, "\(story)")
        #expect(farm.events.allSatisfy { if case .fetchFailed = $0 { false } else { true } }, "\(story)")
    }

    @Test("Pictures come while they are made, whole also when they are begun anew", arguments: 0..<40)
    func followed(seed: UInt64) throws {
        var farm = ClientSimulation(seed: seed)
        farm.follows = true
        farm.service.jobTime = 60_000
        farm.service.pictureBytes = 50_000...90_000
        farm.service.remakeShare = seed.isMultiple(of: 2) ? 100 : 0
        let content = PreparedContent(bytes: [1])
        farm.tell(.submit(ClientSamples.submission(content, 1), content.content))
        #expect(farm.run(until: 1_000) { $0.accepted.count == 1 })
        farm.tell(.watch([1]))
        #expect(farm.run(until: 100_000) { $0.notices.count == 1 }, "\(farm.history)")
        let early = farm.service.earlyParts
        guard case .finished(let picture)? = farm.notices.first?.ending else { return }
        farm.tell(.fetch(1, picture, path: "1"))
        #expect(farm.run(until: 200_000) { $0.stored.count == 1 }, "\(farm.history)")
        #expect(farm.stored["1"] == farm.service.pictures[1])
        #expect(farm.openFiles == 0)
        #expect(farm.events.allSatisfy { if case .fetchFailed = $0 { false } else { true } })
        // A short job is finished before anything of it is asked for.
        let job = try #require(farm.service.jobs[1])
        if job.endsAt - job.startedAt > 5_000 { #expect(early > 0, "\(farm.history)") }
        // What was followed is not fetched again, unless it has become another picture.
        let requests = farm.history.count { $0.contains("pictureRequest") }
        if job.firstTry == nil { #expect(requests <= 1 + Int(job.endsAt / 5_000), "\(farm.history)") }
    }

    @Test("The same seed is the same history")
    func repeatable() {
        #expect(wholeLife(seed: 7).history == wholeLife(seed: 7).history)
    }

    @Test("Ten thousand submissions to a small queue: all are taken, few are under way")
    func backlog() {
        var farm = ClientSimulation(seed: 3)
        farm.service.queueLimit = 100
        farm.service.jobTime = 200
        farm.service.pictureBytes = 1...2
        let content = PreparedContent(bytes: [1, 2, 3])
        for number in 0..<UInt64(2_000) {
            farm.tell(.submit(ClientSamples.submission(content, number), content.content))
        }
        var most = 0
        let isDone = farm.run(until: 3_600_000) { farm in
            most = max(most, farm.client.submissions.inFlight.count)
            return farm.service.jobs.count == 2_000 && farm.client.submissions.entries.isEmpty
        }
        #expect(isDone && most == 64)
        #expect(farm.service.busyCount > 0)
    }
}
