package import InkEngine

/// Writes the tiles of all levels into an archive, and a description of the picture behind them.
///
/// Tiles are in the order of the picture's blocks of rows, then those of the upper levels, so that the archive is the
/// same however the picture was cut.
struct ZoomAssembler: PictureAssembler {
    private let head: PictureHead
    private let layout: ZoomLayout
    private let isFolder: Bool
    private let pyramid: ZoomPyramid
    private let ending: String
    private var zip = ZipArchive()
    private var nextBlock = 0
    /// The piece of the upper levels, which may come before the last rows.
    private var top: [UInt8] = []
    /// The checksum of all bytes of the archive, for the comment.
    private var crc = crc32([])
    /// The checksum of the bytes of all tiles.
    private var tilesCRC = crc32([])

    /// - Parameter isFolder: whether the archive is to be unpacked to a folder.
    init(_ head: PictureHead, _ layout: ZoomLayout, isFolder: Bool) {
        self.head = head
        self.layout = layout
        self.isFolder = isFolder
        pyramid = ZoomPyramid(
            head.size, tile: head.encoding.zoomTile, layout: layout, overlap: head.encoding.tileOverlap)
        ending = head.encoding.zoomTileEnding(head.pixels)
    }

    mutating func begin() -> [PictureWrite] { [] }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        guard piece.file == nil else {
            top = piece.bytes
            return []
        }
        let count = ZoomPiece.tileCount(rowCount: piece.rowCount, width: head.size.width, tile: pyramid.tile)
        guard let ranges = ZoomPiece.ranges(in: piece.bytes[...], count: count) else {
            preconditionFailure("a piece without a table of its tiles")
        }
        var places: [ZoomPyramid.Tile] = []
        while places.count < count, nextBlock < pyramid.blockCount {
            places += pyramid.tiles(ofBlock: nextBlock)
            nextBlock += 1
        }
        return add(places, ranges, piece.bytes)
    }

    private mutating func add(
        _ places: [ZoomPyramid.Tile], _ ranges: [Range<Int>], _ bytes: [UInt8]
    ) -> [PictureWrite] {
        precondition(places.count == ranges.count, "a piece with other tiles than the picture has")
        var writes: [PictureWrite] = []
        for (place, range) in Swift.zip(places, ranges) where pyramid.hasFile(place) {
            writes.append(add(pyramid.name(place, ending: ending), bytes[range]))
        }
        return writes
    }

    private mutating func add(_ name: String, _ file: ArraySlice<UInt8>) -> PictureWrite {
        tilesCRC = crc32(file, seed: tilesCRC)
        return append(zip.add(ZoomArchive.tiles(layout) + name, file, crc: crc32(file)))
    }

    mutating func end() -> [PictureWrite] {
        var writes: [PictureWrite] = []
        let places = pyramid.topTiles
        if let ranges = ZoomPiece.ranges(in: top[...], count: pyramid.topCount) {
            writes = add(places, Array(ranges.prefix(places.count)), top)
            if ranges.count > places.count, let whole = ranges.last {
                writes.append(add(ZoomPyramid.wholeName(ending: ending), top[whole]))
            }
        }
        let mark = head.description.digest.map { ZoomMark(digest: $0, tilesCRC: tilesCRC) }
        let text = ZoomDescription(pyramid, ending: ending).text(isFolder ? mark : nil)
        let bytes = Array(text.utf8)
        writes.append(append(zip.add(ZoomArchive.description(layout), bytes[...], crc: crc32(bytes))))
        let comment = head.description.digest.map(ArchiveDigest.comment) ?? []
        let commentCount = comment.isEmpty ? 0 : comment.count + ArchiveDigest.checksumDigits
        let parts = zip.end(commentCount: commentCount)
        for part in parts.dropLast() { writes.append(append(part)) }
        writes.append(append((parts.last ?? []) + comment))
        if !comment.isEmpty { writes.append(.append(ArchiveDigest.checksum(crc))) }
        return writes
    }

    private mutating func append(_ bytes: [UInt8]) -> PictureWrite {
        crc = crc32(bytes, seed: crc)
        return .append(bytes)
    }
}

/// The names in an archive, and its files.
package enum ZoomArchive {
    /// What all names begin with: the picture has no name where the archive is made.
    private static let folder = "image/"

    static func description(_ layout: ZoomLayout) -> String {
        folder + (layout == .iiif ? descriptionOfIIIF : "image.dzi")
    }

    static func tiles(_ layout: ZoomLayout) -> String { folder + (layout == .iiif ? "" : "image_files/") }

    /// The name of the description in a folder for IIIF.
    static let descriptionOfIIIF = "info.json"

    /// The name in the archive of a file that a picture's folder has; nil where such a path leads out of it.
    ///
    /// - Parameters:
    ///   - path: beside the picture for Deep Zoom (`wall.dzi`, `wall_files/0/0_0.jpg`), in its folder for IIIF.
    ///   - picture: the picture's name, such as `wall.dzi`.
    package static func entryName(_ path: [String], of picture: String, _ format: PictureFormat) -> String? {
        switch format.layoutOfFolder {
        case nil: return nil
        case .iiif: return folder + path.joined(separator: "/")
        case .deepZoom:
            if path == [picture] { return description(.deepZoom) }
            guard path.first == ZoomFolder.tiles(besideDescription: picture) else { return nil }
            return tiles(.deepZoom) + path.dropFirst().joined(separator: "/")
        }
    }

    /// Whether an entry is the description for IIIF, which has to say where the picture is.
    package static func needsPlace(_ name: String) -> Bool { name == description(.iiif) }

    /// The media type of a file of such a picture.
    package static func mediaType(_ name: String) -> String {
        if needsPlace(name) { return "application/ld+json;profile=\"http://iiif.io/api/image/3/context.json\"" }
        if name == description(.deepZoom) { return "application/xml" }
        return (name.hasSuffix(".png") ? FileType.png : .jpeg).mediaType
    }

    /// The line of a description for IIIF that says where the picture is; where the archive is made, that is not known.
    static func place(_ name: String = "image") -> String { "\"id\": \"\(name)\"" }

    /// A description for IIIF with the place of the picture.
    package static func placed(_ description: [UInt8], at place: String) -> [UInt8] {
        let name = place.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        let text = String(decoding: description, as: UTF8.self)
        return Array(text.replacing(Self.place(), with: Self.place(name), maxReplacements: 1).utf8)
    }
}

/// The digest and a checksum in a description.
struct ZoomMark: Hashable, Sendable {
    var digest: PictureDigest
    var tilesCRC: UInt32

    private static let start = "inKD "

    var text: String { "\(ZoomMark.start)\(digest) \(bigEndian(tilesCRC).hexadecimal)" }

}

extension ZoomMark {
    /// The mark in a text; nil if there is none.
    init?(in text: String) {
        guard let start = text.firstRange(of: ZoomMark.start) else { return nil }
        let words = text[start.upperBound...].prefix(2 * PictureDigest.byteCount + 9).split(separator: " ")
        guard words.count == 2, let digest = PictureDigest(hexadecimal: words[0]),
            let crc = UInt32(words[1], radix: 16)
        else { return nil }
        self.init(digest: digest, tilesCRC: crc)
    }
}

/// The file that viewers open.
struct ZoomDescription {
    private let pyramid: ZoomPyramid
    private let ending: String

    init(_ pyramid: ZoomPyramid, ending: String) {
        self.pyramid = pyramid
        self.ending = ending
    }

    func text(_ mark: ZoomMark?) -> String { pyramid.layout == .iiif ? iiif(mark) : deepZoom(mark) }

    private func deepZoom(_ mark: ZoomMark?) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Image xmlns="http://schemas.microsoft.com/deepzoom/2008" Format="\(ending)" \
        Overlap="\(pyramid.overlap)" \
        TileSize="\(pyramid.tile)">
        <Size Width="\(pyramid.size.width)" Height="\(pyramid.size.height)"/>
        </Image>
        \(mark.map { "<!-- \($0.text) -->\n" } ?? "")
        """
    }

    private func iiif(_ mark: ZoomMark?) -> String {
        let smallest = pyramid.size(ofLevel: pyramid.levelCount - 1)
        let factors = (0..<pyramid.levelCount).map { String(1 << $0) }.joined(separator: ", ")
        // Where all of the picture is too much for one file, "max" is a level.
        let largest = pyramid.wholeLevel.flatMap { $0 == 0 ? nil : pyramid.size(ofLevel: $0) }
        let limits = largest.map { ", \"maxWidth\": \($0.width), \"maxHeight\": \($0.height)" } ?? ""
        let formats =
            ending == "jpg" ? "" : "\"extraFormats\": [\"\(ending)\"], \"preferredFormats\": [\"\(ending)\"],\n  "
        return """
            {
              "@context": "http://iiif.io/api/image/3/context.json",
              \(ZoomArchive.place()),
              "type": "ImageService3", "protocol": "http://iiif.io/api/image", "profile": "level0",
              "width": \(pyramid.size.width), "height": \(pyramid.size.height)\(limits),
              "sizes": [{"width": \(smallest.width), "height": \(smallest.height)}],
              \(formats)"tiles": [{"width": \(pyramid.tile), "height": \(pyramid.tile), "scaleFactors": [\(factors)]}]\
            \(mark.map { ",\n  \"source\": \"\($0.text)\"" } ?? "")
            }

            """
    }

    /// What a description says of the picture; nil for another file.
    static func pyramid(_ text: String, _ layout: ZoomLayout) -> (pyramid: ZoomPyramid, ending: String)? {
        func number(after mark: String) -> Int? {
            text.firstRange(of: mark).flatMap { Int(text[$0.upperBound...].prefix { $0.isWholeNumber }) }
        }
        let isIIIF = layout == .iiif
        guard let width = number(after: isIIIF ? "\n  \"width\": " : "Width=\""),
            let height = number(after: isIIIF ? ", \"height\": " : "Height=\""),
            let tile = number(after: isIIIF ? "\"tiles\": [{\"width\": " : "TileSize=\""),
            (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height),
            ZoomPyramid.edges.contains(tile)
        else { return nil }
        let overlap = isIIIF ? 0 : number(after: "Overlap=\"") ?? 0
        guard ZoomPyramid.overlaps.contains(overlap) else { return nil }
        let isPNG = text.contains(isIIIF ? "\"preferredFormats\": [\"png\"]" : "Format=\"png\"")
        return (
            ZoomPyramid(PixelSize(width: width, height: height), tile: tile, layout: layout, overlap: overlap),
            isPNG ? "png" : "jpg"
        )
    }
}

/// The digest of a picture in a folder of tiles.
enum ZoomFolder {
    private static let descriptionBytesMax = 64 << 10

    /// The digest if all tiles are there and unchanged; nil for anything else.
    ///
    /// - Parameter path: of a description with tiles beside it, or of a folder with a description in it.
    static func storedDigest(_ path: String, _ layout: ZoomLayout) throws(EngineError) -> PictureDigest? {
        let description = layout == .iiif ? "\(path)/\(ZoomArchive.descriptionOfIIIF)" : path
        guard let file = try BufferedFile(regularFileAt: description),
            let bytes = try file.readUpTo(descriptionBytesMax)
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let mark = ZoomMark(in: text), let (pyramid, ending) = ZoomDescription.pyramid(text, layout) else {
            return nil
        }
        let tiles = layout == .iiif ? path : ZoomFolder.tiles(besideDescription: path)
        var crc = crc32([])
        func isThere(_ place: ZoomPyramid.Tile) throws(EngineError) -> Bool {
            guard pyramid.hasFile(place) else { return true }
            return try isThere(pyramid.name(place, ending: ending))
        }
        func isThere(_ name: String) throws(EngineError) -> Bool {
            guard let tile = try BufferedFile(regularFileAt: "\(tiles)/\(name)") else { return false }
            while let bytes = try tile.readUpTo(BufferedFile.bufferByteCount) { crc = crc32(bytes, seed: crc) }
            return true
        }
        for block in 0..<pyramid.blockCount {
            for place in pyramid.tiles(ofBlock: block) { guard try isThere(place) else { return nil } }
        }
        for place in pyramid.topTiles { guard try isThere(place) else { return nil } }
        if pyramid.wholeLevel != nil {
            guard try isThere(ZoomPyramid.wholeName(ending: ending)) else { return nil }
        }
        return crc == mark.tilesCRC ? mark.digest : nil
    }

    /// The folder of tiles that belongs to a description, such as `wall_files` for `wall.dzi`.
    static func tiles(besideDescription path: String) -> String {
        (path.lowercased().hasSuffix(".dzi") ? String(path.dropLast(4)) : path) + "_files"
    }
}
