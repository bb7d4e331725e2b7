/// A stage of an export. Which ones it has, in which order, is known as they are planned (`Export.stages`).
enum ExportStage: Hashable, Sendable {
    /// Only where a worker can read the project.
    case read
    /// Instead of all others, where a worker makes the picture alone.
    case whole
    case decode
    case tile
    /// Only where the tiles are no bands.
    case encode
    /// Only where a file is encoded as a whole.
    case finish
    /// The trial of this number of a file of limited size.
    case trial(Int)
}

/// What a task does for its export.
enum TaskRole: Hashable, Sendable, CustomStringConvertible {
    /// Reads the job's project and cuts it into blocks.
    case read
    /// Makes all pieces of its files.
    case whole
    /// Decodes the job's image of this index.
    case decode(Int)
    case tile(row: Int, column: Int)
    /// Puts the tiles of a row together into a band.
    case encode(row: Int)
    /// Encodes the n-th of the files that are encoded as a whole.
    case finish(Int)
    /// Encodes the file of limited size for the n-th trial: a row of tiles, or all of it.
    case trial(Int, row: Int)

    /// - Parameter stages: those of the export.
    init?(_ position: TaskPosition, of stages: [ExportStage]) {
        guard stages.indices.contains(position.stage) else { return nil }
        switch stages[position.stage] {
        case .read: self = .read
        case .whole: self = .whole
        case .decode: self = .decode(position.group)
        case .tile: self = .tile(row: position.group, column: position.index)
        case .encode: self = .encode(row: position.group)
        case .finish: self = .finish(position.group)
        case .trial(let number): self = .trial(number, row: position.group)
        }
    }

    /// Whether it gives a draft, or asks for files beside the document.
    var isReading: Bool { self == .read || self == .whole }

    /// The tile that the task renders; nil for other tasks.
    var tile: TilePosition? {
        guard case .tile(let row, let column) = self else { return nil }
        return TilePosition(column: column, row: row)
    }

    var description: String {
        switch self {
        case .read: "reading the project"
        case .whole: "making the picture"
        case .decode(let index): "decoding image \(index + 1)"
        case .tile(let row, let column): "tile \(column),\(row)"
        case .encode(let row): "encoding row \(row) of tiles"
        case .finish(let index): "encoding whole file \(index + 1)"
        case .trial(let number, let row): "trial \(number + 1) of a quality, row \(row) of tiles"
        }
    }
}
