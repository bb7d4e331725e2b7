import Glibc
import InkBroker
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkSystem

/// Jobs and batches.
extension Router {
    func jobs(_ rest: [String]) throws(Problem) -> HTTPIntake {
        guard let first = rest.first else {
            try allow(["GET", "POST"])
            return request.method == "POST" ? try submit() : try list()
        }
        guard let number = JobNumber(first), number > 0, number <= JSONValue.integerMax, "\(number)" == first else {
            throw .missing("job \"\(first.prefix(64))\"; jobs have numbers, such as 7")
        }
        let gateway = gateway
        switch rest.dropFirst().first {
        case nil:
            try allow(["GET", "DELETE"])
            try only([])
            if request.method == "DELETE" {
                return try answer(.operate) { caller throws(Problem) in
                    try gateway.carryOut(.purge([number], endedSecondsAgo: 0), on: number, caller)
                    return HTTPResponse(204)
                }
            }
            return try answer(.read) { _ throws(Problem) in .json(JobJSON.value(try gateway.job(number))) }
        case "picture"? where rest.count > 2:
            try allow(["GET"])
            try only([])
            let (request, path) = (request, Array(rest.dropFirst(2)))
            return try answer(.read) { _ throws(Problem) in
                try gateway.picture(of: number, inside: path, request, isDownload: false)
            }
        case let part? where rest.count == 2:
            if let action = Action(rawValue: part) {
                try allow(["POST"])
                try only([])
                return try act(action, of: { [number] }) { () throws(Problem) in
                    JobJSON.value(try gateway.job(number))
                }
            }
            try allow(["GET"])
            return try detail(part, of: number)
        default: throw noPath
        }
    }

    private func detail(_ part: String, of number: JobNumber) throws(Problem) -> HTTPIntake {
        let (gateway, request) = (gateway, request)
        switch part {
        case "events":
            try only([])
            return try answer(.read) { caller throws(Problem) in
                _ = try gateway.job(number)
                return EventStreams.response(JobEvents(number, gateway))
            }
        case "tiles":
            try only([])
            return try answer(.read) { _ throws(Problem) in
                _ = try gateway.job(number)
                let tiles = try gateway.found { () throws(ServiceError) in try gateway.service.tiles(of: number) }
                guard let tiles else { throw .missing("tiles of job \(number), because it does not run") }
                return .json(JobJSON.value(tiles))
            }
        case "story":
            try only([])
            return try answer(.read) { _ throws(Problem) in
                _ = try gateway.job(number)
                let story = try gateway.found { () throws(ServiceError) in try gateway.service.story(number) }
                guard let story, !story.isEmpty else {
                    throw .missing("story of job \(number); a job has one when it has failed")
                }
                return .json(story)
            }
        case "picture":
            try only(["download"])
            let isDownload = try flag("download")
            return try answer(.read) { _ throws(Problem) in
                try gateway.picture(of: number, request, isDownload: isDownload)
            }
        case "preview":
            try only(["plain"])
            let isPlain = try flag("plain")
            return try answer(.read) { _ throws(Problem) in
                try gateway.preview(of: try gateway.job(number), isPlain: isPlain)
            }
        default: throw noPath
        }
    }

    // MARK: - Lists

    private func list() throws(Problem) -> HTTPIntake {
        try only(["state", "owner", "name", "batch", "sort", "limit", "cursor"])
        var query = JobQuery()
        if let text = parameter("state") {
            for name in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let state = JobFacts.State(rawValue: String(name)) else {
                    throw .malformed(
                        "state: \"\(name.prefix(64))\" is not \(JobFacts.State.allCases.map(\.rawValue).joined(separator: ", "))"
                    )
                }
                guard query.states.insert(state).inserted else {
                    throw .malformed("state: \(name) comes twice; give it once")
                }
            }
        }
        func text(_ name: String) throws(Problem) -> String? {
            guard let text = parameter(name) else { return nil }
            guard !text.isEmpty, text.unicodeScalars.count <= 256 else {
                throw .malformed("\(name) is not 1 to 256 characters")
            }
            return text
        }
        query.owner = try text("owner")
        query.name = try text("name")
        if let batch = parameter("batch") {
            query.batch = try Self.batch(
                batch, or: .malformed("batch is not 24 hexadecimal digits in small letters, as lists give it"))
        }
        if let sort = parameter("sort") {
            query.isDescending = sort.hasPrefix("-")
            guard let order = JobQuery.Order(rawValue: String(query.isDescending ? sort.dropFirst() : sort[...])) else {
                throw .malformed(
                    "sort: \"\(sort.prefix(64))\" is not id, name, ended or priority, or one with a - before it")
            }
            query.order = order
        }
        query.limit = try limit()
        query.cursor = try cursor(8...300)
        let gateway = gateway
        return try answer(.read) { [query] _ throws(Problem) in
            let page = try gateway.found { () throws(ServiceError) in try gateway.service.jobs(query) }
            return .json(
                [
                    "jobs": .array(page.jobs.map(JobJSON.value)), "next": .optional(page.next?.hexadecimal),
                ])
        }
    }

    /// The number of jobs that a page may have.
    private func limit() throws(Problem) -> Int {
        guard let limit = parameter("limit") else { return 100 }
        guard let number = Int(limit), (1...1000).contains(number) else {
            throw .malformed("limit is not a whole number from 1 to 1000")
        }
        return number
    }

    /// - Parameter sizes: bytes of cursors of this list.
    private func cursor(_ sizes: ClosedRange<Int>) throws(Problem) -> [UInt8]? {
        guard let cursor = parameter("cursor") else { return nil }
        guard cursor == cursor.lowercased(), let bytes = [UInt8](hexadecimal: cursor), sizes.contains(bytes.count)
        else { throw .malformed("cursor is not the next of a page of this list") }
        return bytes
    }

    private func listBatches() throws(Problem) -> HTTPIntake {
        try allow(["GET"])
        try only(["limit", "cursor"])
        let (gateway, limit) = (gateway, try limit())
        // Numbers of jobs are below 2^63.
        let after = try cursor(8...8).map { $0.reduce(0) { $0 << 8 | JobNumber($1) } & JobNumber(Int64.max) }
        return try answer(.read) { _ throws(Problem) in
            let page = try gateway.found { () throws(ServiceError) in
                try gateway.service.batches(limit: limit, after: after)
            }
            let next = page.next.map { number in withUnsafeBytes(of: number.bigEndian) { Array($0).hexadecimal } }
            return .json(
                ["batches": .array(page.batches.map(JobJSON.value)), "next": .optional(next)])
        }
    }

    static func batch(_ text: String, or problem: Problem) throws(Problem) -> [UInt8] {
        guard text.utf8.count == 2 * JobFacts.batchBytes, text == text.lowercased(),
            let bytes = [UInt8](hexadecimal: text)
        else { throw problem }
        return bytes
    }

    func batches(_ rest: [String]) throws(Problem) -> HTTPIntake {
        guard let first = rest.first else { return try listBatches() }
        let id = try Self.batch(
            first, or: .missing("batch \"\(first.prefix(64))\"; batches have 24 hexadecimal digits"))
        let gateway = gateway
        @Sendable func batch() throws(Problem) -> BatchFacts {
            let found = try gateway.found { () throws(ServiceError) in try gateway.service.batch(id) }
            guard let found else { throw .missing("batch \(first); its jobs may have been removed") }
            return found
        }
        try only([])
        switch rest.dropFirst().first {
        case nil:
            try allow(["GET"])
            return try answer(.read) { _ throws(Problem) in .json(JobJSON.value(try batch())) }
        case let part? where rest.count == 2:
            guard let action = Action(rawValue: part) else { break }
            try allow(["POST"])
            return try act(action, of: { () throws(Problem) in try batch().jobs }) { () throws(Problem) in
                JobJSON.value(try batch())
            }
        default: break
        }
        throw noPath
    }

    // MARK: - Orders

    enum Action: String {
        case cancel, pause, resume, retry, priority
    }

    private func act(
        _ action: Action, of jobs: @escaping @Sendable () throws(Problem) -> [JobNumber],
        _ result: @escaping @Sendable () throws(Problem) -> JSONValue
    ) throws(Problem) -> HTTPIntake {
        let gateway = gateway
        if action == .priority {
            return try object(.submit) { caller, body throws(Problem) in
                guard body.members?.count == 1, let priority = body["priority"]?.wholeNumber,
                    JobPriority.range.contains(priority)
                else { throw .malformed("the body is not {\"priority\": N} with N from -10 to 10") }
                _ = try result()
                try gateway.carryOut(try jobs(), caller) { .priority($0, priority) }
                return .json(try result())
            }
        }
        return try answer(.submit) { caller throws(Problem) in
            // What is not there is reported before what cannot be done.
            _ = try result()
            try gateway.carryOut(try jobs(), caller) { jobs in
                switch action {
                case .cancel: .cancel(jobs)
                case .pause: .pause(jobs)
                case .resume: .resume(jobs)
                case .retry, .priority: .retry(jobs)
                }
            }
            return .json(try result())
        }
    }

    // MARK: - Workers

    func workers(_ rest: [String]) throws(Problem) -> HTTPIntake {
        let gateway = gateway
        try only([])
        guard let name = rest.first else {
            try allow(["GET"])
            return try answer(.read) { _ throws(Problem) in
                let status = try gateway.found { () throws(ServiceError) in try gateway.service.status() }
                return .json(["workers": .array(status.broker.workers.map(JobJSON.value))])
            }
        }
        guard rest.count == 2, rest[1] == "drain" || rest[1] == "dismiss" else {
            throw noPath
        }
        try allow(["POST"])
        guard !name.isEmpty, name.utf8.count <= ProtocolLimits.nameBytes else {
            throw .missing("such worker; /v1/workers lists them")
        }
        let isDrain = rest[1] == "drain"
        return try answer(.operate) { caller throws(Problem) in
            let result = try gateway.sessions.order(
                isDrain ? .drain(worker: name) : .dismiss(worker: name), of: caller.name)
            guard result.count > 0 else { throw .missing("worker \(name); /v1/workers lists them") }
            return HTTPResponse(204)
        }
    }
}

extension JSONValue {
    /// Numbers above are not exact in JavaScript.
    static let integerMax: JobNumber = 9_007_199_254_740_991
}

extension Gateway {
    /// Gives an order about jobs.
    ///
    /// - Throws: 409 if none of them is in a state for it.
    func carryOut(_ jobs: [JobNumber], _ caller: Caller, _ action: ([JobNumber]) -> OrderAction) throws(Problem) {
        var (done, texts) = (0, [String]())
        for start in stride(from: 0, to: jobs.count, by: ProtocolLimits.jobsPerMessage) {
            let some = Array(jobs[start..<min(jobs.count, start + ProtocolLimits.jobsPerMessage)])
            let result = try sessions.order(action(some), of: caller.name)
            done += Int(clamping: result.count)
            if !result.text.isEmpty { texts.append(result.text) }
        }
        if done == 0 {
            throw .conflict(texts.first ?? "none of the jobs is in a state for this; look at their states first")
        }
    }

    func carryOut(_ action: OrderAction, on number: JobNumber, _ caller: Caller) throws(Problem) {
        _ = try job(number)
        let result = try sessions.order(action, of: caller.name)
        if result.count == 0 { throw .conflict(result.text) }
    }

    /// The file of a finished job, or a part of it.
    ///
    /// - Parameter path: of a file inside a picture that is a folder; empty for all of the picture.
    func picture(
        of number: JobNumber, inside path: [String] = [], _ request: HTTPRequest, isDownload: Bool
    ) throws(Problem) -> HTTPResponse {
        let job = try job(number)
        guard let picture = job.picture else {
            throw .conflict(
                "job \(number) is \(job.state.rawValue) and has no picture\(job.state.hasEnded ? "" : " yet; ask again when it is finished")"
            )
        }
        guard job.delivery == .fetch else {
            throw .missing("picture of job \(number) here: the broker has written it below its --output-root")
        }
        let tag = "\"\(picture.digest.hexadecimal)\""
        var headers: [(name: String, value: String)] = [
            ("ETag", tag), ("Cache-Control", "private, no-cache"), ("Accept-Ranges", "bytes"),
        ]
        let content = try content(of: job, inside: path, request)
        let (count, wanted) = (content.count, request.wanted(tag: tag, of: content.count))
        if case .known = wanted { return HTTPResponse(304, headers: headers) }
        headers += [
            ("Content-Type", content.mediaType),
            ("Content-Disposition", ContentDisposition.text(content.name, isAttachment: isDownload)),
        ]
        // Workers make drawings, and a browser that opens one would run a script in it as a page of this front.
        if content.mediaType == "image/svg+xml" {
            headers.append(
                ("Content-Security-Policy", "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"))
        }
        switch wanted {
        case .whole, .known: return HTTPResponse(200, headers: headers, body: content.part(0..<count))
        case .part(let range):
            headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"))
            return HTTPResponse(206, headers: headers, body: content.part(range))
        case .nothing:
            throw Problem(
                416, "Range Not Satisfiable",
                "the picture has \(count) bytes; ask for a range within them, or without Range",
                headers: [("Content-Range", "bytes */\(count)")])
        case .another:
            throw Problem(
                412, "Precondition Failed",
                "the picture's ETag is \(tag), which If-Match does not name; fetch all of it anew")
        }
    }

    /// What is sent: a kept file, or one of those in it.
    private struct Content {
        var count: Int
        var mediaType: String
        var name: String
        var part: (Range<Int>) -> HTTPResponse.Body
    }

    private func content(
        of job: JobFacts, inside path: [String], _ request: HTTPRequest
    ) throws(Problem) -> Content {
        do throws(SystemFailure) {
            let file = try FileDescriptor(
                opening: service.picturePath(of: job.number), flags: O_RDONLY | O_NOFOLLOW, operation: "open")
            guard let last = path.last else {
                return Content(
                    count: try file.status().byteCount, mediaType: JobJSON.mediaType(job), name: JobJSON.fileName(job)
                ) { .file(file, offset: $0.lowerBound, count: $0.count) }
            }
            let name = JobJSON.folderFormat(job).flatMap {
                ZoomArchive.entryName(path, of: JobJSON.pictureName(job), $0)
            }
            if let name, case let archive = try ZipArchiveReader(file), let entry = try archive.entry(named: name) {
                let mediaType = ZoomArchive.mediaType(name)
                guard ZoomArchive.needsPlace(name) else {
                    return Content(count: entry.bytes.count, mediaType: mediaType, name: last) {
                        .file(file, offset: entry.bytes.lowerBound + $0.lowerBound, count: $0.count)
                    }
                }
                let scheme = request.header("x-forwarded-proto") == "https" ? "https" : "http"
                let place = "\(scheme)://\(request.header("host") ?? "")\(request.path.splitPath().folder)"
                let bytes = ZoomArchive.placed(try archive.bytes(of: entry), at: place)
                return Content(count: bytes.count, mediaType: mediaType, name: last) { .bytes(Array(bytes[$0])) }
            }
        } catch {
            guard error.errno == ENOENT else {
                throw Problem(
                    500, "Internal Server Error", "the picture cannot be read: \(SystemFailure.text(of: error.errno))")
            }
            throw .missing("picture of job \(job.number) any more; submit the document again")
        }
        throw .missing("file \(path.joined(separator: "/").prefix(256)) in the picture of job \(job.number)")
    }
}

enum ContentDisposition {
    /// With the name in UTF-8 for those that read RFC 6266, and without what is not ASCII for others.
    static func text(_ name: String, isAttachment: Bool) -> String {
        let plain = String(
            name.unicodeScalars.map {
                $0.isASCII && $0.value >= 32 && $0 != "\"" && $0 != "\\" && $0.value != 127 ? Character($0) : "_"
            })
        let encoded = name.utf8.map { byte -> String in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "-._~".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
        }.joined()
        return "\(isAttachment ? "attachment" : "inline"); filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
    }
}
