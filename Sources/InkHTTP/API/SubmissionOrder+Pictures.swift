import InkExports
import InkProtocol
import InkSystem

/// From documents to pictures, as `ink submit` makes them.
extension SubmissionOrder {
    /// Why a document gives no jobs.
    struct Refusal: Error {
        var text: String
        /// Whether the options are to blame, which are the same for all documents.
        var isOfOptions: Bool
    }

    /// The pictures of a document, ready to be submitted but for their keys.
    func pictures(of document: SubmittedDocument) throws(Refusal) -> [SubmissionMaker.Made] {
        if let reason = Self.sizeFault(of: document) { throw Refusal(text: reason, isOfOptions: false) }
        let maker: SubmissionMaker
        do throws(ExportError) { maker = try self.maker(of: document) } catch {
            // No document has been read.
            throw refusal(error, isOfOptions: true)
        }
        do throws(ExportError) { return try Self.pictures(of: document, maker) } catch {
            throw refusal(error, isOfOptions: error.exitCode == .usage || error.exitCode == .configuration)
        }
    }

    private func refusal(_ error: ExportError, isOfOptions: Bool) -> Refusal {
        // The names of files that were sent, for the places where they lie.
        Refusal(text: options.inRequest(marks.renamed(error.description)), isOfOptions: isOfOptions)
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

    private func maker(of document: SubmittedDocument) throws(ExportError) -> SubmissionMaker {
        var choices = options.choices
        // The file would be one of the broker's.
        if let text = choices.overlays.watermark, try Overlays.isPicture(text) {
            throw .usage(
                "--watermark: \"\(text)\" is or could be a file's name; send the picture as the part watermark of a form"
            )
        }
        if let watermark = marks.watermark { choices.overlays.watermark = watermark.path }
        choices.overlays.file = marks.overlay?.path
        choices.overlays.shownFile = marks.overlay?.name
        var arguments = try ExportArguments(choices, paths: [document.path])
        if !document.isShared { arguments.presetFolders = gateway.presetFolders }
        return try SubmissionMaker(arguments, isShared: document.isShared, priority: priority, gateway.exports)
    }

    private static func pictures(
        of document: SubmittedDocument, _ maker: SubmissionMaker
    ) throws(ExportError) -> [SubmissionMaker.Made] {
        let (found, plan) = try maker.find()
        if let failure = found.failures.first { throw .farm(failure.failure.renamed(document)) }
        // The folder that a document which was sent has in its name; others have none, as on the command line.
        var folder = document.name.splitPath().folder
        if document.isShared || !folder.isPlainRelativePath { folder = "" }
        var made: [SubmissionMaker.Made] = []
        var start = 0
        while start < plan.pictures.count {
            let input = plan.pictures[start].input
            let pictures = Array(plan.pictures[start...].prefix { $0.input == input })
            start += pictures.count
            let file = found.inputs[input].path
            // A folder has several.
            let name = document.name + (file.hasPrefix(document.path) ? file.dropFirst(document.path.count) : "")
            do throws(PictureFailure) {
                for var picture in try maker.make(
                    pictures, of: found.inputs[input], known: found.only, named: name
                ).made {
                    let file = folder.appendingPath(picture.submission.file)
                    if !picture.submission.file.isEmpty, file.utf8.count <= ProtocolLimits.textBytes {
                        picture.submission.file = file
                    }
                    made.append(picture)
                }
            } catch {
                throw .farm(error.renamed(document))
            }
        }
        guard !made.isEmpty else {
            throw .farm(PictureFailure(kind: .badInput, reason: "\(document.name): not a document that ink can read"))
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
