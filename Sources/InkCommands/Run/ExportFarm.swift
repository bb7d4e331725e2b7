import InkEngine

/// One picture for the farm: everything is decided, nothing is left to look up.
struct PictureRequest: Sendable {
    /// Unique in a run.
    var id: Int
    /// What messages call the project.
    var name: String
    var project: Project
    /// Output pixels.
    var size: PixelSize
    /// With the layers and the digest of this picture.
    var options: PictureOptions
    /// Path of the picture.
    var output: String
    /// Whether a file that has that name is replaced.
    var replacesFile = true
    /// SHA-256 over what the project was read from: equal for equal projects.
    var contentDigest: [UInt8]
    /// The project's own text for a broker; nil if the project has to be written anew.
    var text: PackedText?
    /// The warnings of reading the project.
    var warnings: [ReadingWarning] = []
    /// Whether anybody will ask for the SHA-256 of the file.
    var wantsFileDigest = true
}

/// How the time of an export was spent, milliseconds, summed over threads.
struct PhaseTimes: Hashable, Sendable {
    /// Reading and checking the project.
    var read = 0.0
    /// Waiting for the first task to be given out.
    var queue = 0.0
    /// Cutting strokes and images into blocks, in the broker.
    var prepare = 0.0
    var decode = 0.0
    var raster = 0.0
    var composite = 0.0
    var encode = 0.0
    /// Writing, syncing and renaming.
    var stitch = 0.0
}

/// The farm's report of a finished picture.
struct PictureOutcome: Hashable, Sendable {
    var phases = PhaseTimes()
    var tileCount = 0
    /// Of the file.
    var byteCount = 0
    /// Of the file; 64 hexadecimal digits, empty if it was not requested.
    var sha256 = ""
    /// Processor time of the broker for this picture, milliseconds.
    var brokerMilliseconds = 0.0
    /// Tries at tasks; above the number of tasks when some were repeated.
    var attemptCount = 0
    /// Bytes of messages to workers and from them; nil where the farm does not say.
    var bytesSent: Int?
    var bytesReceived: Int?
    /// From the first task to the file, milliseconds, where the farm measures it; nil: it is measured here.
    var milliseconds: Double?
}

/// Why a picture failed.
struct PictureFailure: Error, Hashable, Sendable {
    /// The exit code if nothing else fails.
    var kind: ExitCode
    /// One line; names file and place.
    var reason: String

    init(kind: ExitCode, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// What `--strict` makes of the warnings of an input; nil when there are none.
    init?(strictly warnings: [ReadingWarning], of name: String) {
        guard let first = warnings.first else { return nil }
        let others =
            warnings.count > 1 ? "the first of \(warnings.count) warnings, which are errors with --strict" : "--strict"
        self.init(kind: .badInput, reason: "\(name): \(first) (\(others))")
    }

    init(_ error: EngineError) { self.init(kind: error.exitCode, reason: error.description) }
    init(_ error: CommandError) { self.init(kind: error.exitCode, reason: error.description) }
}

/// An event of a picture, by its id.
enum FarmEvent: Hashable, Sendable {
    /// The farm has all that it needs of the picture: its project need not stay in memory. A farm in this process keeps
    /// the project to the end and does not say so.
    case taken(Int)
    /// The first task has been given to a worker.
    case started(Int)
    /// Tasks done, of all.
    case progress(Int, done: Int, total: Int)
    case finished(Int, PictureOutcome)
    case failed(Int, PictureFailure)
    /// After `cancelAll`; nothing of it is left on disk.
    case cancelled(Int)
    /// A line for the user, not about a particular picture.
    case news(String)
}

/// What renders pictures: a broker and its workers, in this process or elsewhere.
///
/// Each submitted picture ends in exactly one of `finished`, `failed` and `cancelled`.
protocol ExportFarm: Sendable {
    /// Changes whenever the same project may give other pixels.
    var rendererVersion: String { get }
    /// Render threads, as far as they are known.
    var threadCount: Int { get }
    /// Starts the farm; events come on any thread.
    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure)
    func submit(_ request: PictureRequest)
    /// Ends all that has been submitted.
    func cancelAll()
    /// Ends the threads; returns when they are gone.
    func stop()
}

/// A project that has been read.
struct OpenedProject: Sendable {
    var project: Project
    var warnings: [ReadingWarning]
    /// SHA-256 over all bytes that the picture depends on.
    var contentDigest: [UInt8]
    /// The text that was read, if a broker is to have it and it says it all.
    var text: PackedText?
}

/// What to do with the text of projects that are read.
enum TextUse: Sendable {
    /// Nothing: they are rendered here.
    case none
    /// It is packed for a broker when that is asked for.
    case packed
    /// It is packed for a broker while it is read.
    case packedAtOnce
}

/// What reads projects.
protocol ProjectOpener: Sendable {
    func open(_ input: ExportInput) throws(EngineError) -> OpenedProject
}
