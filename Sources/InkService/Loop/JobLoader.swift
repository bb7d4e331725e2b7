import Glibc
import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import InkPlanning
import InkProtocol
import InkStore
import InkSystem

/// The broker's copy of a project cannot be had.
struct LostCopy: Error, Hashable, CustomStringConvertible {
    let cause: StoreError

    var description: String {
        switch cause {
        case .damaged:
            "the broker's copy of the project was damaged and has been removed; submit the project again"
        case .file(_, _, ENOENT): "the broker no longer has the project; submit it again"
        default: cause.description
        }
    }
}

/// Reads the project of a job, on the broker's splitting lane.
struct JobLoader: Sendable {
    let configuration: ServiceConfiguration
    let contents: ContentFolder
    let onEvent: @Sendable (FarmNote) -> Void

    /// - Parameter onWarnings: receives the warnings of a project.
    func load(
        _ submission: Submission, onWarnings: ([ReadingWarning]) -> Void
    ) throws(BrokerError) -> (Project, PictureOrder) {
        let text = try text(of: submission)
        do throws(EngineError) {
            if case .write(let path) = submission.delivery { try checkOutput(path, of: submission) }
            let reading = try reading(submission, text)
            if !reading.warnings.isEmpty { onWarnings(reading.warnings) }
            return (reading.project, try order(submission, reading.project))
        } catch {
            throw .refused(error)
        }
    }

    /// The project's file; empty if it is read by path.
    private func text(of submission: Submission) throws(BrokerError) -> [UInt8] {
        guard case .content(let id, _, let encoding) = submission.source else { return [] }
        let bytes = try read(id, of: submission)
        if encoding == .plain { return bytes }
        let limit = configuration.projectLimits.fileBytes
        return try rethrowing(try Zstandard.decompress(bytes, limit: limit)) { (error: ProtocolError) in
            BrokerError.refused(
                .badInput(Place(file: submission.name), reason: "the content is not a project: \(error)"))
        }
    }

    /// A failure here concerns the broker's copy, not the project.
    private func read(_ id: ContentID, of submission: Submission) throws(BrokerError) -> [UInt8] {
        do throws(StoreError) {
            return try contents.read(id)
        } catch {
            switch error {
            case .damaged: onEvent(FarmNote(.error, "content.damaged", reason: "\(error)"))
            // Out of descriptors: the job is tried again.
            case .file(let path, let operation, let errno) where errno != ENOENT:
                throw .refused(.io(path: path, operation: operation, errno: errno))
            default: break
            }
            throw .source(export: submission.name, Cause(LostCopy(cause: error)))
        }
    }

    private func reading(_ submission: Submission, _ text: [UInt8]) throws(EngineError) -> ProjectReading {
        let limits = configuration.projectLimits
        switch submission.source {
        case .content:
            return try ProjectLoader.load(
                bytes: text, name: submission.name, isNamedByOthers: true, presetFolders: configuration.presetFolders,
                limits: limits)
        case .path(let path):
            let file = try resolved(path)
            // Presets are next to the given path or next to its target. If the folder of the given path is outside the
            // roots, only next to the target.
            let given = Self.real(path.splitPath().folder).flatMap { isBelowInputRoots($0) ? $0 : nil }
            let folders = [given, file.splitPath().folder].compactMap { $0.map { $0.appendingPath("") } }
            return try ProjectLoader.load(
                path: file, presetFolders: configuration.presetFolders, besideFolders: folders, limits: limits)
        }
    }

    /// Links may lead anywhere below the roots, but not outside.
    private func resolved(_ path: String) throws(EngineError) -> String {
        guard let real = Self.real(path) else { throw .io(path: path, operation: "open", errno: errno) }
        guard isBelowInputRoots(real) else {
            throw .badInput(Place(file: path), reason: "the file lies outside the broker's input roots")
        }
        return real
    }

    private func isBelowInputRoots(_ real: String) -> Bool {
        configuration.inputRoots.compactMap(Self.real).contains { $0 == real || ServiceState.lies(real, below: $0) }
    }

    /// Whether a picture may replace a file. One of a photo may not, as in `ink export`.
    static func replacesFiles(_ submission: Submission) -> Bool {
        if submission.delivery == .fetch { return true }
        var names = [submission.name]
        if case .path(let path) = submission.source { names.append(path) }
        return !names.contains { name in
            DocumentReaders.pictureEndings.contains { name.lowercased().hasSuffix($0) }
        }
    }

    /// Checks an output: neither the path nor, for a link, its target may be outside the root, or the project itself.
    private func checkOutput(_ path: String, of submission: Submission) throws(EngineError) {
        guard let folder = configuration.outputRoot, let root = Self.real(folder) else {
            throw .io(path: configuration.outputRoot ?? path, operation: "open", errno: errno)
        }
        let formats = submission.picture.options.files.map(\.encoding.format)
        // Several formats are one archive.
        let format = formats.count == 1 ? formats[0] : .png
        for place in format.places(of: "\(folder)/\(path)") {
            try checkOutput(path, at: FileSystem.resolved(place), below: root, of: submission)
        }
    }

    private func checkOutput(
        _ path: String, at target: String, below root: String, of submission: Submission
    ) throws(EngineError) {
        guard ServiceState.lies(target, below: root) else {
            throw .badInput(Place(file: path), reason: "a link leads out of the broker's output root")
        }
        if case .path(let path) = submission.source, let input = Self.real(path) {
            // A template is a folder, which may get a new preview; its other pictures are input.
            let isInside = target.utf8.starts(with: "\(input)/".utf8) && target != "\(input)/preview.png"
            if target == input || isInside {
                throw .badInput(Place(file: target), reason: "the picture would replace the input \(path)")
            }
        }
        if !Self.replacesFiles(submission) {
            let found = try EngineError.wrapping { () throws(SystemFailure) in try FileSystem.status(of: target) }
            if found != nil { throw .io(path: target, operation: "write the picture of a photo", errno: EEXIST) }
        }
    }

    private static func real(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private func order(_ submission: Submission, _ project: Project) throws(EngineError) -> PictureOrder {
        let spec = submission.picture
        let place = Place(file: submission.name)
        let size: PixelSize
        switch spec.size {
        case .exact(let exact):
            try ExportSize.check(exact, limits: configuration.projectLimits, place: place)
            size = exact
        case .named(let text):
            guard let named = ExportSize(text) else { throw .badInput(place, reason: "\"\(text)\" is not a size") }
            let canvas = try spec.options.canvas(of: project, place: place)
            size = try named.outputSize(canvas: canvas, limits: configuration.projectLimits, place: place)
        }
        let layerCount = project.layers.elementCount
        if let wrong = spec.options.layers?.first(where: { $0 >= layerCount }) {
            throw .badInput(place, reason: "there is no layer \(wrong + 1), the project has \(layerCount)")
        }
        return PictureOrder(output: size, options: spec.options, software: configuration.software)
    }
}
