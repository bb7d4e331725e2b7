import InkEngine

/// A band of the picture as a worker hands it in.
struct StitchBand: Sendable {
    /// Which row of tiles it is.
    var row: Int
    /// A piece of the picture's deflate stream.
    var bytes: [UInt8]
    /// Of the filtered bytes that the piece stands for.
    var adler32: UInt32
    var filteredByteCount: Int
    /// Picture rows.
    var rowCount: Int
}

/// Why a band cannot be a part of the picture; the fault of whoever made it.
enum StitchError: Error, Hashable, Sendable, CustomStringConvertible {
    case notInPicture(row: Int, rows: Int)
    case repeated(row: Int)
    case beyondWindow(row: Int, next: Int)
    case wrongRowCount(row: Int, found: Int, expected: Int)
    case wrongByteCount(row: Int, found: Int, expected: Int)
    case empty(row: Int)

    var description: String {
        switch self {
        case .notInPicture(let row, let rows): "band \(row) of a picture of \(rows) bands"
        case .repeated(let row): "band \(row) came twice"
        case .beyondWindow(let row, let next): "band \(row) came while band \(next) is awaited"
        case .wrongRowCount(let row, let found, let expected): "band \(row) has \(found) rows, not \(expected)"
        case .wrongByteCount(let row, let found, let expected):
            "band \(row) stands for \(found) filtered bytes, not \(expected)"
        case .empty(let row): "band \(row) has no bytes"
        }
    }
}

/// Puts the bands of one picture in order: which are waiting, which is next, and the checksum so far.
///
/// Pure; holds at most `window` bands.
struct StitchState: Sendable {
    let grid: TileGrid
    let format: OutputFormat
    /// Bands beyond the next one that are taken in.
    let window: Int
    /// The first band that has not been given out for writing.
    private(set) var next = 0
    private(set) var adler32: UInt32 = 1
    private var waiting: [Int: StitchBand] = [:]

    init(grid: TileGrid, format: OutputFormat, window: Int) {
        self.grid = grid
        self.format = format
        self.window = window
    }

    var isComplete: Bool { next == grid.rows }

    /// Whether `band` can be the picture's; changes nothing.
    func check(_ band: StitchBand) throws(StitchError) {
        let row = band.row
        guard (0..<grid.rows).contains(row) else { throw .notInPicture(row: row, rows: grid.rows) }
        guard row >= next, waiting[row] == nil else { throw .repeated(row: row) }
        guard row - next < window else { throw .beyondWindow(row: row, next: next) }
        let rows = grid.pixelRows(ofRow: row).count
        guard band.rowCount == rows else { throw .wrongRowCount(row: row, found: band.rowCount, expected: rows) }
        let bytes = rows * (1 + grid.output.width * format.bytesPerPixel)
        guard band.filteredByteCount == bytes else {
            throw .wrongByteCount(row: row, found: band.filteredByteCount, expected: bytes)
        }
        guard !band.bytes.isEmpty else { throw .empty(row: row) }
    }

    /// Takes a band in and gives out those that can be written now, in order.
    ///
    /// - Throws: as `check`; nothing is changed then.
    mutating func accept(_ band: StitchBand) throws(StitchError) -> [StitchBand] {
        try check(band)
        waiting[band.row] = band
        var ready: [StitchBand] = []
        while let following = waiting.removeValue(forKey: next) {
            adler32 = Adler32.combine(adler32, following.adler32, lengthB: following.filteredByteCount)
            next += 1
            ready.append(following)
        }
        return ready
    }
}
