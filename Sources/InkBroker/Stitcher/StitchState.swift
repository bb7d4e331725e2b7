import InkCodecs
import InkEngine
import InkPlanning

/// Why a band cannot be part of the picture. The fault is the worker's.
enum StitchError: Error, Hashable, Sendable, CustomStringConvertible {
    case notInPicture(row: Int, rows: Int)
    case repeated(row: Int)
    case beyondWindow(row: Int, next: Int)
    case wrongRowCount(row: Int, found: Int, expected: Int)
    case wrongByteCount(row: Int, found: Int, expected: Int)
    case incomplete(row: Int)

    var description: String {
        switch self {
        case .notInPicture(let row, let rows): "band \(row) of a picture of \(rows) bands"
        case .repeated(let row): "band \(row) came twice"
        case .beyondWindow(let row, let next): "band \(row) came while band \(next) is awaited"
        case .wrongRowCount(let row, let found, let expected): "band \(row) has \(found) rows, not \(expected)"
        case .wrongByteCount(let row, let found, let expected):
            "band \(row) stands for \(found) bytes, not \(expected)"
        case .incomplete(let row): "band \(row) lacks the bytes of a file"
        }
    }
}

/// Puts the pieces of a job's pictures in order: it tracks which are waiting and which is next.
///
/// Pure; holds at most `window` bands.
struct StitchState: Sendable {
    private let pictures: [(grid: TileGrid, files: PictureSet)]
    /// The picture of each row of tiles, and the row's number in it.
    private let places: [(picture: Int, row: Int)]
    /// Number of bands beyond the next one that are accepted.
    let window: Int
    /// The first band that has not been returned for writing.
    private(set) var next = 0
    private var waiting: [Int: EncodedPiece] = [:]

    /// - Parameter pictures: one after the other.
    init(_ pictures: [(grid: TileGrid, files: PictureSet)], window: Int) {
        self.pictures = pictures
        places = pictures.enumerated().flatMap { index, picture in (0..<picture.grid.rows).map { (index, $0) } }
        self.window = window
    }

    var isComplete: Bool { next == places.count }

    /// Checks whether `piece` fits the picture; changes nothing.
    ///
    /// - Parameter row: of tiles.
    func check(_ piece: EncodedPiece, row: Int) throws(StitchError) {
        guard places.indices.contains(row) else { throw .notInPicture(row: row, rows: places.count) }
        guard row >= next, waiting[row] == nil else { throw .repeated(row: row) }
        guard row - next < window else { throw .beyondWindow(row: row, next: next) }
        let (grid, files) = pictures[places[row].picture]
        let rows = grid.pixelRows(ofRow: places[row].row).count
        guard piece.rowCount == rows else { throw .wrongRowCount(row: row, found: piece.rowCount, expected: rows) }
        let bytes = files.rawByteCount(rowCount: rows, width: grid.output.width)
        guard piece.rawByteCount == bytes else {
            throw .wrongByteCount(row: row, found: piece.rawByteCount, expected: bytes)
        }
        guard files.isComplete(piece, width: grid.output.width) else { throw .incomplete(row: row) }
    }

    /// Accepts a piece and returns those that can be written now, in order.
    ///
    /// - Throws: as `check`; nothing is changed then.
    mutating func accept(_ piece: EncodedPiece, row: Int) throws(StitchError) -> [EncodedPiece] {
        try check(piece, row: row)
        waiting[row] = piece
        var ready: [EncodedPiece] = []
        while let following = waiting.removeValue(forKey: next) {
            next += 1
            ready.append(following)
        }
        return ready
    }
}
