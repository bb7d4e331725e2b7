import Foundation
import InkReference
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite("Sheets of small pictures")
struct SheetTests {
    private static func png(_ pixels: [UInt8], _ size: PixelSize, _ format: PixelFormat) throws -> [UInt8] {
        let head = PictureHead(size: size, pixels: format)
        return try pictureFile(pixels, head, try PNGCodec().makeAssembler(head)) { 1000 }
    }

    @Test("A small picture is the large one scaled as images of projects are", arguments: 0..<20 as Range<UInt64>)
    func thumbnail(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(width: .random(in: 1...180, using: &random), height: .random(in: 1...180, using: &random))
        // Not reduced to means of areas before.
        let edge = (size.longestEdge + 3) / 4 + Int.random(in: 0...30, using: &random)
        let pixels = patchwork(size: size, format: .rgb, using: &random)
        let file = try Self.png(pixels, size, .rgb)
        let small = try Thumbnail(file, edge: edge, place: Place(file: "a"), limits: Limits())
        #expect(small.size.longestEdge == min(edge, size.longestEdge))
        let project = Project(
            canvasSize: small.size,
            baseImage: try EncodedImage(checking: file, place: Place(file: "a"), limits: Limits()))
        let rgba = (0..<size.area).flatMap { pixels[3 * $0..<3 * $0 + 3] + [255] }
        let scaled = try LocalRendering.render(
            project, images: DecodedImages([.base: StraightImage(size: size, rgba: rgba)]), output: small.size,
            format: .rgb)
        // Images with and without alpha are scaled by the same filter, and may round otherwise.
        let isNear = zip(small.pixels, scaled).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
        #expect(isNear && small.pixels.count == scaled.count, "seed \(seed), \(size) to \(small.size)")
    }

    @Test("Lines finer than the pixels of a small picture give an even gray", arguments: [2.1, 2.6, 3.3, 4.7, 5.1])
    func beats(period: Double) throws {
        // Some lines of this period; a pixel of the small picture is 7.2 wide.
        let size = PixelSize(width: 1440, height: 40)
        let row = (0..<size.width).flatMap { x in
            let (from, to) = (Double(x) / period, Double(x + 1) / period)
            let dark = Self.dark(to) - Self.dark(from)
            return [UInt8](repeating: UInt8((255 * (1 - dark * period)).rounded()), count: 3)
        }
        let file = try Self.png((0..<size.height).flatMap { _ in row }, size, .rgb)
        let small = try Thumbnail(file, edge: 200, place: Place(file: "a"), limits: Limits())
        // Away from the edges, where lines begin.
        let grays = (10..<190).map { Int(small.pixels[3 * $0]) }
        let (lightest, darkest) = (try #require(grays.max()), try #require(grays.min()))
        #expect(lightest - darkest <= 14, "period \(period): \(grays)")
    }

    /// How much of the lines that are dark in the first half of each period lies before a place, in periods.
    private static func dark(_ place: Double) -> Double {
        let whole = place.rounded(.down)
        return 0.5 * whole + min(0.5, place - whole)
    }

    @Test("Areas of one colour stay that colour, whatever the format", arguments: [PixelFormat.rgb, .rgba])
    func plainPictures(format: PixelFormat) throws {
        let size = PixelSize(width: 40, height: 300)
        for color in [[0, 0, 0], [255, 255, 255], [9, 0, 200]] as [[UInt8]] {
            let pixel = format == .rgb ? color : color + [255]
            let file = try Self.png((0..<size.area).flatMap { _ in pixel }, size, format)
            let small = try Thumbnail(file, edge: 30, place: Place(file: "a"), limits: Limits())
            #expect(small.pixels == (0..<small.size.area).flatMap { _ in color })
        }
        let clear = try Self.png((0..<size.area).flatMap { _ in [0, 0, 0, 0] as [UInt8] }, size, .rgba)
        let small = try Thumbnail(clear, edge: 30, place: Place(file: "a"), limits: Limits())
        #expect(small.pixels.allSatisfy { $0 == 255 })
    }

    @Test("Sprites lie side by side without overlap, and each is found again", arguments: 0..<20 as Range<UInt64>)
    func sprites(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var pictures: [(size: PixelSize, pixels: [UInt8], shown: PixelRect?)] = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let size = PixelSize(
                width: .random(in: 1...90, using: &random), height: .random(in: 1...200, using: &random))
            var pixels = [UInt8](repeating: 0, count: 4 * size.area)
            var shown: PixelRect?
            if Int.random(in: 0...4, using: &random) > 0 {
                let (x, y) = (
                    Int.random(in: 0..<size.width, using: &random), Int.random(in: 0..<size.height, using: &random)
                )
                let rect = PixelRect(
                    x: x, y: y, width: .random(in: 1...(size.width - x), using: &random),
                    height: .random(in: 1...(size.height - y), using: &random))
                for row in rect.rows {
                    for column in rect.columns {
                        for channel in 0..<4 {
                            pixels[4 * (row * size.width + column) + channel] = .random(in: 1...255, using: &random)
                        }
                    }
                }
                shown = rect
            }
            pictures.append((size, pixels, shown))
        }
        let files = try pictures.map { try Self.png($0.pixels, $0.size, .rgba) }
        let place = Place(file: "a")
        let sprites = try files.enumerated().map {
            try SpriteSheet.Sprite(name: "\($0.offset).png", file: $0.element, place: place, limits: Limits())
        }
        for (sprite, picture) in zip(sprites, pictures) {
            #expect(sprite.shown == picture.shown ?? PixelRect(x: 0, y: 0, width: 1, height: 1), "seed \(seed)")
        }
        let sheet = SpriteSheet(sprites)
        #expect(SpriteSheet(sprites).sprites == sheet.sprites)
        var found = [UInt8](repeating: 0, count: 4 * sheet.size.area)
        for shelf in sheet.shelves {
            var rows = [UInt8](repeating: 0, count: 4 * sheet.size.width * shelf.height)
            for index in shelf.sprites {
                try sheet.sprites[index].copy(
                    files[index], into: &rows, shelf: shelf, sheetWidth: sheet.size.width, place: place,
                    limits: Limits())
            }
            let start = 4 * sheet.size.width * shelf.y
            found.replaceSubrange(start..<(start + rows.count), with: rows)
        }
        var owners = [Int](repeating: -1, count: sheet.size.area)
        for (index, sprite) in sheet.sprites.enumerated() {
            for row in 0..<sprite.place.height {
                for column in 0..<sprite.place.width {
                    let at = (sprite.place.y + row) * sheet.size.width + sprite.place.x + column
                    #expect(owners[at] == -1, "seed \(seed): sprites \(owners[at]) and \(index)")
                    owners[at] = index
                    let from = 4 * ((sprite.shown.y + row) * sprite.size.width + sprite.shown.x + column)
                    #expect(Array(found[(4 * at)..<(4 * at + 4)]) == Array(pictures[index].pixels[from..<(from + 4)]))
                }
            }
        }
        let text = sheet.json(image: "a\"b.png", app: "ink", version: "1")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let frames = try #require(json["frames"] as? [String: [String: Any]])
        #expect(frames.count == sprites.count)
        for sprite in sheet.sprites {
            let frame = try #require(frames[sprite.name])
            let (place, shown) = (sprite.place, sprite.shown)
            #expect(
                frame["frame"] as? [String: Int] == ["x": place.x, "y": place.y, "w": place.width, "h": place.height])
            #expect(
                frame["spriteSourceSize"] as? [String: Int]
                    == ["x": shown.x, "y": shown.y, "w": shown.width, "h": shown.height])
            #expect(frame["sourceSize"] as? [String: Int] == ["w": sprite.size.width, "h": sprite.size.height])
            #expect(frame["trimmed"] as? Bool == (shown.size != sprite.size))
            #expect(frame["rotated"] as? Bool == false && frame["duration"] as? Int == 100)
        }
        let meta = try #require(json["meta"] as? [String: Any])
        #expect(meta["image"] as? String == "a\"b.png" && meta["app"] as? String == "ink")
        #expect(meta["size"] as? [String: Int] == ["w": sheet.size.width, "h": sheet.size.height])
    }

    @Test("Frames keep their durations, and tags name frames of the sheet")
    func frames() throws {
        var sprites = (0..<3).map { index in
            SpriteSheet.Sprite(
                name: "\(index).png", size: PixelSize(width: 4, height: 4),
                shown: PixelRect(x: 0, y: 0, width: 2, height: 2))
        }
        for index in sprites.indices { sprites[index].duration = 40 * (index + 1) }
        let tag = Animation.Tag(name: "a \"walk\"", frames: 1...2, direction: .pingPong, repeatCount: 3)
        let text = SpriteSheet(sprites).json(image: "b.png", app: "ink", version: "1", tags: [tag])
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let frames = try #require(json["frames"] as? [String: [String: Any]])
        #expect((0..<3).map { frames["\($0).png"]?["duration"] as? Int } == [40, 80, 120])
        let meta = try #require(json["meta"] as? [String: Any])
        let tags = try #require(meta["frameTags"] as? [[String: Any]])
        #expect(tags.count == 1 && tags[0]["name"] as? String == "a \"walk\"")
        #expect(tags[0]["from"] as? Int == 1 && tags[0]["to"] as? Int == 2)
        #expect(tags[0]["direction"] as? String == "pingpong" && tags[0]["repeat"] as? String == "3")
    }

    @Test("Rows of a contact sheet show pictures where they belong, and a place without one is marked")
    func contactSheet() throws {
        let path = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
        let font = try Font(
            Array(try Data(contentsOf: URL(fileURLWithPath: path))), weight: 400, place: Place(file: path))
        let sheet = ContactSheet(count: 5, columns: 3, edge: 64, fonts: [font])
        #expect(sheet.rowCount == 2 && sheet.columns == 3)
        #expect(sheet.size.width == 3 * 80 && sheet.size.height % 32 == 0)
        let red = Thumbnail.make(PixelSize(width: 20, height: 64), [200, 10, 10])
        let names = ["a.png", String(repeating: "long ", count: 40) + ".png", "\u{1F989}\u{7}x"]
        let pixels = try sheet.row([
            .init(label: names[0], thumbnail: red), .init(label: names[1], thumbnail: nil),
            .init(label: names[2], thumbnail: red),
        ])
        #expect(pixels.count == 3 * sheet.size.width * sheet.size.height / 2)
        func pixel(_ x: Int, _ y: Int) -> [UInt8] {
            Array(pixels[(3 * (y * sheet.size.width + x))..<(3 * (y * sheet.size.width + x) + 3)])
        }
        #expect(pixel(8 + 22, 8) == [200, 10, 10] && pixel(8 + 41, 71) == [200, 10, 10])
        #expect(pixel(8 + 21, 8) == [245, 245, 245] && pixel(8 + 42, 8) == [245, 245, 245])
        #expect(pixel(88, 8) == [225, 225, 225])
        // Texts stay inside of their cells.
        for cell in 0..<3 {
            let dark = (8..<72).contains { x in (72..<96).contains { pixel(80 * cell + x, $0)[0] < 120 } }
            #expect(dark, "no text under picture \(cell)")
            for y in 72..<96 { #expect(pixel(80 * cell, y)[0] == 245 && pixel(80 * cell + 79, y)[0] == 245) }
        }
        let automatic = ContactSheet(count: 50, columns: nil, edge: 64, fonts: [font])
        #expect(automatic.columns == 8 && automatic.rowCount == 7)
    }
}

extension Thumbnail {
    fileprivate static func make(_ size: PixelSize, _ color: [UInt8]) -> Thumbnail {
        Thumbnail(size: size, pixels: (0..<size.area).flatMap { _ in color })
    }
}
