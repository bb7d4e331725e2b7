import Glibc
package import InkExports
import InkJSON
import InkProtocol
package import InkService
import InkSystem
import Synchronization

/// What an HTTP front of a broker needs.
package struct GatewayConfiguration: Sendable {
    /// A name, an address, a network interface, or `*` for all; IPv6 addresses with or without brackets.
    package let host: String
    /// 0: one that the system chooses.
    package let port: UInt16
    /// Those of the host.
    let addresses: Result<[HostAddress], HostAddress.ListeningFailure>
    /// Empty: everybody may do everything; only for a loopback address.
    package var tokens: [AccessToken] = []
    /// Further names by which the front is reached.
    package var hosts: [String] = []
    /// The largest document, bytes.
    package var documentBytesMax = 256 << 20
    package var limits = HTTPServerLimits()

    /// Looks for the addresses of the host, which may take some seconds.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
        addresses = HostAddress.toListen(at: HostAddress.unbracketed(host), port: "\(port)")
    }

    /// Why the front cannot be at its host; nil if it can.
    package var addressProblem: String? {
        guard case .failure(let failure) = addresses else { return nil }
        return "\(host) \(failure.text); give an address, a name or a network interface of this machine, or *"
    }

    /// Whether users of other machines could come in without a token.
    package var isOpen: Bool {
        guard tokens.isEmpty, case .success(let addresses) = addresses else { return false }
        return !addresses.allSatisfy(\.isLoopback)
    }

    /// The names by which the front may be asked.
    var names: Set<String> {
        // A host without addresses keeps the front from starting: see `addressProblem`.
        let own = [host] + ((try? addresses.get()) ?? []).map(\.host)
        return AccessRules.localHosts.union((own + hosts).map(AccessRules.name(of:)))
    }
}

/// The HTTP front of a broker: its API, its pages, its metrics. `Pages/openapi.json` describes the API.
package final class Gateway: Sendable {
    let configuration: GatewayConfiguration
    let service: FarmService
    let exports: ExportEnvironment
    let presetFolders: [String]
    /// Options of `ink export`, most of which are refused by name.
    let otherOptions: Set<String>
    let access: AccessRules
    let sessions: Sessions
    let previews: Previews
    let canary: Canary
    let news: JobNews
    /// The traces that submissions belong to.
    package let traces = Traces()
    let feed: FarmFeed
    /// Bytes that documents take which are being received.
    let uploading = Mutex(0)
    private let server = Mutex<HTTPServer?>(nil)
    let stopping = Atomic<Bool>(false)

    /// - Parameters:
    ///   - exports: reads the documents.
    ///   - presetFolders: where brush presets of documents that are sent are looked up first.
    ///   - options: all of `ink export`; a request has those of pictures.
    package init(
        _ configuration: GatewayConfiguration, service: FarmService, exports: ExportEnvironment,
        presetFolders: [String], options: Set<String>
    ) {
        self.configuration = configuration
        self.service = service
        self.exports = exports
        self.presetFolders = presetFolders
        otherOptions = options
        access = AccessRules(tokens: configuration.tokens, hosts: configuration.names)
        sessions = Sessions(service)
        previews = Previews(service)
        canary = Canary(service)
        news = JobNews(service)
        feed = FarmFeed(service)
    }

    /// Begins to serve; returns the port.
    ///
    /// - Precondition: The configuration is not open.
    /// - Throws: `system`, and `configuration` for a host that is not this machine.
    package func start() throws(GatewayError) -> UInt16 {
        precondition(!configuration.isOpen, "an open front")
        guard case .success(let addresses) = configuration.addresses else {
            throw .configuration(configuration.addressProblem ?? "")
        }
        // A client that goes away while it is written to must not end the process.
        signal(SIGPIPE, SIG_IGN)
        try Spool.clear(service.folder)
        let headers = [
            ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
        ]
        let made = HTTPServer(headers: headers, limits: configuration.limits) { [weak self] request in
            self?.intake(of: request)
                ?? .refuse(Problem.busy("the broker is stopping; ask again when it has started").response)
        }
        server.withLock { $0 = made }
        do throws(SystemFailure) {
            let port = try made.start(addresses, port: configuration.port)
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

    func intake(of request: HTTPRequest) -> HTTPIntake {
        do throws(Problem) {
            if let problem = access.check(request) { throw problem }
            return try Router(self, request).intake()
        } catch {
            return .refuse(error.response)
        }
    }
}
