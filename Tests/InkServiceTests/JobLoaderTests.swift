import Glibc
import InkBroker
import InkEngine
import InkProtocol
import InkStore
import InkTestSupport
import Testing

@testable import InkService

@Suite("Reading the projects of jobs")
struct JobLoaderTests {
    @Test("Where the broker no longer has a project, its error keeps the cause")
    func lostCopy() throws {
        let folder = try TemporaryFolder(prefix: "ink-loader")
        let loader = JobLoader(
            configuration: ServiceConfiguration(
                clientsEndpoint: "", dataFolder: folder.path, broker: BrokerConfiguration(endpoint: "")),
            contents: try ContentFolder(folder: folder.path, quotaBytes: 100)
        ) { _ in }
        let submission = Submission(
            key: .random(), name: "a.ink", source: .content(ContentID(hashing: [1]), byteCount: 1, .plain),
            picture: PictureSpec(size: .named("2k")), delivery: .fetch)
        let error = #expect(throws: BrokerError.self) { try loader.open(submission) }
        guard case .source("a.ink", let cause)? = error, let lost = cause.error as? LostCopy,
            case .file(_, "open", ENOENT) = lost.cause
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description == "a.ink: the broker no longer has the project; submit it again")
        #expect(error == .source(export: "a.ink", Cause(lost)))
        #expect(cause != Cause(LostCopy(cause: .damaged(path: "a"))) && cause != Cause(lost.cause))
    }
}
