import Foundation
import InkSystem
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite("Pictures for zooming")
struct ZoomPictureTests {
    /// The entries as they follow each other.
    private static func entries(_ archive: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
        let reader = try ZipArchiveReader(byteCount: archive.count) { Array(archive[$0]) }
        var found: [(String, [UInt8])] = []
        try reader.forEach { entry throws(SystemFailure) in
            found.append((entry.name, try reader.bytes(of: entry)))
            return true
        }
        return found
    }

    /// One level from the next larger one, written for its own.
    private static func box(_ pixels: [UInt8], _ size: PixelSize, _ channels: Int) -> [UInt8] {
        var small: [UInt8] = []
        for y in stride(from: 0, to: size.height, by: 2) {
            for x in stride(from: 0, to: size.width, by: 2) {
                let places = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map {
                    (min($0.0, size.width - 1) + min($0.1, size.height - 1) * size.width) * channels
                }
                let alphas = places.map { channels == 4 ? Double(pixels[$0 + 3]) : 255 }
                let alpha = alphas.reduce(0, +)
                for channel in 0..<3 {
                    let sum = zip(places, alphas).reduce(0.0) { $0 + Double(pixels[$1.0 + channel]) * $1.1 }
                    small.append(alpha == 0 ? 0 : UInt8((sum / alpha + 0.5).rounded(.down)))
                }
                if channels == 4 { small.append(UInt8((alpha / 4 + 0.5).rounded(.down))) }
            }
        }
        return small
    }

    @Test(
        "Each pixel of a level is the mean of two by two of the larger one, in tiles without gap or overlap",
        arguments: 0..<12 as Range<UInt64>)
    func levels(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tile = ZoomPyramid.edges.randomElement(using: &random)!
        let size = PixelSize(
            width: .random(in: 1...700, using: &random), height: .random(in: 1...1500, using: &random))
        let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
        var pixels = patchwork(size: size, format: format, using: &random)
        var encoding = PictureEncoding(format: .szi, effort: .fast)
        encoding.isLossless = true
        encoding.tileSize = tile
        let head = PictureHead(size: size, pixels: format, encoding: encoding)
        let archive = try pictureFile(pixels, head) { .random(in: 1...3, using: &random) }
        var tiles = Dictionary(uniqueKeysWithValues: try Self.entries(archive).map { ($0.name, $0.bytes) })
        let text = tiles.removeValue(forKey: "image/image.dzi")
        let description = String(decoding: try #require(text), as: UTF8.self)
        #expect(description.contains("Format=\"png\" Overlap=\"0\" TileSize=\"\(tile)\""))
        #expect(description.contains("Width=\"\(size.width)\" Height=\"\(size.height)\""))
        var level = size
        var number = 0
        while 1 << number < size.longestEdge { number += 1 }
        while true {
            var found = [UInt8](repeating: 0, count: pixels.count)
            let channels = format.bytesPerPixel
            for row in 0..<((level.height + tile - 1) / tile) {
                for column in 0..<((level.width + tile - 1) / tile) {
                    let name = "image/image_files/\(number)/\(column)_\(row).png"
                    let file = tiles.removeValue(forKey: name)
                    let (info, samples) = try decodedPixels(try #require(file, "\(name)"))
                    let (x, y) = (column * tile, row * tile)
                    #expect(
                        info.size
                            == PixelSize(width: min(tile, level.width - x), height: min(tile, level.height - y)))
                    for line in 0..<info.size.height {
                        let from = line * info.size.width * channels
                        found.replaceSubrange(
                            (((y + line) * level.width + x) * channels)..<(((y + line) * level.width + x
                                + info.size.width)
                                * channels), with: samples[from..<(from + info.size.width * channels)])
                    }
                }
            }
            #expect(found == pixels, "seed \(seed), \(size), level \(number)")
            if number == 0 { break }
            pixels = Self.box(pixels, level, channels)
            level = PixelSize(width: (level.width + 1) / 2, height: (level.height + 1) / 2)
            number -= 1
        }
        #expect(tiles.isEmpty, "\(tiles.keys.sorted())")
    }

    @Test(
        "IIIF names each tile by what it shows, down to one tile",
        arguments: [
            (700, 1100), (256, 100), (257, 1), (1, 1), (1, 257), (1, 2049), (513, 513), (1025, 513), (2049, 2049),
            (769, 1537), (3, 5000),
        ])
    func iiif(width: Int, height: Int) throws {
        var random = SeededGenerator(seed: 5)
        let size = PixelSize(width: width, height: height)
        let head = PictureHead(size: size, pixels: .rgb, encoding: PictureEncoding(format: .iiif))
        let entries = try Self.entries(pictureFile(patchwork(size: size, format: .rgb, using: &random), head))
        var names = Set(entries.map(\.name))
        #expect(names.count == entries.count)
        let text = String(decoding: try #require(entries.last).bytes, as: UTF8.self)
        #expect(entries.last?.name == "image/info.json")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(json["width"] as? Int == width && json["height"] as? Int == height)
        let tiles = try #require((json["tiles"] as? [[String: Any]])?.first)
        let factors = try #require(tiles["scaleFactors"] as? [Int])
        names.remove("image/info.json")
        // Demanded of level 0: the whole picture, for downloads and thumbnails.
        let full = try #require(entries.first { $0.name == "image/full/max/0/default.jpg" }).bytes
        #expect(try decodedPixels(full).info.size == size)
        #expect(json["maxWidth"] == nil)
        // As a viewer asks for them (IIIF Image API 3.0, 5 and its implementation notes). One pixel may be a tile of two levels.
        var asked: Set<String> = factors.count > 1 ? ["image/full/max/0/default.jpg"] : []
        names.subtract(asked)
        for factor in factors {
            for y in stride(from: 0, to: height, by: 256 * factor) {
                for x in stride(from: 0, to: width, by: 256 * factor) {
                    let (w, h) = (min(256 * factor, width - x), min(256 * factor, height - y))
                    let scaled = ((w + factor - 1) / factor, (h + factor - 1) / factor)
                    let isAll = w == width && h == height
                    let part = isAll ? "full" : "\(x),\(y),\(w),\(h)"
                    let pixels = isAll && factor == 1 ? "max" : "\(scaled.0),\(scaled.1)"
                    let name = "image/\(part)/\(pixels)/0/default.jpg"
                    let isThere = names.remove(name) != nil
                    #expect(isThere || asked.contains(name), "\(name)")
                    asked.insert(name)
                    let bytes = try #require(entries.first { $0.name == name }).bytes
                    #expect(
                        try decodedPixels(bytes).info.size == PixelSize(width: scaled.0, height: scaled.1), "\(name)")
                }
            }
        }
        #expect(names.isEmpty, "\(names)")
        let smallest = ((width + factors.last! - 1) / factors.last!, (height + factors.last! - 1) / factors.last!)
        #expect(max(smallest.0, smallest.1) <= 256)
        let sizes = try #require(json["sizes"] as? [[String: Int]])
        #expect(sizes == [["width": smallest.0, "height": smallest.1]])
    }

    @Test("A picture too large for one file is served as a level, and says so")
    func wholeLevel() {
        for (size, level) in [
            (PixelSize(width: 4096, height: 4096), 0), (PixelSize(width: 4097, height: 4096), 1),
            (PixelSize(width: 65_536, height: 65_536), 4), (PixelSize(width: 65_500, height: 1), 0),
            // Too wide for a JPEG.
            (PixelSize(width: 65_501, height: 1), 1), (PixelSize(width: 1, height: 65_536), 1),
        ] {
            let pyramid = ZoomPyramid(size, tile: 256, layout: .iiif)
            #expect(pyramid.wholeLevel == level, "\(size)")
            let text = ZoomDescription(pyramid, ending: "jpg").text(nil)
            let limits = "\"maxWidth\": \(size.halved(level).width), \"maxHeight\": \(size.halved(level).height)"
            #expect(text.contains(limits) == (level > 0), "\(text)")
            #expect(ZoomDescription.pyramid(text, .iiif)?.pyramid == pyramid, "\(text)")
            // The picture may not be halved more often before.
            let steps = ZoomCodec.iiif.steps(PictureEncoding(format: .iiif), of: size)
            #expect(steps == [.bands, .whole(halvings: min(level, pyramid.blockLevels))], "\(size)")
        }
        #expect(ZoomPyramid(PixelSize(width: 256, height: 256), tile: 256, layout: .iiif).wholeLevel == nil)
        #expect(ZoomPyramid(PixelSize(width: 300, height: 256), tile: 256, layout: .deepZoom).wholeLevel == nil)
    }

    @Test(
        "A picture as wide or high as one can be has all its files",
        arguments: [ZoomCodec.szi, .dzi, .iiif], [PixelFormat.rgb, .rgba])
    func longestEdge(codec: ZoomCodec, format: PixelFormat) throws {
        var random = SeededGenerator(seed: 11)
        for (width, height) in [(codec.edgePixelsMax, 1), (1, codec.edgePixelsMax)] {
            let size = PixelSize(width: width, height: height)
            let head = PictureHead(
                size: size, pixels: format, encoding: PictureEncoding(format: codec.format, effort: .fast))
            let files = try Self.entries(pictureFile(patchwork(size: size, format: format, using: &random), head))
            #expect(files.contains { $0.name.hasSuffix("info.json") || $0.name.hasSuffix(".dzi") }, "\(size)")
        }
    }

    @Test(
        "No two tiles of a picture have one name, and each that a viewer asks for is there", arguments: [128, 256, 512])
    func tileNames(tile: Int) {
        for width in [1, 2, tile - 1, tile, tile + 1, 2 * tile + 1, 4 * tile + 1, 8 * tile + 1, 5 * tile] {
            for height in [1, 3, tile, tile + 1, 2 * tile + 1, 4 * tile + 1, 16 * tile + 1] {
                for layout in [ZoomLayout.iiif, .deepZoom] {
                    let pyramid = ZoomPyramid(PixelSize(width: width, height: height), tile: tile, layout: layout)
                    let all = (0..<pyramid.blockCount).flatMap { pyramid.tiles(ofBlock: $0) } + pyramid.topTiles
                    var names = all.filter { pyramid.hasFile($0) }.map { pyramid.name($0, ending: "jpg") }
                    if pyramid.wholeLevel != nil { names.append(ZoomPyramid.wholeName(ending: "jpg")) }
                    #expect(Set(names).count == names.count, "\(width)x\(height), tiles of \(tile), \(layout)")
                    let asked = Set(
                        all.filter { $0.level < pyramid.levelCount }.map { pyramid.name($0, ending: "jpg") })
                    #expect(asked.isSubset(of: names), "\(width)x\(height), tiles of \(tile), \(layout)")
                    if layout == .deepZoom { #expect(asked.count == pyramid.tileCount) }
                }
            }
        }
    }

    @Test("Tiles that overlap show a pixel of each neighbour more, at all levels", arguments: 0..<6 as Range<UInt64>)
    func overlap(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(width: .random(in: 1...600, using: &random), height: .random(in: 1...600, using: &random))
        let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
        let pixels = patchwork(size: size, format: format, using: &random)
        var encoding = PictureEncoding(format: .dzi, effort: .fast)
        encoding.isLossless = true
        encoding.tileSize = [128, 256].randomElement(using: &random)
        let plain = try Self.entries(
            try pictureFile(pixels, PictureHead(size: size, pixels: format, encoding: encoding)))
        encoding.tileOverlap = 1
        let head = PictureHead(size: size, pixels: format, encoding: encoding)
        var tiles = Dictionary(
            uniqueKeysWithValues: try Self.entries(pictureFile(pixels, head)).map { ($0.name, $0.bytes) })
        let description = tiles.removeValue(forKey: "image/image.dzi")
        let text = String(decoding: try #require(description), as: UTF8.self)
        #expect(text.contains("Overlap=\"1\""), "\(text)")
        #expect(ZoomDescription.pyramid(text, .deepZoom)?.pyramid.overlap == 1)
        #expect(tiles.count == plain.count - 1, "seed \(seed), \(size)")
        let pyramid = ZoomPyramid(size, tile: encoding.zoomTile, layout: .deepZoom)
        // Each level as the tiles without overlap show it.
        for level in 0..<pyramid.levelCount {
            let (whole, channels) = (pyramid.size(ofLevel: level), format.bytesPerPixel)
            var rows = [UInt8](repeating: 0, count: whole.area * channels)
            let grid = pyramid.grid(ofLevel: level)
            let places = (0..<grid.height).flatMap { row in
                (0..<grid.width).map { ZoomPyramid.Tile(level: level, column: $0, row: row) }
            }
            func each(_ rect: PixelRect, _ body: (_ inTile: Int, _ inLevel: Int) -> Void) {
                for y in 0..<rect.height {
                    for x in 0..<(rect.width * channels) {
                        body(y * rect.width * channels + x, ((rect.y + y) * whole.width + rect.x) * channels + x)
                    }
                }
            }
            for place in places {
                let name = "image/image_files/" + pyramid.name(place, ending: "png")
                let samples = try decodedPixels(try #require(plain.first { $0.name == name }).bytes).samples
                each(pyramid.rect(place)) { rows[$1] = samples[$0] }
            }
            for place in places {
                let name = "image/image_files/" + pyramid.name(place, ending: "png")
                let (info, samples) = try decodedPixels(try #require(tiles[name], "\(name)"))
                let core = pyramid.rect(place)
                let (left, top) = (max(0, core.x - 1), max(0, core.y - 1))
                let wanted = PixelRect(
                    x: left, y: top, width: min(whole.width, core.x + core.width + 1) - left,
                    height: min(whole.height, core.y + core.height + 1) - top)
                #expect(info.size == wanted.size, "seed \(seed), \(name)")
                var differences = 0
                each(wanted) { if rows[$1] != samples[$0] { differences += 1 } }
                #expect(differences == 0, "seed \(seed), \(size), \(name)")
            }
        }
    }

    @Test("The digest of a folder of tiles is lost with any of them")
    func digests() throws {
        var random = SeededGenerator(seed: 9)
        let size = PixelSize(width: 300, height: 600)
        let pixels = patchwork(size: size, format: .rgb, using: &random)
        let digest = try #require(PictureDigest(bytes: (0..<32).map { UInt8($0 * 7) }))
        let folder = try TemporaryFolder(prefix: "ink-zoom")
        for codec in [ZoomCodec.dzi, .iiif] {
            let head = PictureHead(
                size: size, pixels: .rgb, encoding: PictureEncoding(format: codec.format),
                description: PictureDescription(digest: digest))
            let archive = try pictureFile(pixels, head)
            for (name, bytes) in try Self.entries(archive) {
                let file = URL(fileURLWithPath: folder.path(of: "\(codec.name)/\(name)"))
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: file)
            }
            let path = folder.path(of: codec.format == .iiif ? "iiif/image" : "dzi/image/image.dzi")
            #expect(try codec.storedDigest(path: path) == digest)
            let tile = folder.path(
                of: codec.format == .iiif
                    ? "iiif/image/0,256,256,256/256,256/0/default.jpg" : "dzi/image/image_files/10/0_1.jpg")
            let whole = try Data(contentsOf: URL(fileURLWithPath: tile))
            try whole.dropLast().write(to: URL(fileURLWithPath: tile))
            #expect(try codec.storedDigest(path: path) == nil)
            try FileManager.default.removeItem(atPath: tile)
            #expect(try codec.storedDigest(path: path) == nil)
            try whole.write(to: URL(fileURLWithPath: tile))
            #expect(try codec.storedDigest(path: path) == digest)
        }
    }

    @Test("libzip reads an archive of more entries and bytes than 16 and 32 bits count")
    func largeArchives() throws {
        // More than 65,535 entries.
        var zip = ZipArchive()
        var archive: [UInt8] = []
        for number in 0..<66_000 { archive += zip.add("\(number)", [1, 2], crc: crc32([1, 2])) }
        archive += zip.end(commentCount: 0).flatMap { $0 }
        #expect(UInt64(archive.count) > zip.byteCount)
        var limits = Limits()
        limits.archiveEntries = 100_000
        let bundle = try ZipBundle(bytes: archive, name: "a.zip", limits: limits)
        #expect(try bundle.read(BundlePath("65999"), limitBytes: 9) == [1, 2])
        // An entry behind 4 GiB has its offset in a further field.
        var far = ZipArchive(byteCount: 5 << 30)
        _ = far.add("a", [1], crc: 0)
        let end = far.end(commentCount: 0).flatMap { $0 }
        #expect(Array(end[42..<46]) == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Array(end[47..<59]) == [1, 0, 8, 0, 0, 0, 0, 0x40, 1, 0, 0, 0])
        #expect(Array(end[59..<63]) == Array("PK".utf8) + [6, 6])
    }

    @Test("A band that does not begin where a row of tiles does is not encoded")
    func oddBands() {
        #expect(throws: EngineError.self) {
            try [UInt8](repeating: 0, count: 30).withUnsafeBytes { bytes in
                _ = try ZoomCodec.szi.makeEncoder().encode(
                    PixelRows(pixels: bytes, width: 10, format: .rgb, firstRow: 256),
                    PieceEncoding(PictureEncoding(format: .szi), isLast: true))
            }
        }
    }
}
