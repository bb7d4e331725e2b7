import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// What painting programs' documents say beside their pixels, and what they must not do.
@Suite struct PaintingDocumentTests {
    private func load(_ bytes: [UInt8], limits: Limits = Limits()) throws(EngineError) -> ProjectReading {
        try ProjectLoader.load(bytes: bytes, name: "f", limits: limits)
    }

    // MARK: - Photoshop

    /// A file of 4x4 pixels in RGB, of records and the channels of all of them.
    private func photoshop(
        _ records: [[UInt8]], channels: [[UInt8]] = [], size: (UInt32, UInt32) = (4, 4)
    ) -> [UInt8] {
        let info =
            [UInt8(records.count >> 8), UInt8(records.count)] + records.flatMap { $0 } + channels.flatMap { $0 }
        let layers = bigEndian(UInt32(info.count)) + info
        return Array("8BPS".utf8) + [0, 1, 0, 0, 0, 0, 0, 0, 0, 3] + bigEndian(size.1) + bigEndian(size.0) + [
            0, 8, 0, 3,
        ]
            + bigEndian(0 as UInt32) + bigEndian(0 as UInt32) + bigEndian(UInt32(layers.count)) + layers
            + [0, 0] + [UInt8](repeating: 200, count: 48)
    }

    private func record(
        _ name: String, mode: String = "norm", opacity: UInt8 = 255, isClipped: Bool = false, flags: UInt8 = 0,
        blocks: [(String, [UInt8])] = [], box: [Int32] = [0, 0, 0, 0], channels: [(id: Int16, byteCount: Int)] = []
    ) -> [UInt8] {
        var title = [UInt8(name.utf8.count)] + Array(name.utf8)
        while title.count % 4 != 0 { title.append(0) }
        var extra = bigEndian(0 as UInt32) + bigEndian(0 as UInt32) + title
        for (key, content) in blocks { extra += Array("8BIM\(key)".utf8) + bigEndian(UInt32(content.count)) + content }
        let place = box.flatMap { bigEndian(UInt32(bitPattern: $0)) }
        let lengths = channels.flatMap { channel -> [UInt8] in
            let id = UInt16(bitPattern: channel.id)
            return [UInt8(id >> 8), UInt8(id & 255)] + bigEndian(UInt32(channel.byteCount))
        }
        return place + [0, UInt8(channels.count)] + lengths + Array("8BIM\(mode)".utf8)
            + [opacity, isClipped ? 1 : 0, flags, 0] + bigEndian(UInt32(extra.count)) + extra
    }

    private func divider(_ kind: UInt32, mode: String? = nil) -> (String, [UInt8]) {
        ("lsct", bigEndian(kind) + (mode.map { Array("8BIM\($0)".utf8) } ?? []))
    }

    /// The background behind one layer, whose alpha has these bytes; top, left, bottom and right of its box.
    private func background(behind box: [Int32], alpha: [UInt8]) throws -> RGBA8 {
        let count = Int((box[2] - box[0]) * (box[3] - box[1]))
        let color = [0, 0] + [UInt8](repeating: 9, count: count)
        let channels = [alpha, color, color, color]
        let ids: [Int16] = [-1, 0, 1, 2]
        let record = record("paper", box: box, channels: zip(ids, channels).map { ($0, $1.count) })
        return try load(photoshop([record], channels: channels)).project.background
    }

    @Test func aLayerThatHidesTheCanvasNeedsNoAlpha() throws {
        func raw(_ count: Int) -> [UInt8] { [0, 0] + [UInt8](repeating: 255, count: count) }
        let canvas: [Int32] = [0, 0, 4, 4]
        #expect(try background(behind: canvas, alpha: raw(16)) == .white)
        #expect(try background(behind: [-1, -2, 5, 4], alpha: raw(36)) == .white)
        #expect(try background(behind: [1, 0, 4, 4], alpha: raw(12)) == .transparent)
        #expect(try background(behind: [0, 1, 4, 5], alpha: raw(16)) == .transparent)
        #expect(try background(behind: canvas, alpha: raw(15) + [254]) == .transparent)
        // Packed: the lengths of four rows, then runs, single samples and a byte that stands for nothing.
        let lengths: [UInt8] = [0, 1] + [0, 2, 0, 5, 0, 2, 0, 3]
        let run: [UInt8] = [253, 255]
        let ends: [[UInt8]] = [[253, 255, 128], [253, 254, 128], [254, 255, 128]]
        for (end, expected) in zip(ends, [RGBA8.white, .transparent, .transparent]) {
            let alpha = lengths + run + [3, 255, 255, 255, 255] + run + end
            #expect(try background(behind: canvas, alpha: alpha) == expected, "\(end)")
        }
    }

    @Test func theTreeOfAPhotoshopFileIsReadFromTheBottom() throws {
        let file = photoshop([
            record("low", mode: "mul ", opacity: 51),
            record("</Layer group>", blocks: [divider(3)]),
            record("inside", isClipped: true, flags: 2),
            record("group", mode: "pass", blocks: [divider(1, mode: "pass")]),
            record("</Layer group>", blocks: [divider(3)]),
            record("other", blocks: [divider(2, mode: "scrn")]),
            record("half", blocks: [("iOpa", [128, 0, 0, 0]), ("luni", bigEndian(1 as UInt32) + [0x26, 0x3A])]),
        ])
        let reading = try load(file)
        #expect(reading.warnings.isEmpty)
        let layers = reading.project.layers
        #expect(layers.map(\.name) == ["low", "group", "other", "\u{263A}"])
        #expect(layers.map(\.order) == [0, 1, 2, 3])
        #expect(layers[0].blendMode == .multiply && layers[0].opacity == 0.2)
        guard case .group(let children, true) = layers[1].kind else { throw TestFailure("a group that passes through") }
        #expect(children.map(\.name) == ["inside"] && children[0].isClipped && !children[0].isVisible)
        guard case .group(let none, false) = layers[2].kind else { throw TestFailure("an isolated group") }
        #expect(none.isEmpty && layers[2].blendMode == .screen)
        #expect(layers[3].opacity == 128.0 / 255)
    }

    @Test func whatIsNotDrawnOfAPhotoshopFileIsSaid() throws {
        let effects = Array("masterFXSwitchbool".utf8) + [1] + Array("enabbool".utf8) + [1]
        let none = Array("masterFXSwitchbool".utf8) + [0] + Array("enabbool".utf8) + [1]
        let file = photoshop([
            record("a", mode: "diss"), record("b", blocks: [("lfx2", effects)]), record("c", blocks: [("lfx2", none)]),
            record("d", blocks: [("levl", [0, 0])]), record("e", blocks: [("GdFl", [0, 0])]),
            record("f", blocks: [("knko", [1, 0, 0, 0])]),
        ])
        let reading = try load(file)
        #expect(
            reading.warnings.map(\.description) == [
                "layer 1 \"a\": left out: the mode dissolve, drawn as normal", "layer 2 \"b\": left out: layer effects",
                "layer 4 \"d\": left out: an adjustment layer (levels)",
                "layer 5 \"e\": left out: a layer filled with a gradient, which has no pixels",
                "layer 6 \"f\": left out: knock-out",
            ])
        #expect(reading.project.layers.map(\.name) == ["a", "b", "c", "f"])
    }

    @Test func photoshopFilesBeyondLimitsAreRefused() throws {
        let small = photoshop([record("a")])
        var limits = Limits()
        limits.edgePixels = 3
        #expect(throws: EngineError.self) { try load(small, limits: limits) }
        limits = Limits()
        limits.layers = 2
        #expect(throws: EngineError.self) { try load(photoshop((0..<3).map { record("\($0)") }), limits: limits) }
        let deep =
            (0..<40).map { _ in record("<", blocks: [divider(3)]) }
            + (0..<40).map { _ in record("g", blocks: [divider(1)]) }
        #expect(throws: EngineError.self) { try load(photoshop(deep)) }
        // Claims of a file of a few bytes.
        #expect(throws: EngineError.self) { try load(photoshop([], size: (300_000, 300_000))) }
        #expect(throws: EngineError.self) { try load(Array("8BPS".utf8)) }
    }

    @Test func groupsThatDoNotMatchAreNoReasonToFail() throws {
        let file = photoshop([
            record("g", blocks: [divider(1)]), record("<", blocks: [divider(3)]), record("a"),
        ])
        #expect(try load(file).project.layers.map(\.name) == ["g", "a"])
    }

    // MARK: - Aseprite

    @Test func aspriteFilesThatClaimTooMuchAreRefused() throws {
        var file: [UInt8] = [0, 0, 0, 0, 0xE0, 0xA5, 1, 0, 4, 0, 4, 0, 32, 0] + [UInt8](repeating: 0, count: 114)
        #expect(throws: EngineError.self) { try load(file) }
        // A frame of a length beyond the file.
        file += [0xFF, 0xFF, 0, 0, 0xFA, 0xF1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let error = #expect(throws: EngineError.self) { try load(file) }
        #expect(error?.description == "f: the Aseprite file is damaged at byte 144: it ends too early")
    }

    private func sprite(_ frames: [(duration: UInt16, chunks: [(kind: UInt16, bytes: [UInt8])])]) -> [UInt8] {
        var file = littleEndian(0 as UInt32) + [0xE0, 0xA5] + littleEndian(UInt16(frames.count))
        file += [4, 0, 4, 0, 32, 0, 1, 0, 0, 0, 70, 0] + [UInt8](repeating: 0, count: 108)
        for frame in frames {
            let chunks = frame.chunks.flatMap {
                littleEndian(UInt32($0.bytes.count + 6)) + littleEndian($0.kind) + $0.bytes
            }
            file += littleEndian(UInt32(chunks.count + 16)) + [0xFA, 0xF1] + littleEndian(UInt16(frame.chunks.count))
            file += littleEndian(frame.duration) + [0, 0] + littleEndian(UInt32(frame.chunks.count)) + chunks
        }
        return file
    }

    private func text(_ text: String) -> [UInt8] { littleEndian(UInt16(text.utf8.count)) + Array(text.utf8) }

    private func asepriteLayer(_ name: String, kind: UInt16 = 0) -> (kind: UInt16, bytes: [UInt8]) {
        var bytes: [UInt8] = [1, 0] + littleEndian(kind)
        bytes += [UInt8](repeating: 0, count: 8)
        bytes += [255, 0, 0, 0]
        return (0x2004, bytes + text(name))
    }

    private func asepriteTag(_ name: String, _ first: UInt8, _ last: UInt8, direction: UInt8) -> [UInt8] {
        let head: [UInt8] = [first, 0, last, 0, direction, 0, 0]
        return head + [UInt8](repeating: 0, count: 10) + text(name)
    }

    @Test func framesOfASpriteKeepTheirDurationsAndTags() throws {
        var tags: [UInt8] = [2, 0] + [UInt8](repeating: 0, count: 8)
        tags += asepriteTag("walk", 1, 2, direction: 2)
        tags += asepriteTag("beyond", 0, 9, direction: 0)
        let file = sprite([
            (40, [asepriteLayer("A"), (0x2018, tags)]), (0, []), (120, []),
        ])
        let reading = try load(file)
        #expect(reading.project.animation?.durations == [40, 70, 120])
        #expect(
            reading.project.animation?.tags == [
                Animation.Tag(name: "walk", frames: 1...2, direction: .pingPong)
            ])
        #expect(reading.warnings.map(\.description) == ["left out: a tag of frames that do not exist"])
    }

    @Test func whatIsUnknownInASpriteIsNamedAndTheRestIsDrawn() throws {
        let rest = [UInt8](repeating: 0, count: 5)
        let cel: [UInt8] = [0, 0, 0, 0, 0, 0, 255, 9, 0, 0, 0] + rest
        var lost: [UInt8] = [7, 0, 0, 0, 0, 0, 255, 1, 0, 0, 0] + rest
        lost += [0, 0]
        let file = sprite([
            (40, [asepriteLayer("A"), asepriteLayer("B", kind: 5), (0x2005, cel), (0x2005, lost), (0x2099, [1])])
        ])
        let reading = try load(file)
        #expect(reading.project.layers.map(\.name) == ["A"])
        #expect(
            Set(reading.warnings.map(\.description)) == [
                "frame 1: left out: a cel of the kind 9, which is unknown",
                "frame 1: left out: a cel of a layer that does not exist",
                "frame 1: left out: a chunk of the kind 0x2099, which is unknown",
                "layer 2 \"B\": left out: a layer of the kind 5, which is unknown",
            ])
    }

    // MARK: - Names

    @Test func documentsAreToldByTheirContent() {
        func kind(_ name: String, _ bytes: [UInt8]) -> String {
            "\(type(of: DocumentReaders.reader(of: DocumentHead(.file(bytes), name: name))))"
        }
        let zip = Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: 26)
        #expect(kind("a", photoshop([])) == "PSDDocument")
        #expect(kind("a", zip + Array("mimetypeimage/openrasterPK".utf8)) == "OpenRasterDocument")
        #expect(kind("a", zip + Array("mimetypeapplication/x-kritaPK".utf8)) == "KritaDocument")
        #expect(kind("a.kra", zip) == "KritaDocument")
        #expect(kind("a.zip", zip) == "TemplateDocument")
        #expect(kind("a.png", [0, 0, 0, 0, 0xE0, 0xA5, 0]) == "AsepriteDocument")
    }
}

private struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ missing: String) { description = "\(missing) is missing" }
}
