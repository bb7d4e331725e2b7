public import InkEngine

/// How the tiles of a picture for zooming are named.
enum ZoomLayout: Hashable, Sendable {
    /// Deep Zoom (DZI): levels down to one pixel, numbered from the smallest.
    case deepZoom
    /// IIIF Image API 3.0, level 0: levels down to one tile, named by the part of the picture that a tile shows.
    case iiif
}

/// The levels of a picture, each half as wide and high as the one before, cut into square tiles.
///
/// Level 0 is the picture itself. The first levels are made band by band (`blockLevels`), the others from the picture
/// shrunk so far. Tiles that overlap reach into the bands above and below, so with them no level is made band by band.
struct ZoomPyramid: Hashable, Sendable {
    /// A tile of a level.
    struct Tile: Hashable, Sendable {
        var level: Int
        var column: Int
        var row: Int
    }

    let size: PixelSize
    /// Edge of a tile, in pixels.
    let tile: Int
    let layout: ZoomLayout
    /// Pixels that a tile has in common with each of its neighbours.
    let overlap: Int
    let levelCount: Int

    /// Edges of tiles. Powers of two, so that rows of tiles of several levels end at the same row of the picture.
    static let edges = [128, 256, 512]
    static let standardEdge = 256
    static let overlaps = 0...1
    /// Pixels of a picture that a viewer may ask for as a whole, in one file. From a larger picture it gets a level.
    static let wholePixelsMax = 1 << 24
    /// The longest edge of that file, which may be a JPEG.
    private static let wholeEdgeMax = JPEGCodec().edgePixelsMax
    /// Rows of a picture that are made at once, if a row of tiles of the second level is not higher.
    private static let blockRows = 512

    init(_ size: PixelSize, tile: Int, layout: ZoomLayout, overlap: Int = 0) {
        self.size = size
        self.tile = tile
        self.layout = layout
        self.overlap = overlap
        let last = layout == .iiif ? tile : 1
        var count = 1
        while size.halved(count - 1).longestEdge > last { count += 1 }
        levelCount = count
    }

    /// How many levels are made from each band.
    static func blockLevels(tile: Int) -> Int {
        var levels = 2
        while tile << levels <= blockRows { levels += 1 }
        return levels
    }

    /// The rows of the picture that give a row of tiles of the last of these levels.
    static func blockRows(tile: Int) -> Int { tile << (blockLevels(tile: tile) - 1) }

    var blockLevels: Int { overlap > 0 ? 0 : ZoomPyramid.blockLevels(tile: tile) }

    func size(ofLevel level: Int) -> PixelSize { size.halved(level) }

    /// The number of tiles in each direction.
    func grid(ofLevel level: Int) -> PixelSize { ZoomPyramid.grid(size(ofLevel: level), tile: tile) }

    static func grid(_ size: PixelSize, tile: Int) -> PixelSize {
        PixelSize(width: (size.width + tile - 1) / tile, height: (size.height + tile - 1) / tile)
    }

    /// The tiles of all levels.
    var tileCount: Int { (0..<levelCount).reduce(0) { $0 + grid(ofLevel: $1).area } }

    /// The part of a level that a tile shows, without what it has in common with its neighbours.
    func rect(_ place: Tile) -> PixelRect {
        let level = size(ofLevel: place.level)
        let (x, y) = (place.column * tile, place.row * tile)
        return PixelRect(x: x, y: y, width: min(tile, level.width - x), height: min(tile, level.height - y))
    }

    /// The part of the picture that a tile shows.
    private func region(_ place: Tile) -> PixelRect {
        let (x, y, edge) = (
            place.column * tile << place.level, place.row * tile << place.level, tile << place.level
        )
        return PixelRect(x: x, y: y, width: min(edge, size.width - x), height: min(edge, size.height - y))
    }

    /// Whether a tile has a file of its own. A small picture has fewer levels than its blocks give.
    func hasFile(_ place: Tile) -> Bool { place.level < levelCount && !isRepeated(place) }

    /// Whether a tile has the name of one of a larger level, which stands for both: IIIF names tiles by what they show, and
    /// where a part of the picture is one pixel at two scales, these are one.
    private func isRepeated(_ place: Tile) -> Bool {
        guard layout == .iiif, place.level > 0 else { return false }
        return region(place).size.halved(place.level - 1) == PixelSize(width: 1, height: 1)
    }

    /// The level that a viewer gets who asks IIIF for all of the picture in one file, where that is no tile; nil if there
    /// is no such file.
    var wholeLevel: Int? {
        guard layout == .iiif, levelCount > 1 else { return nil }
        return (0..<levelCount).first {
            let size = size(ofLevel: $0)
            return size.area <= ZoomPyramid.wholePixelsMax && size.longestEdge <= ZoomPyramid.wholeEdgeMax
        } ?? levelCount - 1
    }

    /// The path of that file.
    static func wholeName(ending: String) -> String { "full/max/0/default.\(ending)" }

    // MARK: - The order of tiles in a file

    /// The number of blocks of rows, each of which gives whole rows of tiles.
    var blockCount: Int {
        overlap > 0 ? 0 : (size.height + ZoomPyramid.blockRows(tile: tile) - 1) / ZoomPyramid.blockRows(tile: tile)
    }

    /// The tiles of a block, in the order in which its piece has them: level by level, row by row. Also those of levels
    /// that the picture does not have.
    func tiles(ofBlock block: Int) -> [Tile] {
        let height = ZoomPyramid.blockRows(tile: tile)
        let rows = PixelSize(width: size.width, height: min(height, size.height - block * height))
        return (0..<blockLevels).flatMap { level in
            ZoomPyramid.places(
                ZoomPyramid.grid(rows.halved(level), tile: tile), level: level,
                firstRow: block * (height >> level) / tile)
        }
    }

    /// The tiles of the levels above those of blocks. The file of all of the picture follows them, where there is one.
    var topTiles: [Tile] {
        guard levelCount > blockLevels else { return [] }
        return (blockLevels..<levelCount).flatMap {
            ZoomPyramid.places(grid(ofLevel: $0), level: $0, firstRow: 0)
        }
    }

    /// The number of files in the piece with these.
    var topCount: Int { topTiles.count + (wholeLevel == nil ? 0 : 1) }

    private static func places(_ grid: PixelSize, level: Int, firstRow: Int) -> [Tile] {
        (0..<grid.height).flatMap { row in
            (0..<grid.width).map { Tile(level: level, column: $0, row: firstRow + row) }
        }
    }

    // MARK: - Names

    /// The path of a tile in the folder of tiles.
    func name(_ place: Tile, ending: String) -> String {
        switch layout {
        case .deepZoom: return "\(levelCount - 1 - place.level)/\(place.column)_\(place.row).\(ending)"
        case .iiif:
            let (shown, region) = (rect(place).size, region(place))
            let isAll = region.size == size
            if isAll, place.level == 0 { return ZoomPyramid.wholeName(ending: ending) }
            let part = isAll ? "full" : "\(region.x),\(region.y),\(region.width),\(region.height)"
            return "\(part)/\(shown.width),\(shown.height)/0/default.\(ending)"
        }
    }
}

extension PixelSize {
    /// After so many halvings, with edges rounded up.
    public func halved(_ times: Int) -> PixelSize {
        PixelSize(width: (width + (1 << times) - 1) >> times, height: (height + (1 << times) - 1) >> times)
    }
}

extension PictureEncoding {
    public static let tileSizes = ZoomPyramid.edges
    public static let tileOverlaps = ZoomPyramid.overlaps
}
