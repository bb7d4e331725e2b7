package import InkCodecs
package import InkDocuments
package import InkEngine
package import InkProtocol

/// One picture for the farm, with everything decided.
package struct PictureRequest: Sendable {
    /// Unique in a run: that of the first file.
    package var id: Int { ids[0] }
    /// The numbers of its files, in the order of the options' files.
    package var ids: [Int]
    /// What messages call the project.
    package var name: String
    package var project: Project
    /// Output pixels.
    package var size: PixelSize
    /// The options, with the layers and the digest of this picture.
    package var options: PictureOptions
    /// Paths of its files.
    package var outputs: [String]
    /// Whether a file that has such a name is replaced.
    package var replacesFile = true
    /// SHA-256 of everything the project was read from; equal for equal projects.
    package var contentDigest: [UInt8]
    /// The project's own text for a broker; nil if the project has to be serialized.
    package var text: PackedText?
    /// The warnings from reading the project.
    package var warnings: [ReadingWarning] = []
    /// What of the picture the formats of its files cannot say as it is.
    package var formatWarnings: [ReadingWarning] = []
    /// Whether the SHA-256 of the file is needed.
    package var wantsFileDigest = true
    /// How many pictures of the run are still to be submitted.
    package var othersWaiting = 0

    package init(
        id: Int, name: String, project: Project, size: PixelSize, options: PictureOptions, output: String,
        replacesFile: Bool = true, contentDigest: [UInt8], text: PackedText? = nil, warnings: [ReadingWarning] = [],
        wantsFileDigest: Bool = true
    ) {
        ids = [id]
        self.name = name
        self.project = project
        self.size = size
        self.options = options
        outputs = [output]
        self.replacesFile = replacesFile
        self.contentDigest = contentDigest
        self.text = text
        self.warnings = warnings
        self.wantsFileDigest = wantsFileDigest
    }
}

extension PictureRequest {
    /// Adds the files of another request for the same picture.
    mutating func add(_ other: PictureRequest) {
        ids += other.ids
        outputs += other.outputs
        formatWarnings += other.formatWarnings
        options.files += other.options.files
    }
}

/// Why a picture failed.
package struct PictureFailure: Error, Hashable, Sendable {
    /// The exit code if nothing else fails.
    package var kind: ExitCode
    /// One line; names file and place.
    package var reason: String

    package init(kind: ExitCode, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// The error that `--strict` makes of an input's warnings; nil without warnings.
    package init?(strictly warnings: [ReadingWarning], of name: String) {
        guard let first = warnings.first else { return nil }
        let others =
            warnings.count > 1 ? "the first of \(warnings.count) warnings, which are errors with --strict" : "--strict"
        self.init(kind: .badInput, reason: "\(name): \(first) (\(others))")
    }

    package init(_ error: EngineError) { self.init(kind: error.exitCode, reason: error.advised) }
    package init(_ error: ExportError) { self.init(kind: error.exitCode, reason: error.description) }
}

/// An event of the picture with this id.
package enum FarmEvent: Hashable, Sendable {
    /// The farm has everything it needs for the picture, so its project may leave memory. A farm in this process keeps
    /// the project until the end and does not send this event.
    case taken(Int)
    /// The first task has been assigned to a worker.
    case started(Int)
    /// Finished tasks, and tasks in total.
    case progress(Int, done: Int, total: Int)
    /// How long the picture still takes; now and then.
    case timeLeft(Int, TimeLeft)
    case finished(Int, PictureReport)
    case failed(Int, PictureFailure)
    /// Ended by `cancelAll`; no file of it remains on disk.
    case cancelled(Int)
    /// A line for the user that is not about a particular picture.
    case news(String)
}

/// Renders pictures: a broker and its workers, in this process or elsewhere.
///
/// Each submitted picture ends in exactly one of `finished`, `failed` and `cancelled`.
package protocol ExportFarm: Sendable {
    /// Changes whenever the same project may give different pixels.
    var rendererVersion: String { get }
    /// The number of render threads, if known.
    var threadCount: Int { get }
    /// Starts the farm; events may arrive on any thread.
    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure)
    func submit(_ request: PictureRequest)
    /// Cancels everything that has been submitted.
    func cancelAll()
    /// Stops the threads and returns when they have ended.
    func stop()
}

/// A project that has been read.
package struct OpenedProject: Sendable {
    package var project: Project
    package var warnings: [ReadingWarning]
    /// SHA-256 of all bytes that the picture depends on.
    package var contentDigest: [UInt8]
    /// The text that was read, if it is complete and a broker needs it.
    package var text: PackedText?
    /// Whether it needs files beside its own, such as pictures and presets.
    package var namesFiles = false
}

/// What happens to the text of projects that are read.
package enum TextUse: Sendable {
    /// Nothing; this process renders.
    case none
    /// It is packed for a broker on request.
    case packed
    /// It is packed for a broker while it is read.
    case packedAtOnce
}

/// Reads projects.
package protocol ProjectOpener: Sendable {
    func open(_ input: ExportInput) throws(EngineError) -> OpenedProject
    /// All errors of a project that could not be opened; none where only the first is known.
    func faults(of input: ExportInput) -> FaultList
}

extension ProjectOpener {
    package func faults(of input: ExportInput) -> FaultList { FaultList() }
}
