import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

/// What a worker may take that makes a picture alone, and what that is estimated to take.
struct LoneBounds: Hashable, Sendable {
    /// What the worker may estimate when it has read the picture, nanoseconds of a core.
    let nanosecondsMax: UInt64
    /// What it is estimated to take, nanoseconds of a core.
    let nanoseconds: UInt64
    /// The most bytes of its pieces. As many as the samples of all its files, so that only noise has more; a worker holds
    /// either the pieces or, where files are made of the whole picture, the samples.
    let pieceBytesMax: Int

    /// Files of few samples still have headers and profiles.
    private static let pieceBytesMin = 1 << 20

    /// nil for a picture that is not known to be small enough.
    init?(_ size: RoughSize.Known, _ readable: Readable, nanosecondsMax: UInt64) {
        let files = readable.document?.picture.options.files
        guard !size.isBounded, files?.allSatisfy({ $0.encoding.bytesMax == nil }) != false,
            let rough = size.rough(ofBytes: readable.byteCount), rough.usual <= Double(nanosecondsMax)
        else { return nil }
        let samples = 4 * rough.pixels * Double(max(size.fileCount, files?.count ?? 1))
        self.nanosecondsMax = nanosecondsMax
        nanoseconds = UInt64(rough.usual)
        pieceBytesMax = Int(min(max(samples, Double(Self.pieceBytesMin)), Double(WholeTask.pieceBytesLimit)))
    }

    func task(_ read: ReadTask) -> WholeTask {
        WholeTask(read: read, nanosecondsMax: nanosecondsMax, pieceBytesMax: pieceBytesMax)
    }
}

extension RoughSize {
    /// Facts about a job's size before its project has been read, without the project.
    struct Known: Sendable {
        let rough: RoughSize?
        private let pixels: Double?
        private let kind: WorkKind
        let fileCount: Int
        /// Whether a file may only have so many bytes.
        let isBounded: Bool

        init(_ job: ExportJob) {
            rough = RoughSize(job)
            pixels = job.pixelCount
            kind = .unread(job.encoding.format, job.encoding.effort)
            fileCount = job.destinations.count
            isBounded = job.encoding.bytesMax != nil
        }

        /// nil where it is not known how many pixels are wanted.
        ///
        /// - Parameter count: the bytes of the document, which are known when it has been opened.
        func rough(ofBytes count: Int) -> RoughSize? {
            rough ?? pixels.map { RoughSize(kind: kind, bytes: Double(count), pixels: $0) }
        }
    }
}
