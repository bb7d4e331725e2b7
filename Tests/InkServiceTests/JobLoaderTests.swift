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

    @Test("Files beside a document are opened below its folder alone, and names that nobody asks for get no answer")
    func companions() throws {
        let folder = try TemporaryFolder(prefix: "ink-loader")
        let inputs = try folder.makeFolder("in")
        for name in ["in/a.ink", "in/b.png", "in/art/c.png", "secret.png"] { try folder.write("\(name)", to: name) }
        symlink("../secret.png", inputs + "/link.png")
        var configuration = ServiceConfiguration(
            clientsEndpoint: "", dataFolder: folder.path, broker: BrokerConfiguration(endpoint: ""))
        configuration.inputRoots = [inputs]
        configuration.projectLimits.fileBytes = 12
        let loader = JobLoader(
            configuration: configuration, contents: try ContentFolder(folder: folder.path, quotaBytes: 100)
        ) { _ in }
        let submission = Submission(
            key: .random(), name: "job", source: .path(inputs + "/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
        let document = try loader.open(submission)
        #expect(document.name == inputs + "/a.ink" && document.bytes == Array("in/a.ink".utf8))
        #expect(!document.isFolder && !document.isNamedByOthers && document.encoding == .plain)
        func request(_ name: String, _ kind: UInt8 = 1) -> CompanionRequest {
            CompanionRequest(kind: kind, name: Array(name.utf8))
        }
        let hostile = [
            request("../secret.png"), request("/etc/passwd"), request("b.png", 9), request("0/../x.json", 4),
            request("x", 3), request("art//c.png"),
        ]
        #expect(try document.companions(hostile).isEmpty)
        let found = try document.companions([request("b.png"), request("none.png"), request("link.png")])
        #expect(found.count == 3)
        guard case .file([], let path) = found[0].companion.answer else {
            Issue.record("\(found[0])")
            return
        }
        #expect(path.hasPrefix(inputs) && path.hasSuffix("/b.png"))
        #expect(found[0].bytes == Array("in/b.png".utf8))
        #expect(found[1].companion.answer == .missing)
        guard case .failed(.badInput) = found[2].companion.answer else {
            Issue.record("\(found[2])")
            return
        }
        // What is left of the limit of a file counts from round to round.
        guard case .failed(.overLimit)? = try document.companions([request("art/c.png")]).first?.companion.answer else {
            Issue.record("more is opened than a file may have")
            return
        }
    }
}
