import Glibc
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkSystem

/// Finds out what a request asks for.
struct Router {
    let gateway: Gateway
    let request: HTTPRequest

    init(_ gateway: Gateway, _ request: HTTPRequest) {
        self.gateway = gateway
        self.request = request
    }

    /// - Throws: what is wrong with the request.
    func intake() throws(Problem) -> HTTPIntake {
        guard let parts = request.pathParts else {
            throw .malformed("the path is not UTF-8 in percent-encoding, such as %C3%A4")
        }
        guard parts.first == "v1" else { return try outside(request.path) }
        switch (parts.dropFirst().first, Array(parts.dropFirst(2))) {
        case ("jobs", let rest): return try jobs(rest)
        case ("batches", let rest): return try batches(rest)
        case ("workers", let rest): return try workers(rest)
        case ("stats", []):
            try allow(["GET"])
            try only([])
            return try answer(.read) { caller throws(Problem) in
                let status = try gateway.found { () throws(ServiceError) in try gateway.service.status() }
                return .json(
                    JobJSON.value(
                        status, for: caller, documentBytesMax: gateway.documentBytesMax.bytes))
            }
        case ("events", []):
            try allow(["GET"])
            try only([])
            return try answer(.read) { _ throws(Problem) in EventStreams.response(FarmEvents(gateway)) }
        case ("formats", []):
            try allow(["GET"])
            try only([])
            return try answer(.read) { _ throws(Problem) in .json(Self.formats) }
        default: throw noPath
        }
    }

    // MARK: - Outside of the API

    private func outside(_ path: String) throws(Problem) -> HTTPIntake {
        let gateway = gateway
        switch path {
        case "/healthz":
            try allow(["GET"])
            return .answer { gateway.health }
        case "/readyz":
            try allow(["GET"])
            return .answer { gateway.readiness }
        case "/metrics":
            try allow(["GET"])
            return try answer(.read) { _ throws(Problem) in try gateway.metrics() }
        default:
            guard let page = Page.all[path] else { throw noPath }
            try allow(["GET"])
            let isKnown = request.wanted(tag: page.tag) == .known
            return .answer { page.response(isKnown: isKnown) }
        }
    }

    private static let formats: JSONValue = {
        let codecs = PictureCodecs.all.filter { $0.missingPackage == nil }
        let formats = codecs.map { codec -> JSONValue in
            [
                "name": .string(codec.name), "ending": .string(codec.endings[0]),
                "mediaType": .string(codec.fileType.mediaType),
                "lossy": .bool(codec.settings.contains(.quality)),
                "bounded": .bool(codec.settings.contains(.maxBytes)),
            ]
        }
        return ["formats": .array(formats)]
    }()

    // MARK: - Helpers

    func allow(_ methods: [String]) throws(Problem) {
        if methods.contains(request.method) || request.method == "HEAD" && methods.contains("GET") { return }
        throw Problem(
            405, "Method Not Allowed",
            "\(request.method) is not for \(request.path.prefix(256)); use \(methods.joined(separator: " or "))",
            headers: [("Allow", methods.joined(separator: ", "))])
    }

    /// Refuses parameters that mean nothing here.
    func only(_ names: Set<String>) throws(Problem) {
        if let other = request.query.first(where: { !names.contains($0.name) }) {
            throw .malformed(
                "there is no parameter \"\(other.name.prefix(64))\" here; "
                    + (names.isEmpty ? "there are none" : "there are \(names.sorted().joined(separator: ", "))"))
        }
        for name in names where request.query.count(where: { $0.name == name }) > 1 {
            throw .malformed("\(name) is given more than once; give it once")
        }
    }

    var noPath: Problem { .missing("path \(request.path.prefix(256)); /openapi.json lists those that there are") }

    func parameter(_ name: String) -> String? { request.query.first { $0.name == name }?.value }

    func flag(_ name: String) throws(Problem) -> Bool {
        switch parameter(name) {
        case nil, "false": return false
        case "true": return true
        default: throw .malformed("\(name) is not true or false")
        }
    }

    /// An answer that needs nothing but the request's head.
    func answer(
        _ role: AccessRole, _ make: @escaping @Sendable (Caller) throws(Problem) -> HTTPResponse
    ) throws(Problem) -> HTTPIntake {
        let caller = try gateway.access.caller(request, needs: role)
        return .answer { () throws(Problem) in try make(caller) }
    }

    /// The members of a JSON object in the body.
    func object(
        _ role: AccessRole, limit: Int = 1 << 20,
        _ make: @escaping @Sendable (Caller, JSONValue) throws(Problem) -> HTTPResponse
    ) throws(Problem) -> HTTPIntake {
        let caller = try gateway.access.caller(request, needs: role)
        guard mediaType == "application/json" else {
            throw Problem(415, "Unsupported Media Type", "the body has to be JSON; send Content-Type: application/json")
        }
        return .take(
            CollectedBody(limit: limit) { bytes throws(Problem) in
                let value = try rethrowing(try JSONReader.read(bytes)) { (error: JSONReader.Failure) in
                    Problem.malformed("the body is not JSON: \(error.reason) at byte \(error.offset)")
                }
                guard value.members != nil else { throw .malformed("the body is not a JSON object, in braces") }
                return try make(caller, value)
            })
    }

    /// The media type of the body, in small letters and without parameters.
    var mediaType: String {
        let text = request.header("content-type") ?? ""
        return text.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    }
}

extension Gateway {
    /// - Throws: 503 if the service does not answer, 500 if its store cannot be read.
    func found<T>(_ body: () throws(ServiceError) -> T) throws(Problem) -> T {
        do throws(ServiceError) { return try body() } catch {
            if case .ended = error { throw .busy("the broker does not answer; it may be stopping, so ask again later") }
            throw Problem(500, "Internal Server Error", "\(error)")
        }
    }

    func job(_ number: JobNumber) throws(Problem) -> JobFacts {
        let job = try found { () throws(ServiceError) in try service.job(number) }
        guard let job else { throw .missing("job \(number); it may have been removed") }
        return job
    }
}
