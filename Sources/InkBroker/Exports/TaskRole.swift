/// The stages of an export, by their numbers in its graph.
enum ExportStage {
    static let decode = 0
    static let tile = 1
    /// No groups where the tiles are bands.
    static let encode = 2
    /// Only where a file is encoded as a whole.
    static let finish = 3
    /// The first trial of a file of limited size; each further one is a stage, too.
    static let trial = 4
}

/// What a task does for its export.
enum TaskRole: Hashable, Sendable, CustomStringConvertible {
    /// Decodes the job's image of this index.
    case decode(Int)
    case tile(row: Int, column: Int)
    /// Puts the tiles of a row together into a band.
    case encode(row: Int)
    /// Encodes the n-th of the files that are encoded as a whole.
    case finish(Int)
    /// Encodes the file of limited size for the n-th trial: a row of tiles, or all of it.
    case trial(Int, row: Int)

    init(_ position: TaskPosition) {
        switch position.stage {
        case ExportStage.decode: self = .decode(position.group)
        case ExportStage.tile: self = .tile(row: position.group, column: position.index)
        case ExportStage.encode: self = .encode(row: position.group)
        case ExportStage.finish: self = .finish(position.group)
        default: self = .trial(position.stage - ExportStage.trial, row: position.group)
        }
    }

    /// The tile that the task renders; nil for other tasks.
    var tile: TilePosition? {
        guard case .tile(let row, let column) = self else { return nil }
        return TilePosition(column: column, row: row)
    }

    var description: String {
        switch self {
        case .decode(let index): "decoding image \(index + 1)"
        case .tile(let row, let column): "tile \(column),\(row)"
        case .encode(let row): "encoding row \(row) of tiles"
        case .finish(let index): "encoding whole file \(index + 1)"
        case .trial(let number, let row): "trial \(number + 1) of a quality, row \(row) of tiles"
        }
    }
}
