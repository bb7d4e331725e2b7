import Glibc
import InkEngine
import InkJSON
import InkProtocol
package import InkService
import InkSystem
import Synchronization

/// What an HTTP front of a broker needs.
package struct GatewayConfiguration: Sendable {
    package var host: String
    /// 0: one that the system chooses.
    package var port: UInt16
    /// Empty: everybody may do everything; only for a loopback address.
    package var tokens: [AccessToken] = []
    /// Further names by which the front is reached.
    package var hosts: [String] = []
    /// The largest document, bytes.
    package var documentBytesMax = 256 << 20
    package var limits = HTTPServerLimits()

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Whether others than this machine's users could come in without a token.
    package var isOpen: Bool {
        let isLoopback = host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
        return tokens.isEmpty && !isLoopback
    }
}

/// The HTTP front of a broker: its API, its pages, its metrics. `Pages/openapi.json` describes the API.
package final class Gateway: Sendable {
    let configuration: GatewayConfiguration
    let service: FarmService
    let planner: SubmissionPlanner
    let access: AccessRules
    let sessions: Sessions
    let previews: Previews
    let canary: Canary
    let news: JobNews
    /// The traces that submissions belong to.
    package let traces = Traces()
    let feed: FarmFeed
    private let server = Mutex<HTTPServer?>(nil)
    let stopping = Atomic<Bool>(false)

    /// - Parameter planner: makes submissions of documents.
    package init(_ configuration: GatewayConfiguration, service: FarmService, planner: @escaping SubmissionPlanner) {
        self.configuration = configuration
        self.service = service
        self.planner = planner
        access = AccessRules(
            tokens: configuration.tokens,
            hosts: AccessRules.localHosts.union(configuration.hosts.map { $0.lowercased() }))
        sessions = Sessions(service)
        previews = Previews(service)
        canary = Canary(service)
        news = JobNews(service)
        feed = FarmFeed(service)
    }

    /// Begins to serve; returns the port.
    ///
    /// - Precondition: The configuration is not open.
    /// - Throws: `system`.
    package func start() throws(GatewayError) -> UInt16 {
        precondition(!configuration.isOpen, "an open front")
        // A client that goes away while it is written to must not end the process.
        signal(SIGPIPE, SIG_IGN)
        try Spool.clear(service.folder)
        let headers = [
            ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
        ]
        let made = HTTPServer(headers: headers, limits: configuration.limits) { [weak self] request in
            self?.take(request) ?? .refuse(Problem.busy("the broker is stopping").response)
        }
        server.withLock { $0 = made }
        do throws(SystemFailure) {
            let host =
                configuration.host.hasPrefix("[")
                ? String(configuration.host.dropFirst().dropLast()) : configuration.host
            let port = try made.start(host: host, port: configuration.port)
            previews.begin()
            try canary.start()
            return port
        } catch {
            throw .system(error)
        }
    }

    package func stop() {
        stopping.store(true, ordering: .relaxed)
        canary.stop()
        server.withLock { $0.take() }?.stop()
        sessions.close()
    }

    var statistics: (connections: Int, answers: [HTTPServer.Answer: Int]) {
        server.withLock { ($0?.connectionCount ?? 0, $0?.answers ?? [:]) }
    }

    // MARK: - Requests

    private func take(_ request: HTTPRequest) -> HTTPIntake {
        do throws(Problem) {
            if let problem = access.check(request) { throw problem }
            return try Router(self, request).intake()
        } catch {
            return .refuse(error.response)
        }
    }
}
