import Dispatch
import Glibc
import InkClient
import InkEngine
import InkExports
import InkJSON
import InkProtocol
import InkService
import InkStore
import InkSystem
import Synchronization

/// Submissions.
extension Router {
    func submit() throws(Problem) -> HTTPIntake {
        let gateway = gateway
        let caller = try gateway.access.caller(request, needs: .submit)
        let key = request.header("idempotency-key")
        if let key, !(1...256).contains(key.utf8.count) || !key.utf8.allSatisfy({ (33...126).contains($0) }) {
            throw .malformed("Idempotency-Key is not 1 to 256 printable ASCII characters, such as a UUID")
        }
        if gateway.stopping.load(ordering: .relaxed) {
            throw .busy("the broker is stopping; send this again when it has started")
        }
        var order = SubmissionOrder(
            gateway: gateway, caller: caller, key: key, trace: TraceContext(request.header("traceparent")))
        switch mediaType {
        case "application/json":
            guard request.query.isEmpty else {
                throw .malformed("with application/json nothing is said in the address. \(Self.documentHint)")
            }
            return try object(.submit) { [order] _, body throws(Problem) in
                var order = order
                var paths: [String] = []
                guard body["paths"] != nil else {
                    throw .malformed(
                        "paths is missing: application/json names files below --input-root of ink broker, as in "
                            + "{\"paths\": [\"today/owl.ink\"]}. \(Self.documentHint)")
                }
                for (name, value) in body.members ?? [] {
                    switch name {
                    case "paths":
                        guard let items = value.array, (1...1000).contains(items.count) else {
                            throw .malformed("paths is not a list of 1 to 1000 texts, as in [\"today/owl.ink\"]")
                        }
                        for item in items {
                            guard let path = item.string, !path.isEmpty, path.utf8.count <= 4096 else {
                                throw .malformed("paths has an item that is not a text of 1 to 4096 bytes")
                            }
                            paths.append(path)
                        }
                    case "options": order.options = try RequestedOptions(value, others: gateway.otherOptions)
                    case "priority": order.priority = try Self.priority(value)
                    default:
                        throw .malformed(
                            "there is no member \"\(name.prefix(64))\" here; there are paths, options and priority")
                    }
                }
                let found = paths.map { ($0, gateway.shared($0)) }
                let missing = found.filter { $0.1 == nil }.map {
                    (name: $0.0, text: "\($0.0.prefix(1024)): no such file below --input-root of ink broker")
                }
                return try order.carryOut(found.compactMap(\.1), missing: missing)
            }
        case "multipart/form-data":
            guard request.query.isEmpty else {
                throw .malformed("with a form nothing is said in the address; send options and priority as parts")
            }
            return .takeForm(DocumentForm(order, try UploadRoom(gateway, announced: announcedBytes)))
        case "application/x-www-form-urlencoded", "":
            throw Problem(
                415, "Unsupported Media Type",
                "say what the body is. \(Self.documentHint)")
        default:
            let own: Set<String> = ["name", "priority"]
            if let text = parameter("priority") {
                order.priority = try Self.priority(Int(text).map { .integer($0) } ?? .null)
            }
            order.options = try RequestedOptions(
                request.query.filter { !own.contains($0.name) }, others: gateway.otherOptions)
            let name = parameter("name") ?? "document"
            guard !name.isEmpty, name.utf8.count <= ProtocolLimits.nameBytes, !name.utf8.contains(0) else {
                throw .malformed("name is not 1 to \(ProtocolLimits.nameBytes) bytes without a NUL character")
            }
            return .take(
                try DocumentBody(order, name: name, UploadRoom(gateway, announced: announcedBytes)))
        }
    }

    private var announcedBytes: Int? { request.header("content-length").flatMap { Int($0) } }

    private static let documentHint =
        "To send a document itself, send its bytes with Content-Type: application/octet-stream to /v1/jobs?name=owl.ink, or "
        + "as the part document of multipart/form-data"

    static func priority(_ value: JSONValue) throws(Problem) -> Int {
        guard let priority = value.wholeNumber, JobPriority.range.contains(priority) else {
            throw .malformed("priority is not a whole number from -10 to 10")
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
            // A path that cannot be looked at is not there for those who ask.
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
    var options = RequestedOptions()
    var marks = SubmittedMarks()
    var priority = JobPriority.normal

    /// Documents are read and packed by so many requests at a time, for the memory that it takes.
    private static let reading = DispatchSemaphore(value: 2)
    /// Large ones one after the other.
    private static let readingLarge = DispatchSemaphore(value: 1)
    private static let largeBytes = 16 << 20

    /// Makes jobs of documents: of all that can be read at once, so that their batch is known as a whole, and whether it
    /// was before.
    ///
    /// - Parameter missing: names of documents that are not there, and the message about them.
    /// - Throws: if there is no job.
    func carryOut(
        _ documents: [SubmittedDocument], missing: [(name: String, text: String)] = []
    ) throws(Problem) -> HTTPResponse {
        let batch = batchID()
        if let trace { gateway.traces.note(trace, batch: batch) }
        let held = gateway.service.holdContents()
        var (submissions, failures) = ([Submission](), missing)
        for document in documents {
            let pictures: [SubmissionMaker.Made]
            let isLarge =
                // A document that cannot be looked at fails when it is read.
                ((try? FileSystem.status(of: document.path)) ?? nil).map { $0.byteCount > Self.largeBytes } ?? false
            if isLarge { Self.readingLarge.wait() }
            Self.reading.wait()
            do throws(Refusal) {
                defer {
                    Self.reading.signal()
                    if isLarge { Self.readingLarge.signal() }
                }
                pictures = try self.pictures(of: document)
            } catch {
                // The others would be refused for the same reason.
                if error.isOfOptions { throw .unprocessable(error.text) }
                failures.append((document.name, error.text))
                continue
            }
            for picture in pictures {
                var submission = picture.submission
                let index = UInt32(submissions.count)
                submission.key = SubmissionKey(bytes: batch + withUnsafeBytes(of: index.bigEndian) { Array($0) })
                submissions.append(submission)
                guard let content = picture.content, case .content(let id, _, _) = submission.source else { continue }
                try keep(content, as: id, in: held, of: document)
            }
        }
        guard !submissions.isEmpty else {
            let texts = failures.prefix(10).map(\.text)
            throw .unprocessable(
                texts.joined(separator: "\n") + (failures.count > 10 ? "\nand \(failures.count - 10) more" : ""))
        }
        let (jobs, isNew) = try withExtendedLifetime(held) { () throws(Problem) in try enter(submissions) }
        let facts = try gateway.found { () throws(ServiceError) in try gateway.service.jobs(jobs) }
        let location = jobs.count == 1 ? "/v1/jobs/\(jobs[0])" : "/v1/batches/\(batch.hexadecimal)"
        return .json(
            [
                "batch": .string(batch.hexadecimal), "jobs": .array(facts.map(JobJSON.value)),
                "failures": .array(failures.map { ["name": .string($0.name), "text": .string($0.text)] }),
            ], status: isNew ? 201 : 200, headers: [("Location", location)])
    }

    private func batchID() -> [UInt8] {
        guard let key else { return Array(SubmissionKey.random().bytes.prefix(JobFacts.batchBytes)) }
        return Array(SHA256.digest(Array("\(caller.name)\0\(key)".utf8)).prefix(JobFacts.batchBytes))
    }

    private func keep(
        _ content: ContentSource, as id: ContentID, in held: FarmService.HeldContents, of document: SubmittedDocument
    ) throws(Problem) {
        do throws(ServiceError) {
            switch content {
            case .bytes(let bytes): try gateway.service.keep(bytes, as: id, in: held)
            case .file(let path, _): try gateway.service.keep(file: path, as: id, in: held)
            }
        } catch {
            guard case .store(let fault) = error, !fault.isTemporary else { throw .busy("\(error)", retrySeconds: 10) }
            if case .quota = fault {
                throw Problem(413, "Content Too Large", "\(document.name): \(fault)")
            }
            throw Problem(500, "Internal Server Error", "\(document.name) cannot be kept: \(fault)")
        }
    }

    /// - Throws: 409 if the key is another request's, 503 if there is no room now, 422 if there never is.
    private func enter(_ submissions: [Submission]) throws(Problem) -> (jobs: [JobNumber], isNew: Bool) {
        let answer: EntryAnswer
        do throws(ServiceError) { answer = try gateway.service.enter(submissions, owner: caller.name) } catch {
            throw .busy("the broker does not answer; with an Idempotency-Key it is safe to repeat this")
        }
        switch answer {
        case .entered(let jobs, let isNew): return (jobs, isNew)
        case .conflict: throw .conflict("this Idempotency-Key was used for another submission; give each its own")
        case .rejected(let rejection) where rejection.code.isTemporary:
            throw .busy(rejection.text, retrySeconds: max(1, rejection.retryMilliseconds / 1000))
        case .rejected(let rejection): throw .unprocessable(rejection.text)
        }
    }
}

/// The room that a request takes of that for documents which are being received, until it is closed.
final class UploadRoom: Sendable {
    private let gateway: Gateway
    private let state: Mutex<(reserved: Int, received: Int)>

    /// - Parameter announced: bytes of the whole body; nil: not known.
    /// - Throws: 413 if there is never so much room, 503 if there is not now.
    init(_ gateway: Gateway, announced: Int?) throws(Problem) {
        self.gateway = gateway
        state = Mutex((0, 0))
        // An announcement alone takes no room from others.
        if let announced {
            try reserve(announced)
            close()
        }
    }

    /// So many more bytes have arrived.
    ///
    /// - Throws: as `init`.
    func take(_ count: Int) throws(Problem) {
        let received = state.withLock { state in
            state.received += count
            return state.received
        }
        try reserve(received)
    }

    private func reserve(_ bytes: Int) throws(Problem) {
        let limit = gateway.documentBytesMax
        guard bytes <= limit.bytes else { throw .tooLargeDocument(limit.bytes, option: limit.option) }
        let room = gateway.service.quotaBytes / Gateway.uploadShare
        let fits = state.withLock { state in
            let more = max(0, bytes - state.reserved)
            let fits = gateway.uploading.withLock { used in
                guard more <= room - used else { return false }
                used += more
                return true
            }
            if fits { state.reserved += more }
            return fits
        }
        guard fits else {
            throw .busy(
                "the uploads under way fill a quarter of the broker's --quota; send this again later", retrySeconds: 5)
        }
    }

    func close() {
        let reserved = state.withLock { state in
            defer { state.reserved = 0 }
            return state.reserved
        }
        gateway.uploading.withLock { $0 -= reserved }
    }

    deinit { close() }
}

extension Gateway {
    /// All documents that are being received may take this part of the quota.
    fileprivate static let uploadShare = 4

    /// The largest document, and the option that says so.
    var documentBytesMax: (bytes: Int, option: String) {
        let share = service.quotaBytes / Self.uploadShare
        return share < configuration.documentBytesMax
            ? (share, "a quarter of --quota") : (configuration.documentBytesMax, "--http-document-size")
    }
}

/// A document as the body of a request.
private final class DocumentBody: BodyTaker {
    private let order: SubmissionOrder
    private let upload: Spool.Upload
    private let file: SpooledFile
    private let room: UploadRoom

    init(_ order: SubmissionOrder, name: String, _ room: UploadRoom) throws(Problem) {
        self.order = order
        self.room = room
        upload = try Spool.Upload(order.gateway.service.folder)
        file = try upload.file(named: name)
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        try room.take(bytes.count)
        try file.append(bytes)
    }

    func end() throws(Problem) -> HTTPResponse {
        guard file.byteCount > 0 else {
            throw .unprocessable("the document is empty; send the bytes of a file, as in curl --data-binary @owl.ink")
        }
        return try order.carryOut([SubmittedDocument(name: file.name, path: file.path, isShared: false)])
    }

    func close() { room.close() }
}
