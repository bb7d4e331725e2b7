import InkCodecs
import InkEngine

/// Kinds of work whose costs are learned apart from each other.
enum WorkKind: Hashable, Sendable {
    /// Reading a project and cutting it into blocks, on one lane.
    case prepare
    case decode
    /// Drawing the strokes of a tile.
    case strokes
    /// Putting a tile's layers together, and reading blocks.
    case composite
    case encode(PictureFormat, EncodingEffort)
    /// Encoding a file from the whole picture, in one task.
    case whole(PictureFormat, EncodingEffort)
    /// Writing the last bytes and bringing the file to the disk.
    case finish
    /// All work for a picture of which little more is known than its size and how its first file is encoded.
    case unread(PictureFormat, EncodingEffort)
    /// All work for a picture of which not even that is known: estimated by the work of other pictures.
    case unknown

    /// How often its time is that of the plan's estimate, before anything has been measured.
    ///
    /// Measured on one machine; the speeds of others differ for all kinds alike.
    var usualRatio: Double {
        switch self {
        case .prepare: 0.6
        case .decode: 0.1
        case .strokes: 1.5
        case .composite: 0.35
        case .encode(let format, let effort):
            switch (format, effort) {
            case (.png, .fast): 0.6
            case (.png, .small): 25
            case (.avif, _), (.heic, _): 90
            case (.jxl, _): 20
            default: 0.8
            }
        case .whole: 3.5
        case .finish: 0.5
        case .unknown: 1
        case .unread(let format, let effort):
            switch (format, effort) {
            case (.png, .small): 2.8
            case (.avif, _), (.heic, _): 9
            case (.jxl, _): 2.4
            case (.webp, _): 1.8
            default: 0.5
            }
        }
    }
}
