import InkProtocol
import InkStore
import Testing

@testable import InkService

@Suite struct UnreadableJobTests {
    @Test("Why a job cannot be read is kept")
    func unreadableJob() throws {
        let submission = Submission(
            key: .random(), name: "a.ink", source: .path("/in/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
        var record = InkStore.JobRecord(
            number: 1, key: .random(), submission: submission.stored, owner: "", priority: 0, createdAt: 0)
        #expect(try UnreadableJob.submission(of: .success(record)).1 == submission)
        record.submission.removeLast()
        let damage = #expect(throws: ProtocolError.self) { try Submission(stored: record.submission) }
        for (found, cause) in [
            (Result.success(record), UnreadableJob.submission(try #require(damage))), (.success(nil), .gone),
            (.failure(.full(path: "/data")), .store(.full(path: "/data"))),
        ] as [(Result<InkStore.JobRecord?, StoreError>, UnreadableJob)] {
            #expect(throws: cause) { try UnreadableJob.submission(of: found) }
        }
    }
}
