import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

/// What is to be done for exports.
enum ExportAction: Sendable {
    /// Read the project and cut it into blocks, or have a worker do it; answered with `prepared` or `readable`, or
    /// `failed`.
    case prepare(ExportLife, ExportJob)
    /// Find what the reader of a document asks for; answered with `readable` or `failed`.
    case findCompanions(ExportLife, Readable, [CompanionRequest])
    /// Cut the picture into tiles; answered with `planned` or `failed`.
    case plan(ExportLife, PictureDraft, decoded: [[DecodedImage]])
    /// The picture's pieces are put together as planned.
    case open(JobID, any PictureAssembler, as: [PictureFormat])
    /// Write bands, so that `rows` rows of tiles are in the file; answered with `written` or `failed`. With `ending`
    /// these are the last: the file gets its name, and `finished` or `failed` follows.
    case write(ExportLife, [EncodedPiece], rows: Int, ending: PictureReport?)
    /// Remove what has been written.
    case discard(JobID)
    /// Each gives one count back.
    case release([BlockID])
    case schedule(SchedulerEvent)
    case report(BrokerEvent)
}

/// The bounds that exports share.
struct ExportRules: Hashable, Sendable {
    /// Exports under way at once; those that are only being written do not count, nor those of pictures that workers make
    /// alone, as far as there are threads.
    var activeMax = 8
    /// So many more may be, when they are more urgent than all that are.
    var overtaking = 4
    /// Projects that are read and cut at once, at least 1.
    var preparingMax = 1
    /// Raw bytes of rows of tiles that one export may have under way beyond the row that is written next.
    var reorderBytes = 96 << 20
    /// What all pieces of pictures that workers make alone may take, bytes.
    var loneBytes = 768 << 20
    /// What a picture may be estimated to take that a worker makes alone, nanoseconds of a core; 0: none is.
    var aloneNanoseconds: UInt64 = 2_000_000_000
}
