import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

/// What happened, as far as it concerns the exports.
enum ExportEvent: Sendable {
    case submitted(ExportJob)
    case prioritySet(JobID, Int)
    case pauseSet(JobID, Bool)
    /// Nobody wants the picture any more.
    case cancelled(JobID)
    /// The picture cannot be made. One whose bands are all in needs nothing more, and is not affected.
    case failed(JobID, BrokerError)
    /// Work for an export has ended. The answer's blocks are held for it, each once.
    case answered(ExportLife, LaneAnswer)
    /// The scheduler's `planStages`.
    case stagesDone(JobID)
    /// The scheduler wants this result. Its blocks are held for the export, each once.
    case accepted(ExportLife, TaskRole, TaskResult)
    /// This task is given out again, after an attempt that counts against it and without any result.
    case hasFailed(ExportLife, TaskRole)
    /// Blocks have reached the disk: there may be room for the next project.
    case diskAdvanced
    /// Nothing further is begun, and what is under way ends: for the error, or as if each had been cancelled.
    case stopped(BrokerError?)
}

/// An export from one submission to its end. A job that is submitted again under its number lives another life: what was
/// still under way for the last one does not concern it.
struct ExportLife: Hashable, Sendable {
    let job: JobID
    let number: UInt64
}

/// What was done for an export beside the loop.
enum LaneAnswer: Sendable {
    /// A worker can read the project.
    case readable(Readable, blocks: [EncodedBlock])
    /// The project has been cut into blocks.
    case prepared(PreparedExport)
    /// The tiles are known.
    case planned(PlannedExport)
    /// So many rows of tiles are in the file.
    case written(rows: Int, UnfinishedPicture, LaneTime)
    case finished([WrittenFile], LaneTime)
    case failed(BrokerError)

    /// Those that it brings along.
    var blocks: [EncodedBlock] {
        switch self {
        case .readable(_, let blocks): blocks
        case .prepared(let prepared): prepared.blocks
        case .planned(let planned): planned.blocks
        case .written, .finished, .failed: []
        }
    }
}

struct PreparedExport: Sendable {
    var draft: PictureDraft
    var work: PictureWork?
    var blocks: [EncodedBlock]
    var time: LaneTime
}

struct PlannedExport: Sendable {
    var plan: PicturePlan
    var assembler: any PictureAssembler
    /// Only for a file of limited size, which `assembler` then does not serve.
    var trials: TrialState?
    var blocks: [EncodedBlock]
    var time: LaneTime
}

/// What a task gave: values, and the names of blocks.
struct TaskResult: Sendable {
    /// Each counted once for this result.
    var blocks: [BlockID] = []
    var images: [ReceivedImage] = []
    /// The received chunks of the next image.
    var chunks: [ReceivedChunk] = []
    var band: EncodedPiece?
    /// All pieces of a picture that was made alone.
    var pieces: [EncodedPiece] = []
    var pixels: BlockID?
    var pixelBytes: Int?
    /// The parts of a draft as they came, and what has come of them.
    var draftParts: [Block] = []
    var draft: PictureDraft?
    var reading = ReadingEnd()
    /// Bytes of these pieces.
    var pieceBytes: UInt64 = 0
    /// Bytes of the blocks of a draft.
    var blockBytes: [BlockID: Int] = [:]

    /// Adds a band, or the next piece of a file.
    mutating func add(_ piece: EncodedPiece) { band.append(piece) }

    /// Adds a piece of a picture that is made alone.
    ///
    /// - Parameter bytesMax: what all of them may have together.
    /// - Throws: `overLimit` for more of them than there may be.
    mutating func addPiece(_ piece: EncodedPiece, bytesMax: Int) throws(ProtocolError) {
        pieceBytes += UInt64(piece.bytes.count)
        guard pieceBytes <= UInt64(bytesMax), pieces.count < WholeTask.piecesMax else {
            throw .overLimit(what: "the pieces of a picture", found: pieceBytes, limit: UInt64(bytesMax))
        }
        pieces.append(piece)
    }

    /// Adds a part of a draft.
    ///
    /// - Throws: `overLimit` for more of them than there may be.
    mutating func addDraft(_ part: Block) throws(ProtocolError) {
        guard draftParts.count < ProtocolLimits.draftParts else {
            throw .overLimit(
                what: "parts of a draft", found: UInt64(ProtocolLimits.draftParts) + 1,
                limit: UInt64(ProtocolLimits.draftParts))
        }
        draftParts.append(part)
    }

    /// The chunks so far are those of an image.
    mutating func endImage(_ info: DecodedImageInfo) {
        images.append(ReceivedImage(info: info, chunks: chunks))
        chunks = []
    }
}

/// Rows of an image that a worker sent.
struct ReceivedChunk: Sendable {
    var pixels: RowChunk
    /// What a block says that it holds; nil for a single value, and if it does not say.
    var byteCount: Int?
}

struct ReceivedImage: Sendable {
    var info: DecodedImageInfo
    var chunks: [ReceivedChunk]

    var image: DecodedImage { DecodedImage(info: info, chunks: chunks.map(\.pixels)) }
}
