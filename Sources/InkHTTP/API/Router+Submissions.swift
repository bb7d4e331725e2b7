import Dispatch
import Glibc
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkSystem
import Synchronization

/// Submissions.
extension Router {
    func submit() throws(Problem) -> HTTPIntake {
        let gateway = gateway
        let caller = try gateway.access.caller(request, needs: .submit)
        let key = request.header("idempotency-key")
        if let key, !(1...256).contains(key.utf8.count) || !key.utf8.allSatisfy({ (33...126).contains($0) }) {
            throw .malformed("Idempotency-Key is not 1 to 256 printable ASCII characters")
        }
        if gateway.stopping.load(ordering: .relaxed) { throw .busy("the broker is stopping") }
        if let length = request.header("content-length").flatMap({ Int($0) }),
            length > gateway.configuration.documentBytesMax
        {
            throw .tooLarge(gateway.configuration.documentBytesMax)
        }
        var order = SubmissionOrder(
            gateway: gateway, caller: caller, key: key, trace: TraceContext(request.header("traceparent")))
        switch mediaType {
        case "application/json":
            try only([])
            return try object(.submit) { [order] _, body throws(Problem) in
                var order = order
                var paths: [String] = []
                for (name, value) in body.members ?? [] {
                    switch name {
                    case "paths":
                        guard let items = value.array, (1...1000).contains(items.count) else {
                            throw .malformed("paths is not a list of 1 to 1000 texts")
                        }
                        for item in items {
                            guard let path = item.string, !path.isEmpty, path.utf8.count <= 4096 else {
                                throw .malformed("paths is not a list of paths")
                            }
                            paths.append(path)
                        }
                    case "options": order.options = try PictureOptionsSyntax.read(value)
                    case "priority": order.priority = try Self.priority(value)
                    default: throw .malformed("there is no member \"\(name.prefix(64))\" here")
                    }
                }
                guard !paths.isEmpty else { throw .malformed("paths is missing") }
                let found = paths.map { ($0, gateway.shared($0)) }
                let missing = found.filter { $0.1 == nil }.map {
                    (name: $0.0, text: "\($0.0.prefix(1024)): no such file below the broker's input roots")
                }
                return try order.carryOut(found.compactMap(\.1), missing: missing)
            }
        case "multipart/form-data":
            try only([])
            return .takeForm(DocumentForm(order))
        case "application/x-www-form-urlencoded", "":
            throw Problem(
                415, "Unsupported Media Type",
                "the body has to be a document, application/json or multipart/form-data, and its type be said")
        default:
            let own: Set<String> = ["name", "priority"]
            if let text = parameter("priority") {
                order.priority = try Self.priority(Int(text).map { .integer($0) } ?? .null)
            }
            order.options = try PictureOptionsSyntax.read(request.query.filter { !own.contains($0.name) })
            let name = parameter("name") ?? "document"
            guard !name.isEmpty, name.utf8.count <= ProtocolLimits.nameBytes, !name.utf8.contains(0) else {
                throw .malformed("name is empty, too long or contains a NUL character")
            }
            return .take(try DocumentBody(order, name: name))
        }
    }

    static func priority(_ value: JSONValue) throws(Problem) -> Int {
        guard let priority = value.wholeNumber, JobPriority.range.contains(priority) else {
            throw .malformed("priority is not from -10 to 10")
        }
        return priority
    }
}

extension Gateway {
    /// A document below one of the roots; nil for any other path, whether there is something or not.
    fileprivate func shared(_ path: String) -> SubmittedDocument? {
        let candidates = path.hasPrefix("/") ? [path] : service.inputRoots.map { "\($0)/\(path)" }
        for candidate in candidates where !candidate.utf8.contains(0) {
            let real = FileSystem.resolved(candidate)
            guard service.inputRoots.contains(where: { real == $0 || real.hasPrefix($0 + "/") }) else { continue }
            if (try? FileSystem.status(of: real)) ?? nil != nil {
                return SubmittedDocument(name: path, path: real, isShared: true)
            }
        }
        return nil
    }
}

/// What is to be done with documents once they are there.
struct SubmissionOrder: Sendable {
    let gateway: Gateway
    let caller: Caller
    /// Makes a repeated submission the same one.
    let key: String?
    let trace: TraceContext?
    var options: [(name: String, value: String)] = []
    var marks = SubmittedMarks()
    var priority = JobPriority.normal

    /// Documents are read and packed by so many requests at a time, for the memory that it takes.
    private static let reading = DispatchSemaphore(value: 2)

    /// Makes jobs of documents.
    ///
    /// - Parameter missing: names of documents that are not there, and what is said of them.
    /// - Throws: if there is no job.
    func carryOut(
        _ documents: [SubmittedDocument], missing: [(name: String, text: String)] = []
    ) throws(Problem) -> HTTPResponse {
        let batch = batchID()
        let known = try gateway.found { () throws(ServiceError) in try gateway.service.batch(batch) }
        if let trace { gateway.traces.note(trace, batch: batch) }
        var (jobs, failures) = ([JobNumber](), missing)
        var index: UInt32 = 0
        for document in documents {
            let planned: [PlannedSubmission]
            Self.reading.wait()
            do throws(SubmissionRefusal) {
                defer { Self.reading.signal() }
                planned = try gateway.planner(document, options, marks, priority)
            } catch {
                // The others would be refused for the same reason.
                if error.isOfOptions { throw .unprocessable(error.text) }
                failures.append((document.name, error.text))
                continue
            }
            var submissions: [Submission] = []
            for picture in planned {
                var submission = picture.submission
                submission.key = SubmissionKey(bytes: batch + withUnsafeBytes(of: index.bigEndian) { Array($0) })
                index += 1
                submissions.append(submission)
                guard let content = picture.content, case .content(let id, _, _) = submission.source else { continue }
                do throws(ServiceError) { try gateway.service.keep(content, as: id) } catch {
                    throw jobs.isEmpty
                        ? .busy("\(error)", retrySeconds: 10)
                        : .busy("\(error); \(jobs.count) jobs were accepted", retrySeconds: 10)
                }
            }
            for (submission, outcome) in zip(submissions, gateway.sessions.submit(submissions, of: caller.name)) {
                switch outcome {
                case .accepted(let job):
                    jobs.append(job)
                    if known != nil { try check(job, submission) }
                case .rejected(let rejection) where rejection.code.isTemporary && jobs.isEmpty:
                    throw .busy(rejection.text, retrySeconds: max(1, rejection.retryMilliseconds / 1000))
                case .rejected(let rejection): failures.append((document.name, rejection.text))
                case .none: throw .busy("the broker does not answer; with an Idempotency-Key it is safe to repeat this")
                }
            }
        }
        guard !jobs.isEmpty else {
            let texts = failures.prefix(10).map(\.text)
            throw .unprocessable(
                texts.joined(separator: "\n") + (failures.count > 10 ? "\nand \(failures.count - 10) more" : ""))
        }
        let facts = try gateway.found { [jobs] () throws(ServiceError) in try gateway.service.jobs(jobs) }
        let location = jobs.count == 1 ? "/v1/jobs/\(jobs[0])" : "/v1/batches/\(batch.hexadecimal)"
        return .json(
            .object([
                ("batch", .string(batch.hexadecimal)), ("jobs", .array(facts.map(JobJSON.value))),
                (
                    "failures",
                    .array(failures.map { .object([("name", .string($0.name)), ("text", .string($0.text))]) })
                ),
            ]), status: known == nil ? 201 : 200, headers: [("Location", location)])
    }

    private func batchID() -> [UInt8] {
        guard let key else { return Array(SubmissionKey.random().bytes.prefix(JobFacts.batchBytes)) }
        return Array(SHA256.digest(Array("\(caller.name)\0\(key)".utf8)).prefix(JobFacts.batchBytes))
    }

    /// - Throws: 409 if the job is of another submission with the same key.
    private func check(_ job: JobNumber, _ submission: Submission) throws(Problem) {
        let stored = try gateway.found { () throws(ServiceError) in try gateway.service.submission(of: job) }
        guard stored == submission.stored else {
            throw .conflict("this Idempotency-Key was used for another submission")
        }
    }
}

/// Bytes of all documents that are being received.
enum UploadRoom {
    private static let used = Mutex(0)

    /// - Throws: 503 if there is no room.
    static func take(_ count: Int, of gateway: Gateway) throws(Problem) {
        let limit = gateway.service.quotaBytes / 4
        let fits = used.withLock { used in
            guard count <= limit - used else { return false }
            used += count
            return true
        }
        guard fits else { throw .busy("too much is being uploaded", retrySeconds: 5) }
    }

    static func giveBack(_ count: Int) { used.withLock { $0 -= count } }
}

/// A document as the body of a request.
private final class DocumentBody: BodyTaker {
    private let order: SubmissionOrder
    private let upload: Spool.Upload
    private let file: SpooledFile

    init(_ order: SubmissionOrder, name: String) throws(Problem) {
        self.order = order
        upload = try Spool.Upload(order.gateway.service.folder)
        file = try upload.file(named: name)
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> HTTPResponse? {
        do throws(Problem) {
            let limit = order.gateway.configuration.documentBytesMax
            guard bytes.count <= limit - file.byteCount else { throw .tooLarge(limit) }
            try UploadRoom.take(bytes.count, of: order.gateway)
            do throws(Problem) { try file.append(bytes) } catch {
                UploadRoom.giveBack(bytes.count)
                throw error
            }
            return nil
        } catch {
            return error.response
        }
    }

    func end() -> HTTPResponse {
        do throws(Problem) {
            guard file.byteCount > 0 else { throw .unprocessable("the document is empty") }
            return try order.carryOut([SubmittedDocument(name: file.name, path: file.path, isShared: false)])
        } catch {
            return error.response
        }
    }

    func close() { UploadRoom.giveBack(file.byteCount) }
}
