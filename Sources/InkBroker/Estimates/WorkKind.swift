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
    /// All work for a picture of which little more is known than its size.
    case unread

    /// How often its time is that of the plan's estimate, before anything has been measured.
    ///
    /// Measured on one machine; the speeds of others differ for all kinds alike.
    var usualRatio: Double {
        switch self {
        case .prepare: 0.6
        case .decode: 0.1
        case .strokes: 2
        case .composite: 0.5
        case .encode(let format, let effort):
            switch (format, effort) {
            case (.png, .fast): 0.6
            case (.png, .small): 45
            case (.png, .balanced): 1.2
            case (.avif, _), (.heic, _): 240
            case (.jxl, _): 50
            case (.tiff, _): 0.8
            default: 1.2
            }
        case .whole: 5
        case .finish, .unread: 1
        }
    }
}
