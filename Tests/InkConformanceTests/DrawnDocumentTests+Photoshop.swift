import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

private func big(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

extension DrawnDocumentTests {
    private typealias Box = (top: Int32, left: Int32, bottom: Int32, right: Int32)

    private struct Record {
        var name: String
        var box: Box = (0, 0, 0, 0)
        /// Numbers and bytes, with how they are packed.
        var channels: [(Int16, [UInt8])] = []
        var blocks: [(String, [UInt8])] = []
        var masks: [UInt8] = []
        var mode = "norm"
    }

    private static func bytes(_ box: Box) -> [UInt8] {
        [box.top, box.left, box.bottom, box.right].flatMap { big(UInt32(bitPattern: $0)) }
    }

    private func solid(_ name: String, _ box: Box, _ color: Pixel) -> Record {
        let count = Int((box.bottom - box.top) * (box.right - box.left))
        let channels = [-1, 0, 1, 2].map { id in
            (Int16(id), [0, 0] + [UInt8](repeating: UInt8(color[id < 0 ? 3 : id] * 255), count: count))
        }
        return Record(name: name, box: box, channels: channels)
    }

    private func photoshop(_ records: [Record], width: Int = 16, height: Int = 16) -> [UInt8] {
        var info = big(UInt16(records.count))
        for record in records {
            var title = [UInt8(record.name.utf8.count)] + Array(record.name.utf8)
            while title.count % 4 != 0 { title.append(0) }
            var extra = big(UInt32(record.masks.count)) + record.masks + big(0 as UInt32) + title
            for (key, content) in record.blocks {
                extra += Array("8BIM\(key)".utf8) + big(UInt32(content.count)) + content
                if content.count % 2 == 1 { extra.append(0) }
            }
            info += Self.bytes(record.box) + big(UInt16(record.channels.count))
            for (id, data) in record.channels {
                info += big(UInt16(bitPattern: id)) + big(UInt32(data.count))
            }
            info += Array("8BIM\(record.mode)".utf8) + [255, 0, 8, 0] + big(UInt32(extra.count)) + extra
        }
        for record in records { for (_, data) in record.channels { info += data } }
        if info.count % 2 == 1 { info.append(0) }
        var file = Array("8BPS".utf8) + [0, 1, 0, 0, 0, 0, 0, 0, 0, 3]
        file += big(UInt32(height)) + big(UInt32(width)) + [0, 8, 0, 3]
        // Neither colours nor resources; layers without further information.
        file += big(0 as UInt64) + big(UInt32(info.count + 8)) + big(UInt32(info.count))
        file += info + big(0 as UInt32) + [0, 0]
        return file + [UInt8](repeating: 255, count: 3 * width * height)
    }

    private func descriptor(_ kind: String, _ items: [(String, [UInt8])]) -> [UInt8] {
        func key(_ text: String) -> [UInt8] { big(UInt32(text.count == 4 ? 0 : text.count)) + Array(text.utf8) }
        return big(1 as UInt32) + [0, 0] + key(kind) + big(UInt32(items.count))
            + items.flatMap { key($0.0) + $0.1 }
    }

    private func number(_ value: Double) -> [UInt8] { Array("doub".utf8) + big(value.bitPattern) }

    private func artboard(_ rect: Box, _ color: Pixel, kind: UInt32, _ inside: [Record]) -> [Record] {
        let edges = descriptor(
            "classFloatRect",
            [
                ("Top ", number(Double(rect.top))), ("Left", number(Double(rect.left))),
                ("Btom", number(Double(rect.bottom))), ("Rght", number(Double(rect.right))),
            ])
        let tint = descriptor(
            "RGBC",
            [("Rd  ", number(color.x * 255)), ("Grn ", number(color.y * 255)), ("Bl  ", number(color.z * 255))])
        let block =
            big(16 as UInt32)
            + descriptor(
                "artboard",
                [
                    ("artboardRect", Array("Objc".utf8) + edges), ("Clr ", Array("Objc".utf8) + tint),
                    ("guideIDs", Array("VlLs".utf8) + big(0 as UInt32)),
                    ("artboardBackgroundType", Array("long".utf8) + big(kind)),
                ])
        return [Record(name: "</Layer group>", blocks: [("lsct", big(3 as UInt32))])] + inside + [
            Record(
                name: "Artboard", blocks: [("lsct", big(1 as UInt32) + Array("8BIMpass".utf8)), ("artb", block)],
                mode: "pass")
        ]
    }

    @Test("An artboard has its background and hides what is beyond its edges", arguments: [1, 2, 3, 4])
    func artboards(kind: UInt32) throws {
        let square = solid("Square", (2, 2, 6, 12), Self.red)
        let found = try pixels(of: photoshop(artboard((0, 0, 8, 8), Self.blue, kind: kind, [square])), "a.psd")
        #expect(found.warnings.isEmpty)
        let ground = [Self.white, Pixel(0, 0, 0, 1), Self.clear, Self.blue][Int(kind) - 1]
        for (x, y, wanted) in [(3, 3, Self.red), (7, 3, Self.red), (8, 3, Self.clear), (7, 7, ground), (1, 1, ground)] {
            let pixel = found.pixels[16 * y + x]
            #expect(isNear(pixel, wanted), "\(x), \(y): \(pixel), not \(wanted)")
        }
    }

    @Test func anArtboardInAnotherIsCutByBoth() throws {
        let inner = artboard((4, 4, 16, 16), Self.green, kind: 4, [])
        let found = try pixels(of: photoshop(artboard((0, 0, 8, 8), Self.blue, kind: 4, inner)), "a.psd")
        for (x, y, wanted) in [(1, 1, Self.blue), (6, 6, Self.green), (9, 9, Self.clear), (6, 9, Self.clear)] {
            #expect(isNear(found.pixels[16 * y + x], wanted), "\(x), \(y): \(found.pixels[16 * y + x])")
        }
    }

    @Test func anArtboardThatCannotBeReadIsAPlainGroupAndNamed() throws {
        var records = artboard((0, 0, 8, 8), Self.blue, kind: 4, [solid("Square", (2, 2, 6, 12), Self.red)])
        records[2].blocks[1].1 = [0, 0, 0, 16, 0]
        let found = try pixels(of: photoshop(records), "a.psd")
        #expect(found.warnings.count == 1 && found.warnings[0].contains("an artboard that cannot be read"))
        #expect(isNear(found.pixels[16 * 3 + 10], Self.red))
    }

    /// The right half, as a path.
    private var rightHalf: [UInt8] {
        func knot(_ y: Double, _ x: Double) -> [UInt8] {
            let point = big(UInt32(y * Double(1 << 24))) + big(UInt32(x * Double(1 << 24)))
            return [0, 2] + point + point + point
        }
        let none = [UInt8](repeating: 0, count: 24)
        var path = big(3 as UInt32) + big(0 as UInt32) + [0, 6] + none + [0, 8] + none
        path += [0, 0, 0, 4, 0, 1, 0, 1] + [UInt8](repeating: 0, count: 18)
        path += knot(0, 0.5) + knot(0, 1)
        return path + knot(1, 1) + knot(1, 0.5)
    }

    @Test("Of a layer with two masks both count", arguments: [(255, 255), (128, 255), (255, 128), (51, 102)])
    func twoMasks(density: (user: Int, vector: Int)) throws {
        let box: Box = (0, 0, 16, 16)
        // The layer mask shows the upper half.
        let user = (0..<256).map { UInt8($0 < 128 ? 255 : 0) }
        let both = (0..<256).map { UInt8($0 < 128 && $0 % 16 >= 8 ? 255 : 0) }
        var record = solid("Both", box, Self.red)
        record.channels += [(-2, [0, 0] + both), (-3, [0, 0] + user)]
        record.blocks = [("vmsk", rightHalf)]
        record.masks = Self.bytes(box) + [0, 8 | 16] + [0, 0] + Self.bytes(box)
        record.masks += [5, UInt8(density.user), UInt8(density.vector)]
        let found = try pixels(of: photoshop([record]), "a.psd")
        #expect(found.warnings.isEmpty)
        let hidden = (user: 1 - Double(density.user) / 255, vector: 1 - Double(density.vector) / 255)
        for (x, y, share) in [
            (12, 3, 1), (3, 3, hidden.vector), (12, 12, hidden.user), (3, 12, hidden.user * hidden.vector),
        ] {
            let pixel = found.pixels[16 * y + x]
            #expect(isNear(pixel, faint(Self.red, share)), "\(x), \(y): \(pixel), not \(share)")
        }
    }

    @Test("Parameters are read whether a second mask comes before them or not", arguments: [UInt8(1), 3, 15])
    func maskParameters(given: UInt8) throws {
        let box: Box = (0, 0, 16, 16)
        var record = solid("Masked", box, Self.red)
        record.channels.append((-2, [0, 0] + (0..<256).map { UInt8($0 < 128 ? 255 : 0) }))
        record.masks = Self.bytes(box) + [0, 16, given, 51]
        if given & 2 != 0 { record.masks += big(0.0.bitPattern) }
        if given & 4 != 0 { record.masks.append(102) }
        if given & 8 != 0 { record.masks += big(0.0.bitPattern) }
        while record.masks.count % 4 != 0 { record.masks.append(0) }
        let found = try pixels(of: photoshop([record]), "a.psd")
        #expect(found.warnings.isEmpty)
        #expect(isNear(found.pixels[0], Self.red) && isNear(found.pixels[255], faint(Self.red, 0.8)))
    }

    @Test func theSoftnessOfAMaskIsNamed() throws {
        let box: Box = (0, 0, 16, 16)
        var record = solid("Soft", box, Self.red)
        record.channels.append((-2, [0, 0] + [UInt8](repeating: 255, count: 256)))
        record.masks = Self.bytes(box) + [0, 16, 2] + big(4.0.bitPattern) + [0]
        let found = try pixels(of: photoshop([record]), "a.psd")
        #expect(found.warnings == ["layer 1 \"Soft\", its mask: left out: the softness of a mask"])
    }

    @Test(
        "Paths of a vector mask add to each other, take away, and turn round",
        arguments: [
            ([1, 1], false, false, [0, 1, 1, 1]), ([1, 2], false, false, [0, 1, 0, 0]),
            ([2], false, false, [1, 1, 0, 0]), ([1, 3], false, false, [0, 0, 0, 1]),
            ([1, 0], false, false, [0, 1, 1, 0]), ([1, 1], true, false, [1, 0, 0, 0]),
            ([1, 2], true, false, [1, 0, 1, 1]), ([1, 3], true, false, [1, 1, 1, 0]),
            ([1, 0], true, false, [1, 0, 0, 1]), ([0], false, true, [1, 1, 0, 0]),
            ([2, 1], false, true, [1, 0, 1, 1]), ([1, 1, 0], false, false, [0, 0, 1, 0]),
        ] as [([Int], Bool, Bool, [Int])])
    func vectorMasks(operations: [Int], isInverted: Bool, beginsFull: Bool, shown: [Int]) throws {
        // The right half, then the lower one, then the right one again.
        let halves: [[(Double, Double)]] = [
            [(0, 0.5), (0, 1), (1, 1), (1, 0.5)], [(0.5, 0), (0.5, 1), (1, 1), (1, 0)],
            [(0, 0.5), (0, 1), (1, 1), (1, 0.5)],
        ]
        func fixed(_ value: Double) -> [UInt8] { big(UInt32(value * Double(1 << 24))) }
        let none = [UInt8](repeating: 0, count: 24)
        var block = big(3 as UInt32) + big(UInt32(isInverted ? 1 : 0)) + [0, 6] + none
        block += [0, 8, 0, beginsFull ? 1 : 0] + none.dropFirst(2)
        // One path alone is the lower half.
        for (operation, half) in zip(operations, operations.count == 1 ? [halves[1]] : halves) {
            block += [0, 0, 0, 4, 0, UInt8(operation), 0, 1] + [UInt8](repeating: 0, count: 18)
            for (y, x) in half { block += [0, 2] + (0..<3).flatMap { _ in fixed(y) + fixed(x) } }
        }
        var record = solid("Shape", (0, 0, 16, 16), Self.red)
        record.blocks = [("vmsk", block)]
        let found = try pixels(of: photoshop([record]), "a.psd")
        let layer = try #require(found.project.layers.first)
        // Only what turns round several paths that are drawn one by one is a picture.
        let isPicture = operations.last == 0 && (operations.count == 3 || isInverted)
        #expect((layer.maskShapes == nil) == isPicture && (layer.maskImage != nil) == isPicture)
        for (index, place) in [(3, 3), (12, 3), (3, 12), (12, 12)].enumerated() {
            let pixel = found.pixels[16 * place.1 + place.0]
            #expect(isNear(pixel, shown[index] == 1 ? Self.red : Self.clear), "\(operations) \(place): \(pixel)")
        }
    }

    @Test func aVectorMaskThatNoChannelShowsIsDrawn() throws {
        var record = solid("Shape", (0, 0, 16, 16), Self.red)
        record.blocks = [("vmsk", rightHalf)]
        let found = try pixels(of: photoshop([record]), "a.psd")
        #expect(isNear(found.pixels[3], Self.clear) && isNear(found.pixels[12], Self.red))
    }

    @Test func aBoxThatEndsBeforeItBeginsIsAnEmptyLayer() throws {
        var empty = Record(name: "Fill", box: (0, 0, -1, 0), channels: [-1, 0, 1, 2].map { (Int16($0), [0, 0]) })
        empty.masks = Self.bytes((5, 5, 0, -3)) + [255, 0, 0, 0]
        empty.channels.append((-2, [0, 0]))
        let found = try pixels(of: photoshop([empty, solid("Square", (4, 4, 8, 8), Self.red)]), "a.psd")
        #expect(found.project.layers.count == 2 && isNear(found.pixels[16 * 5 + 5], Self.red))
    }

    @Test("A layer whose pixels are packed in an unknown way is an error that names it", arguments: [0, 1])
    func unknownPacking(channel: Int) throws {
        var record = solid("Square", (0, 0, 4, 4), Self.red)
        record.channels[channel].1[1] = 4
        let file = photoshop([record])
        let error = #expect(throws: EngineError.self) { try ProjectLoader.load(bytes: file, name: "a.psd") }
        #expect(error?.description == "a.psd: layer 1 \"Square\": its pixels are packed in an unknown way (4)")
    }

    @Test func aLayerThatLacksAColourOrItsMaskIsNamed() throws {
        var record = solid("Square", (0, 0, 4, 4), Self.red)
        record.channels.removeLast()
        var masked = solid("Masked", (0, 0, 4, 4), Self.red)
        masked.masks = Self.bytes((0, 0, 4, 4)) + [0, 0, 0, 0]
        #expect(
            try pixels(of: photoshop([record, masked]), "a.psd").warnings == [
                "layer 1 \"Square\": left out: pixels of a layer that lacks one of its colours",
                "layer 2 \"Masked\", its mask: left out: a mask without pixels",
            ])
    }

    @Test func blocksOfALayerThatNobodyReadsAreNamed() throws {
        var record = solid("Square", (0, 0, 4, 4), Self.red)
        record.blocks = [
            ("shin", [1, 2, 3, 4]), ("clbl", [0, 0, 0, 0]), ("tsly", [1, 0, 0, 0]), ("brst", [0, 0, 0, 1]),
            ("luni", big(0 as UInt32)),
        ]
        var other = record
        other.blocks = [("clbl", [1, 0, 0, 0]), ("brst", [0, 0, 0, 2])]
        #expect(
            try pixels(of: photoshop([record, other]), "a.psd").warnings == [
                "layer 1 \"\": left out: the property \"shin\" of a layer",
                "layer 1 \"\": left out: clipped layers that are blended one by one",
                "layer 1 \"\" and 1 more: left out: channels that are switched off",
            ])
    }
}
