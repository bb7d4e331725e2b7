import Foundation
import InkBroker
import InkExports
import InkJSON
import InkProtocol
import InkReading
import InkService
import InkSystem
import InkTestSupport
import InkWorker
import Testing

@testable import InkHTTP

/// The HTTP front of a broker, asked with requests as values: nothing listens for HTTP, and the farm needs no network.
final class Front {
    let folder: InkTestSupport.TemporaryFolder
    let gateway: Gateway
    private let service: FarmService
    private let worker: Worker?

    init(
        hasWorker: Bool = false, tokens: [AccessToken] = [], documentBytesMax: Int = 1 << 20,
        _ configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws {
        folder = try InkTestSupport.TemporaryFolder(prefix: "ink-front")
        let context = try ZeroMQContext()
        var configuration = ServiceConfiguration(
            clientsEndpoint: "inproc://clients", dataFolder: folder.path(of: "data"),
            broker: BrokerConfiguration(endpoint: "inproc://workers"))
        configuration.broker.spillFolder = folder.path
        configure(&configuration)
        service = try FarmService(configuration: configuration, context: context) { _ in }
        try service.start()
        var settings = GatewayConfiguration(host: "127.0.0.1", port: 0)
        settings.tokens = tokens
        settings.documentBytesMax = documentBytesMax
        gateway = Gateway(
            settings, service: service, exports: .process, presetFolders: [], options: ["brush", "font"])
        worker =
            try hasWorker
            ? Worker(
                configuration: WorkerConfiguration(
                    endpoint: "inproc://workers", name: "w1", rendererVersion: "test-1", threads: 1),
                context: context, runner: EngineTaskRunner(threads: 1, documents: TaskDocuments())) : nil
        try worker?.start()
    }

    deinit {
        worker?.stopNow()
        service.stop()
        service.waitUntilEnded()
    }

    /// A small project.
    static let drawing = """
        {"version": "1.0", "canvasSize": {"width": 16, "height": 16}, "layers": [{"id": "a", "strokes": [
          {"brush": {"type": "solid", "size": 3, "color": "#283c5a"}, "points": [[2, 2], [14, 14]]}]}]}
        """

    // MARK: - Requests

    /// - Parameters:
    ///   - target: path and query.
    ///   - headers: by their names in small letters; `host` is this machine unless it is given.
    ///   - body: arrives in pieces of 64 KiB.
    func ask(
        _ method: String, _ target: String, _ headers: [String: String] = [:], _ body: [UInt8] = []
    ) throws -> FrontAnswer {
        let intake = gateway.intake(of: try Front.request(method, target, headers))
        if case .refuse(let response) = intake { return try FrontAnswer(response, isRefusedUnread: true) }
        do {
            return try FrontAnswer(try response(intake, headers, body))
        } catch let problem as Problem {
            return try FrontAnswer(problem.response)
        }
    }

    private func response(
        _ intake: HTTPIntake, _ headers: [String: String], _ body: [UInt8]
    ) throws -> HTTPResponse {
        if case .answer(let make) = intake { return try make() }
        let pieces = stride(from: 0, to: body.count, by: 65_536).map { Array(body[$0..<min(body.count, $0 + 65_536)]) }
        if case .take(let taker) = intake {
            defer { taker.close() }
            for piece in pieces { try piece.withUnsafeBytes { try taker.take($0) } }
            return try taker.end()
        }
        guard case .takeForm(let taker) = intake else { throw CocoaError(.featureUnsupported) }
        defer { taker.close() }
        var reader = try #require(FormReader(contentType: headers["content-type"] ?? ""))
        for piece in pieces { try piece.withUnsafeBytes { try reader.take($0, taker) } }
        return try reader.end(taker)
    }

    func post(_ target: String, json: String) throws -> FrontAnswer {
        try ask("POST", target, ["content-type": "application/json"], Array(json.utf8))
    }

    /// Sends a document as the body.
    func submit(
        _ query: String = "name=a.ink", _ headers: [String: String] = [:], _ document: String = Front.drawing
    ) throws -> FrontAnswer {
        try ask(
            "POST", "/v1/jobs?\(query)", ["content-type": "application/octet-stream"].merging(headers) { $1 },
            Array(document.utf8))
    }

    static func request(
        _ method: String, _ target: String, _ headers: [String: String] = [:]
    ) throws -> HTTPRequest {
        let parts = target.split(separator: "?", maxSplits: 1)
        let query = try (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count > 1 ? sides[1] : ""
            return (
                name: try #require(PercentEncoding.decode(sides[0], plusIsSpace: true)),
                value: try #require(PercentEncoding.decode(value, plusIsSpace: true))
            )
        }
        return HTTPRequest(
            method: method, path: String(parts[0]), query: query,
            headers: ["host": "127.0.0.1"].merging(headers) { $1 })
    }
}

/// An answer, of which every refusal is a problem document.
struct FrontAnswer {
    let status: Int
    let isRefusedUnread: Bool
    /// By their names in small letters.
    let headers: [String: String]
    let body: [UInt8]
    let stream: (any HTTPStream)?
    var text: String { String(decoding: body, as: UTF8.self) }
    var detail: String { json["detail"]?.string ?? "" }
    /// Null if the body is no JSON.
    var json: JSONValue { (try? JSONReader.read(body)) ?? .null }

    init(_ response: HTTPResponse, isRefusedUnread: Bool = false) throws {
        status = response.status
        self.isRefusedUnread = isRefusedUnread
        headers = Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
        switch response.body {
        case .bytes(let bytes): (body, stream) = (bytes, nil)
        case .file(let file, let offset, let count): (body, stream) = (try file.read(count, at: offset), nil)
        case .stream(let made): (body, stream) = ([], made)
        }
        guard status >= 400 else { return }
        #expect(headers["content-type"] == "application/problem+json" && headers["cache-control"] == "no-store")
        #expect(json["type"]?.string == "about:blank" && json["status"]?.integer == status, "\(text)")
        #expect(json["title"]?.string?.isEmpty == false && !detail.isEmpty, "\(text)")
    }
}
