import InkClient
import InkEngine
import InkExports
import InkHTTP
import InkProtocol
import InkService
import InkSystem

/// The settings of a broker's HTTP front.
struct HTTPArguments: Sendable {
    let configuration: GatewayConfiguration

    /// nil if there is none.
    ///
    /// - Throws: `configuration`.
    init?(_ settings: Settings) throws(CommandError) {
        typealias Own = BrokerSetting
        guard let text = settings.text(Own.http) else {
            for setting in [Own.httpTokens, Own.httpHost] where settings.isSet(setting) {
                throw settings.refusal(setting, "also needs --http")
            }
            return nil
        }
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let port = UInt16(text[text.index(after: colon)...])
        else { throw settings.refusal(Own.http, "\"\(text)\" is not HOST:PORT, as in 127.0.0.1:8080 or [::1]:8080") }
        var configuration = GatewayConfiguration(host: String(text[..<colon]), port: port)
        if let problem = configuration.addressProblem { throw settings.refusal(Own.http, problem) }
        configuration.hosts = settings.texts(Own.httpHost)
        let asked = settings.bytes(Own.httpDocument) ?? configuration.documentBytesMax
        configuration.documentBytesMax = min(asked, Memory.read().documentBytesMax ?? asked)
        if let path = settings.text(Own.httpTokens) {
            let bytes: [UInt8]
            do throws(EngineError) { bytes = try InputFile.read(path: path, limitBytes: 1 << 20) } catch {
                throw settings.refusal(Own.httpTokens, "\(error)")
            }
            do throws(GatewayError) {
                configuration.tokens = try AccessToken.read(String(decoding: bytes, as: UTF8.self), file: path)
            } catch {
                throw CommandError(error)
            }
            guard !configuration.tokens.isEmpty else {
                throw settings.refusal(Own.httpTokens, "\(path) has no token; make one by ink keygen --http")
            }
        }
        guard !configuration.isOpen else {
            throw settings.refusal(
                Own.http,
                "\(configuration.host) is not limited to this machine: pass --http-tokens (from ink keygen --http)")
        }
        self.configuration = configuration
    }

    func address(port: UInt16) -> String { "http://\(HostAddress.bracketed(configuration.host)):\(port)" }

    func gateway(
        _ service: FarmService, _ environment: CommandEnvironment, presetFolders: [String]
    ) throws(CommandError) -> Gateway {
        Gateway(
            configuration, service: service, options: Set(CommandSyntax.export.options.filter(\.hasName).map(\.key))
        ) { document, choices, marks, priority throws(SubmissionRefusal) in
            // The names of files that were sent, for the places where they lie.
            func refusal(_ error: CommandError, isOfOptions: Bool) -> SubmissionRefusal {
                SubmissionRefusal(text: marks.renamed(error.description), isOfOptions: isOfOptions)
            }
            if let reason = Self.sizeFault(of: document) { throw SubmissionRefusal(text: reason, isOfOptions: false) }
            let maker: SubmissionMaker
            do throws(CommandError) {
                maker = try Self.maker(document, choices, marks, priority, environment, presetFolders)
            } catch {
                // No document has been read.
                throw refusal(error, isOfOptions: true)
            }
            do throws(CommandError) { return try Self.plan(document, maker) } catch {
                throw refusal(error, isOfOptions: error.exitCode == .usage || error.exitCode == .configuration)
            }
        }
    }

    /// A document that was sent and takes more memory, once it has been read, than the broker has.
    private static func sizeFault(of document: SubmittedDocument) -> String? {
        guard !document.isShared, let most = Memory.read().projectBytesMax,
            // A document that cannot be looked at fails when it is read.
            let bytes = ((try? FileSystem.status(of: document.path)) ?? nil)?.byteCount, bytes > most,
            !SubmissionMaker.isPicture(document.path)
        else { return nil }
        return
            "\(document.name) has \(bytes) bytes; with the memory that this broker has, a document that is no picture "
            + "may have \(most)"
    }

    private static func maker(
        _ document: SubmittedDocument, _ choices: PictureChoices, _ marks: SubmittedMarks, _ priority: Int,
        _ environment: CommandEnvironment, _ presetFolders: [String]
    ) throws(CommandError) -> SubmissionMaker {
        // The file would be one of the broker's.
        if let text = choices.overlays.watermark, try Overlays.isPicture(text) {
            throw .usage(
                "--watermark: \"\(text)\" is or could be a file's name; send the picture as the part watermark of a form"
            )
        }
        var choices = choices
        if let watermark = marks.watermark { choices.overlays.watermark = watermark.path }
        choices.overlays.file = marks.overlay?.path
        choices.overlays.shownFile = marks.overlay?.name
        var arguments = try ExportArguments(choices, paths: [document.path])
        if !document.isShared { arguments.presetFolders = presetFolders }
        return try SubmissionMaker(arguments, isShared: document.isShared, priority: priority, environment) { _ in }
    }

    /// The folder that a document which was sent has in its name; others have none, as on the command line.
    private static func folder(of document: SubmittedDocument) -> String {
        let folder = document.name.splitPath().folder
        return !document.isShared && folder.isPlainRelativePath ? folder : ""
    }

    /// Makes of a document what `ink submit` makes of it.
    private static func plan(
        _ document: SubmittedDocument, _ maker: SubmissionMaker
    ) throws(CommandError) -> [PlannedSubmission] {
        let observer = FailureCollector()
        let (found, plan) = try maker.find(observer)
        if let failure = found.failures.first { throw .farm(failure.failure.renamed(document)) }
        var made: [PlannedSubmission] = []
        var start = 0
        while start < plan.pictures.count {
            let input = plan.pictures[start].input
            let pictures = Array(plan.pictures[start...].prefix { $0.input == input })
            start += pictures.count
            let file = found.inputs[input].path
            // A folder has several.
            let name = document.name + (file.hasPrefix(document.path) ? file.dropFirst(document.path.count) : "")
            do throws(PictureFailure) {
                for var entry in try maker.make(pictures, of: found.inputs[input], named: name).made {
                    let file = folder(of: document).appendingPath(entry.submission.file)
                    if !entry.submission.file.isEmpty, file.utf8.count <= ProtocolLimits.textBytes {
                        entry.submission.file = file
                    }
                    made.append(PlannedSubmission(submission: entry.submission, content: entry.submittedContent))
                }
            } catch {
                throw .farm(error.renamed(document))
            }
        }
        guard !made.isEmpty else {
            throw .farm(
                PictureFailure(kind: .badInput, reason: "\(document.name): not a document that ink can read"))
        }
        return made
    }
}

extension PictureFailure {
    /// With the document's own name for the place where it was stored.
    fileprivate func renamed(_ document: SubmittedDocument) -> PictureFailure {
        var failure = self
        failure.reason = failure.reason.replacing(document.path, with: document.name)
        return failure
    }
}

extension SubmissionMaker.Made {
    /// nil if the broker reads the document itself.
    fileprivate var submittedContent: SubmittedContent? {
        switch content {
        case nil: nil
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path, _): .file(path)
        }
    }
}

/// Tells nobody; failures are in the plan.
private struct FailureCollector: ExportObserver {
    func error(_ text: String) {}
    func warning(_ text: String) {}
    func remark(_ text: String) {}
    func skipped(_ files: SkippedFiles) {}
    func began(pictures: Int) {}
    func hasRead(_ name: String, _ warnings: [ReadingWarning]) {}
    func planned(_ picture: PictureRequest) throws(ExportError) {}
    func started(_ id: Int, output: String, files: Int) {}
    func estimated(_ id: Int, _ timeLeft: TimeLeft) {}
    func progressed(_ id: Int, done: Int, total: Int) {}
    func ended(_ id: Int, pixels: Int) {}
    func passed(milliseconds: Double) {}
    func stopping() {}
    func ended() {}
}
