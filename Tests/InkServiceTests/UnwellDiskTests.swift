import Foundation
import Glibc
import InkBroker
import InkClient
import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkProtocol
import InkTestSupport
import Testing

@testable import InkService

@Suite("A disk that is damaged or full", .serialized, .waits)
struct UnwellDiskTests {
    @Test("A content that was damaged on the disk becomes no picture, and comes anew")
    func damagedContent() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let bytes = try ProjectWriter.write(RandomProject.make(seed: 3).project)
        func submit() throws -> JobNumber {
            let submission = Submission(
                key: .random(), name: "a.ink",
                source: .content(ContentID(hashing: bytes), byteCount: UInt64(bytes.count), .plain),
                picture: PictureSpec(size: .named("64x64")), delivery: .fetch)
            client.client.submit(submission, content: .bytes(bytes))
            let job = try #require(client.job(of: submission.key))
            client.client.watch([job])
            return job
        }
        let path = farm.folder.path(of: "data/contents")
        let shelf = "\(path)/\(ContentID(hashing: bytes).description.prefix(2))"
        let name = "\(shelf)/\(ContentID(hashing: bytes))"
        _ = try submit()
        // It is still a project: a digit has become another one.
        var damaged = bytes
        let digit = try #require(damaged.lastIndex { (48...56).contains($0) })
        damaged[digit] += 1
        let file = open(name, O_WRONLY)
        #expect(pwrite(file, damaged, damaged.count, 0) == damaged.count)
        close(file)
        _ = try submit()
        // Of the first job, where that had not read it yet.
        let failure = client.wait { event -> String? in
            guard case .notice(let notice) = event, case .failed(.inputOutput, let text) = notice.ending else {
                return nil
            }
            return text
        }
        let text = try #require(failure, "\(client.events)")
        #expect(text.contains("the broker's copy of the project was damaged"), "\(text)")
        #expect(farm.log.events.contains { $0.name == "content.damaged" && $0.level == .error })
        let again = try submit()
        try farm.addWorker("w")
        if case .finished? = client.ending(of: again) {} else { Issue.record("\(client.events)") }
    }

    @Test(
        "Where the disk takes no end, the log, the status and orders say so, and it is told when there is room",
        .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
    func refusedEnd() throws {
        let disk = try #require(try SmallDisk(byteCount: 8 << 20))
        let folder = try TemporaryFolder(prefix: "ink-service", in: disk.path)
        let farm = try Farm(workers: 0, folder: folder) { $0.broker.spillFolder = NSTemporaryDirectory() }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let project = RandomProject.make(seed: 7).project
        let job = try #require(client.job(of: try client.submit(project)))
        client.client.watch([job])
        #expect(client.until { farm.log.events.contains { $0.name == "job.started" } })
        // Somebody else takes the reserve too.
        unlink(folder.path(of: "data/reserve"))
        // An entry empties the log of the database when there is no room, and finds some there: until that is gone too.
        for turn in 1...20 {
            disk.fill()
            let order = OrderAction.priority([job], turn % 5)
            if try client.client.order(order, timeoutMilliseconds: 5_000).code == .refused { break }
        }
        // Not answered at once: its end has to be on the disk.
        _ = try? client.client.order(.cancel([job]), timeoutMilliseconds: 100)
        #expect(client.until { (try? client.status())?["jobs"]?["ending"]?.integer == 1 })
        let status = try client.status()
        #expect(status["jobs"]?["ending"]?.integer == 1, "\(status.text())")
        #expect(status["store"]?["problem"]?.string?.contains("the disk is full") == true, "\(status.text())")
        let refused = farm.log.events.filter { $0.name == "store.refused" && $0.job == job }
        #expect(refused.count == 1 && refused.first?.level == .error, "\(farm.log.events)")
        let shown = try JSONReader.read(try client.client.ask(.job(job), timeoutMilliseconds: 5_000))
        #expect(shown["state"]?.string == "ending" && shown["end"]?.string == "cancelled", "\(shown.text())")
        disk.makeRoom()
        #expect(client.ending(of: job) == .cancelled)
        #expect(try client.status()["jobs"]?["ending"]?.integer == 0)
    }
}
