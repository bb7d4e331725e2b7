package import InkClient
package import InkEngine
package import InkJSON
package import InkProtocol

/// The operations of a broker's client that exports and commands use; `FarmClient` implements them.
package protocol FarmConnection: Sendable {
    func start() throws(ClientError)
    func submit(_ submission: Submission, content: ContentSource?)
    func withdraw(_ keys: [SubmissionKey])
    func expect(_ submissions: [JobNumber: ContentID])
    func watch(_ jobs: [JobNumber])
    func noticeTaken(_ id: UInt64)
    func follow(_ job: JobNumber, to path: String, as format: PictureFormat)
    func fetch(_ job: JobNumber, picture: PictureReport, to path: String, as format: PictureFormat)
    func order(_ action: OrderAction, timeoutMilliseconds: Int) throws(ClientError) -> OrderResult
    func ask(_ topic: Topic, timeoutMilliseconds: Int) throws(ClientError) -> [UInt8]
    func stop()
}

extension FarmClient: FarmConnection {}

/// Creates a client of a broker without starting it; events arrive on the client's thread.
package typealias FarmConnector =
    @Sendable (RemoteOptions, _ onEvent: @escaping @Sendable (FarmClientEvent) -> Void) throws(ExportError) ->
    any FarmConnection

extension FarmConnection {
    /// Asks the broker and parses its answer, with the commands' errors. `.null` if the broker has no answer.
    ///
    /// - Throws: `farm`.
    package func answer(_ topic: Topic, timeoutMilliseconds: Int) throws(ExportError) -> JSONValue {
        let text = try rethrowing(
            try ask(topic, timeoutMilliseconds: timeoutMilliseconds), as: ExportError.init(ofFarm:))
        let answer = try rethrowing(try JSONReader.read(text)) { (error: JSONReader.Failure) in
            ExportError.farm(
                PictureFailure(kind: .internalError, reason: "the broker's answer is not JSON: \(error)"))
        }
        if let problem = answer["problem"]?.string {
            throw .farm(PictureFailure(kind: .inputOutput, reason: "the broker cannot read its jobs: \(problem)"))
        }
        return answer
    }

    /// `order` with the commands' errors.
    ///
    /// - Throws: `farm`.
    package func carryOut(_ action: OrderAction, timeoutMilliseconds: Int) throws(ExportError) -> OrderResult {
        try rethrowing(try order(action, timeoutMilliseconds: timeoutMilliseconds), as: ExportError.init(ofFarm:))
    }
}

extension RemoteOptions {
    /// Milliseconds that orders and questions wait for their answer.
    package var answerMilliseconds: Int { timeoutMilliseconds ?? 10_000 }

    /// A connection that has been started.
    package func connect(
        _ connector: FarmConnector, onEvent: @escaping @Sendable (FarmClientEvent) -> Void
    ) throws(ExportError) -> any FarmConnection {
        let connection = try connector(self, onEvent)
        try rethrowing(try connection.start(), as: ExportError.init(ofFarm:))
        return connection
    }
}

extension ExportError {
    package init(ofFarm error: ClientError) { self = .farm(PictureFailure(error)) }
}

extension PictureFailure {
    /// The error for something that the transport refused; `what` names the operation.
    package init(_ error: ProtocolError, _ what: String) {
        self.init(kind: error.isShortage ? .inputOutput : .unreachable, reason: "\(what): \(error)")
    }

    package init(_ error: ClientError) {
        let kind: ExitCode =
            switch error {
            case .file, .damagedPicture, .pictureMissing, .noThread: .inputOutput
            case .transport(let cause): cause.isShortage ? .inputOutput : .unreachable
            case .unreachable, .refused, .badPicture: .unreachable
            case .contentSize: .badInput
            case .stopped: .internalError
            }
        self.init(kind: kind, reason: error.description)
    }

    /// The error for a submission that the broker rejected.
    package init(_ rejection: Rejection, name: String) {
        let kind: ExitCode =
            switch rejection.code {
            case .invalid: .badInput
            case .forbidden: .forbidden
            case .content: .inputOutput
            // The client retries these itself.
            case .busy, .storage: .unreachable
            }
        self.init(kind: kind, reason: "\(name): the broker refused it: \(rejection.text)")
    }

    /// How a job ended; nil when it is finished.
    package init?(_ ending: JobEnding, job: JobNumber) {
        switch ending {
        case .finished: return nil
        case .failed(let code, let text):
            let kind: ExitCode =
                switch code {
                case .badInput: .badInput
                case .inputOutput: .inputOutput
                case .internalError: .internalError
                case .noWorkers: .unreachable
                }
            self.init(kind: kind, reason: "job \(job): \(text)")
        case .cancelled: self.init(kind: .exportFailed, reason: "job \(job): cancelled")
        case .unknown:
            self.init(kind: .usage, reason: "job \(job): the broker does not know this job; it may have been purged")
        }
    }
}
