import Foundation
import InkTestSupport
import Testing

@testable import InkEngine

/// Notes and drawings of other programs show what those programs show, or a warning says what they do not.
@Suite struct NoteFidelityTests {
    private func load(_ bytes: [UInt8], name: String = "f", limits: Limits = Limits()) throws(EngineError)
        -> ProjectReading
    {
        try ProjectLoader.load(bytes: bytes, name: name, limits: limits)
    }

    private func load(_ text: String, limits: Limits = Limits()) throws(EngineError) -> ProjectReading {
        try load(Array(text.utf8), limits: limits)
    }

    private func all(_ layers: [Layer]) -> [Layer] { layers.flatMap { [$0] + all($0.children) } }
    private func strokes(_ project: Project) -> [Stroke] { all(project.layers).flatMap(\.strokes) }
    private func pictures(_ project: Project) -> [Layer] { all(project.layers).filter { $0.contentImage != nil } }

    private func pixels(_ image: EncodedImage?) throws -> SimplePicture { try SimplePNG.read(image?.bytes ?? []) }

    /// Four by two pixels, each of another red: 10, 20, 30, 40 above 50, 60, 70, 80.
    private static let picture = MinimalPNGWriter.png(
        rgb: (1...8).flatMap { [UInt8(10 * $0), 0, 0] }, size: PixelSize(width: 4, height: 2))

    private static var pictureURL: String { "data:image/png;base64,\(Data(picture).base64EncodedString())" }

    // MARK: - Excalidraw

    private func scene(_ elements: String) -> String {
        """
        {"type": "excalidraw", "elements": [\(elements)], "files": {"q": {"dataURL": "\(Self.pictureURL)"}}}
        """
    }

    private func image(_ more: String, width: Double = 40, height: Double = 20) -> String {
        """
        {"type": "image", "id": "i", "x": 100, "y": 200, "width": \(width), "height": \(height), "fileId": "q", "status": "saved"\(more)}
        """
    }

    private func reds(_ project: Project) throws -> [[UInt8]] {
        let picture = try pixels(pictures(project).first?.contentImage)
        return (0..<picture.height).map { y in (0..<picture.width).map { picture.rgba($0, y).x } }
    }

    @Test func mirroredPicturesAreMirrored() throws {
        func found(_ more: String) throws -> (reds: [[UInt8]], placement: Placement?) {
            let project = try load(scene(image(more))).project
            return (try reds(project), pictures(project).first?.contentPlacement)
        }
        let place = Placement(x: 100, y: 200, width: 40, height: 20)
        let (plain, mirrored): ([[UInt8]], [[UInt8]]) = (
            [[10, 20, 30, 40], [50, 60, 70, 80]], [[40, 30, 20, 10], [80, 70, 60, 50]]
        )
        var turned = place
        turned.rotation = 180
        for (more, pixels, placement) in [
            ("", plain, place), (", \"scale\": [1, 1]", plain, place), (", \"scale\": [-1, 1]", mirrored, place),
            // Upside down is mirrored and turned.
            (", \"scale\": [1, -1]", mirrored, turned), (", \"scale\": [-1, -1]", plain, turned),
        ] {
            let found = try found(more)
            #expect(found.reds == pixels && found.placement == placement, "\(more)")
        }
        let both = try load(scene(image(", \"scale\": [-1, 1], \"angle\": 1"))).project
        #expect(abs((pictures(both).first?.contentPlacement?.rotation ?? 0) - 180 / .pi) < 1e-9)
    }

    @Test func cutPicturesShowTheirPart() throws {
        func crop(_ x: Double, _ y: Double, _ width: Double, _ height: Double, of scale: Double = 1) -> String {
            let numbers = [x, y, width, height].map { $0 * scale }
            return """
                , "crop": {"x": \(numbers[0]), "y": \(numbers[1]), "width": \(numbers[2]), "height": \(numbers[3]),
                 "naturalWidth": \(4 * scale), "naturalHeight": \(2 * scale)}
                """
        }
        let place = Placement(x: 100, y: 200, width: 40, height: 20)
        let right = try load(scene(image(crop(2, 0, 2, 1)))).project
        #expect(try reds(right) == [[30, 40]] && pictures(right)[0].contentPlacement == place)
        #expect(pictures(right)[0].maskImage == nil)
        // In other units than pixels, and mirrored after it is cut.
        let mirrored = try load(scene(image(crop(2, 0, 2, 1, of: 10) + ", \"scale\": [-1, 1]"))).project
        #expect(try reds(mirrored) == [[40, 30]] && pictures(mirrored)[0].contentPlacement == place)
        // Within a pixel: whole pixels, and a mask for what shows of them.
        let part = try load(scene(image(crop(1.5, 0, 1, 2)))).project
        let layer = try #require(pictures(part).first)
        #expect(try reds(part) == [[20, 30], [60, 70]])
        #expect(layer.contentPlacement == Placement(x: 80, y: 200, width: 80, height: 20))
        #expect(layer.maskPlacement == place && layer.maskOutside == 0)
        let round = try load(scene(image(", \"roundness\": {\"type\": 3}"))).project
        #expect(pictures(round)[0].maskImage?.header.isVector == true && pictures(round)[0].maskPlacement == place)
        for odd in [
            "5", "{}", "{\"width\": 0, \"naturalWidth\": 4}", "{\"x\": 9, \"width\": 3, \"naturalWidth\": 4}", "[]",
        ] {
            let project = try load(scene(image(", \"crop\": \(odd)"))).project
            #expect(try reds(project).count == 2, "\(odd)")
        }
    }

    @Test func vectorPicturesAreCutAndMirroredToo() throws {
        // Red on the left, blue on the right, by rules that see the root.
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" width="40" height="20" preserveAspectRatio="none">
            <style>:root > rect { fill: #ff0000 } rect + rect { fill: #0000ff }</style>
            <rect width="50%" height="100%"/><rect x="5" width="5" height="10"/></svg>
            """
        let url = "data:image/svg+xml;base64,\(Data(svg.utf8).base64EncodedString())"
        func colors(_ more: String) throws -> [SIMD4<UInt8>] {
            let text = scene(image(more)).replacing(Self.pictureURL, with: url)
            let image = try #require(pictures(try load(text).project).first?.contentImage)
            var pixels: [UInt8] = []
            let size = image.size
            _ = try ImageDecoders.decode(image.bytes, as: .color, place: Place(file: "a")) { chunk in
                if case .samples(let samples) = chunk.content { pixels += samples }
                if case .constant(let value) = chunk.content {
                    for _ in 0..<chunk.rows.count * size.width {
                        pixels += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
                    }
                }
            }
            return [1, size.width - 2].map { x in
                let at = (size.height / 2 * size.width + x) * 4
                return SIMD4(pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3])
            }
        }
        let (red, blue) = (SIMD4<UInt8>(255, 0, 0, 255), SIMD4<UInt8>(0, 0, 255, 255))
        #expect(try colors("") == [red, blue] && colors(", \"scale\": [-1, 1]") == [blue, red])
        let crop =
            ", \"crop\": {\"x\": 20, \"y\": 0, \"width\": 20, \"height\": 20, \"naturalWidth\": 40, \"naturalHeight\": 20}"
        #expect(try colors(crop) == [blue, blue])
        let left = crop.replacing("\"x\": 20", with: "\"x\": 10")
        #expect(try colors(left + ", \"scale\": [-1, 1]") == [blue, red])
    }

    @Test func elementsAreCutAtTheEdgesOfTheirFrame() throws {
        let bar = """
            {"type": "rectangle", "id": "b", "x": 0, "y": 40, "width": 300, "height": 20, "frameId": "f", "roughness": 0,
             "strokeColor": "#ff0000", "backgroundColor": "#ff0000", "fillStyle": "solid", "strokeWidth": 2, "updated": 1.8e12}
            """
        let frame =
            "{\"type\": \"frame\", \"id\": \"f\", \"x\": 100, \"y\": 0, \"width\": 100, \"height\": 100, \"name\": \"F\"}"
        let project = try load(scene("\(bar), \(frame)")).project
        let group = try #require(project.layers.first { !$0.children.isEmpty })
        #expect(group.name == "F" && group.maskOutside == 0)
        #expect(group.maskPlacement == Placement(x: 100, y: 0, width: 100, height: 100))
        // What is beyond is not there, so that a picture of all is no larger for it.
        let box = try #require(project.visibleBounds)
        #expect(box.minX >= 96 && box.maxX <= 204 && !strokes(project).isEmpty, "\(box)")
        // Without its frame it is whole, and so it is when the frame is deleted.
        for other in ["", ", " + frame.replacing("\"x\": 100", with: "\"isDeleted\": true, \"x\": 100")] {
            let whole = try #require(try load(scene(bar + other)).project.visibleBounds)
            #expect(whole.minX < 1 && whole.maxX > 299)
        }
        // Pictures are cut to what shows, and what lies outside altogether is left out.
        let cut = image(", \"frameId\": \"f\"").replacing("\"x\": 100, \"y\": 200", with: "\"x\": 190, \"y\": 0")
        let far = image(", \"frameId\": \"f\"").replacing("\"x\": 100", with: "\"x\": 900")
        let shown = try load(scene("\(cut), \(far), \(frame)")).project
        #expect(pictures(shown).filter { $0.contentImage?.header.isVector == false }.count == 1)
        #expect(try reds(shown) == [[10], [50]])
        // A frame's opacity is that of all in it.
        let faint = frame.replacing("\"x\": 100", with: "\"opacity\": 50, \"x\": 100")
        let faded = try load(scene("\(cut), \(faint)")).project
        #expect(pictures(faded).first?.opacity == 0.5)
    }

    @Test func frameWithoutAnAreaShowsNothing() throws {
        let bar =
            "{\"type\": \"line\", \"x\": 0, \"y\": 0, \"points\": [[0, 0], [50, 9]], \"strokeColor\": \"#000\", \"frameId\": \"f\"}"
        for (width, height) in [("0", "0"), ("-5", "9")] {
            let frame =
                "{\"type\": \"frame\", \"id\": \"f\", \"x\": 0, \"y\": 0, \"width\": \(width), \"height\": \(height)}"
            #expect(strokes(try load(scene("\(bar), \(frame)")).project).isEmpty)
        }
    }

    @Test func linesAreKeptInsideOfABox() {
        let line = [(0.0, 0.0), (10, 0), (10, 10), (20, 10)].map { NotePage.WidePoint(x: $0.0, y: $0.1, width: 2) }
        func parts(_ box: Rect) -> [[Point]] {
            NotePage.parts(of: line, inside: box).map { $0.map { Point(x: $0.x, y: $0.y) } }
        }
        func points(_ numbers: [(Double, Double)]) -> [Point] { numbers.map { Point(x: $0.0, y: $0.1) } }
        #expect(parts(Rect(minX: -1, minY: -1, maxX: 21, maxY: 11)) == [points([(0, 0), (10, 0), (10, 10), (20, 10)])])
        #expect(parts(.empty).isEmpty && parts(Rect(minX: 30, minY: 0, maxX: 40, maxY: 9)).isEmpty)
        #expect(
            parts(Rect(minX: 5, minY: -1, maxX: 11, maxY: 4)) == [points([(5, 0), (10, 0), (10, 4)])])
        #expect(
            parts(Rect(minX: -1, minY: -1, maxX: 21, maxY: 4)) == [points([(0, 0), (10, 0), (10, 4)])])
        #expect(
            parts(Rect(minX: 5, minY: -1, maxX: 8, maxY: 11)) == [points([(5, 0), (8, 0)])])
    }

    @Test func whatNobodyReadsOfADrawingIsSaid() throws {
        let line = """
            {"type": "line", "x": 0, "y": 0, "points": [[0, 0], [9, 9]], "strokeColor": "#000", "version": 3, "locked": false,
             "boundElements": [{"id": "x"}], "link": null, "customData": {"a": 1}, "glow": 3, "empty": []}
            """
        let reading = try load(scene("\(line), \(line)"))
        #expect(
            reading.warnings.map(\.description) == [
                "elements[0] and 1 more: left out: the property \"glow\" of a line"
            ])
    }

    // MARK: - tldraw

    private func drawing(_ records: [String]) -> String {
        let asset = """
            {"typeName": "asset", "id": "a", "type": "image", "props": {"src": "\(Self.pictureURL)", "w": 4, "h": 2}}
            """
        return """
            {"tldrawFileFormatVersion": 1, "records": [{"typeName": "page", "id": "p"}, \(asset),
             \(records.joined(separator: ", "))]}
            """
    }

    private func shape(_ id: String, _ type: String, _ props: String, in parent: String = "p", _ more: String = "")
        -> String
    {
        """
        {"typeName": "shape", "id": "\(id)", "parentId": "\(parent)", "type": "\(type)", "x": 100, "y": 50, "index": "\(id)",
         "props": {\(props)}\(more)}
        """
    }

    @Test(arguments: [
        ("black", "#fddd00"), ("yellow", "#fddd00"), ("blue", "#10acff"), ("green", "#00ffc8"), ("grey", "#cbe7f1"),
        ("light-blue", "#00f4ff"), ("light-green", "#65f641"), ("light-red", "#ff7fa3"), ("light-violet", "#ff88ff"),
        ("orange", "#ffa500"), ("red", "#ff636e"), ("violet", "#c77cff"), ("white", "#ffffff"), ("#123456", "#123456"),
    ])
    func highlightersHaveColorsOfTheirOwn(name: String, color: String) throws {
        let points = "[{\"x\": 0, \"y\": 0}, {\"x\": 50, \"y\": 0}, {\"x\": 99, \"y\": 0}]"
        let mark = shape(
            "m", "highlight", "\"segments\": [{\"type\": \"free\", \"points\": \(points)}], \"color\": \"\(name)\"")
        let text = shape("b", "geo", "\"geo\": \"rectangle\", \"w\": 20, \"h\": 10, \"color\": \"black\"")
        let found = strokes(try load(drawing([mark, text])).project)
        // It shows weakly above what it marks, and strongly below.
        let marks = found.filter { $0.brush.color == RGBA8(hex: color) && $0.brush.opacity < 1 }
        #expect(marks.map { ($0.brush.opacity * 100).rounded() } == [82, 35], "\(name)")
        #expect(found.first?.brush.opacity == marks[0].brush.opacity && found.last?.brush.color != RGBA8(hex: color))
    }

    @Test func fillsAndNotesHaveTheirColors() throws {
        func text(_ type: String, _ props: String) throws -> String {
            let project = try load(drawing([shape("s", type, props)])).project
            return pictures(project).compactMap { $0.contentImage.map { String(decoding: $0.bytes, as: UTF8.self) } }
                .joined()
        }
        let box = "\"geo\": \"rectangle\", \"w\": 50, \"h\": 40, \"color\": \"violet\", \"fill\": "
        for (fill, color) in [
            ("solid", "#ecdcf2"), ("semi", "#fcfffe"), ("fill", "#ae3ec9"), ("lined-fill", "#be68d4"),
            ("pattern", "#bd63d3"),
        ] {
            #expect(try text("geo", box + "\"\(fill)\"").contains(color), "\(fill)")
        }
        #expect(try text("note", "\"color\": \"light-violet\"").contains("#dfb0f9"))
        let tall = try load(drawing([shape("n", "note", "\"color\": \"blue\", \"growY\": 100, \"scale\": 2")])).project
        #expect(pictures(tall).first?.contentPlacement?.height == 600)
    }

    @Test func picturesOfTldrawAreCutMirroredAndRound() throws {
        func found(_ props: String, _ more: String = "") throws -> (reds: [[UInt8]], layer: Layer) {
            let project = try load(
                drawing([shape("s", "image", "\"assetId\": \"a\", \"w\": 40, \"h\": 20, \(props)", in: "p", more)])
            ).project
            return (try reds(project), try #require(pictures(project).first))
        }
        let crop = "\"crop\": {\"topLeft\": {\"x\": 0.5, \"y\": 0}, \"bottomRight\": {\"x\": 1, \"y\": 0.5}"
        #expect(try found("\"flipX\": true").reds == [[40, 30, 20, 10], [80, 70, 60, 50]])
        #expect(try found("\"flipY\": true").layer.contentPlacement?.rotation == 180)
        #expect(try found("\(crop)}").reds == [[30, 40]])
        // Mirrored before it is cut.
        #expect(try found("\(crop)}, \"flipX\": true").reds == [[20, 10]])
        let turned = try found("\(crop)}, \"flipY\": true", ", \"rotation\": 0.5").layer
        #expect(abs((turned.contentPlacement?.rotation ?? 0) - 180 - 90 / .pi) < 1e-9)
        #expect(try found("\(crop)}, \"flipY\": true").reds == [[80, 70]])
        let round = try found("\(crop), \"isCircle\": true}").layer
        #expect(round.maskImage?.header.isVector == true && round.maskPlacement == round.contentPlacement)
    }

    @Test func shapesAreCutAtTheEdgesOfFramesAndTheirFrames() throws {
        let outer = shape("f", "frame", "\"w\": 100, \"h\": 100, \"name\": \"Outer\"")
        let group = shape("g", "group", "", in: "f")
        let inner = shape("h", "frame", "\"w\": 400, \"h\": 20, \"name\": \"\"", in: "g", ", \"rotation\": 0.5")
        let line = shape(
            "l", "line", "\"points\": [{\"x\": -900, \"y\": 5}, {\"x\": 900, \"y\": 5}], \"dash\": \"solid\"", in: "h")
        let reading = try load(drawing([outer, group, inner, line]))
        let groups = all(reading.project.layers).filter { $0.maskPlacement != nil }
        // The group lies 100, 50 from the frame's corner, beyond its right edge.
        #expect(groups.isEmpty && strokes(reading.project).isEmpty)
        let near = group.replacing("\"x\": 100, \"y\": 50", with: "\"x\": -80, \"y\": -20")
        let project = try load(drawing([outer, near, inner, line])).project
        let masked = all(project.layers).filter { $0.maskPlacement != nil }
        #expect(masked.map(\.name) == ["Outer", "Frame"])
        #expect(abs((masked.last?.maskPlacement?.rotation ?? 0) - 90 / .pi) < 1e-9)
        let ends = strokes(project).flatMap(\.points)
        let frame = try #require(masked.first?.maskPlacement)
        #expect(!ends.isEmpty && ends.allSatisfy { $0.x > frame.x - 10 && $0.x < frame.x + 110 })
        #expect(reading.warnings.isEmpty)
    }

    @Test func framesInFramesWithoutEndAreLeftOut() throws {
        let frames = (0..<60).map {
            shape("f\($0)", "frame", "\"w\": 900, \"h\": 900", in: $0 == 0 ? "p" : "f\($0 - 1)")
        }
        let line = "\"points\": [{\"x\": 0, \"y\": 5}, {\"x\": 90, \"y\": 5}]"
        let reading = try load(drawing(frames + [shape("a", "line", line), shape("l", "line", line, in: "f59")]))
        #expect(reading.warnings.contains { $0.reason.contains("deep") } && !strokes(reading.project).isEmpty)
    }

    @Test func whatNobodyReadsOfATldrawShapeIsSaid() throws {
        let line = "\"points\": [{\"x\": 0, \"y\": 5}, {\"x\": 90, \"y\": 5}]"
        let arrow = "\"start\": {\"x\": 0, \"y\": 0}, \"end\": {\"x\": 90, \"y\": 5}, \"kind\": \"elbow\""
        let reading = try load(
            drawing([
                shape("a", "line", line + ", \"glow\": 3"), shape("b", "arrow", arrow), shape("c", "arrow", arrow),
                shape("d", "arrow", arrow.replacing("elbow", with: "arc")),
            ]))
        #expect(
            reading.warnings.map(\.description) == [
                "a: left out: the property \"glow\" of a shape of the kind line",
                "b and 1 more: left out: the corners of arrows, which are straight here",
            ])
    }

    // MARK: - Encodings

    private static func wide(_ text: String, isBig: Bool, hasMark: Bool) -> [UInt8] {
        ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            isBig ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
        }
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func documentsInUTF16AreRead(isBig: Bool, hasMark: Bool) throws {
        let svg =
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\"/>"
        let drawing = scene(image(""))
        let note = "<xournal><page width=\"30\" height=\"40\"><layer/></page></xournal>"
        for (text, name) in [
            (svg, "a.svg"), (svg, "a"), (drawing, "a.excalidraw"), (drawing, "a"), (note, "a.xopp"), (note, "a"),
        ] {
            let reading = try load(Self.wide(text, isBig: isBig, hasMark: hasMark), name: name)
            #expect(reading.warnings.isEmpty && all(reading.project.layers).count >= 1, "\(name)")
        }
        // Also where it is a layer's image.
        let bytes = Self.wide(svg, isBig: isBig, hasMark: hasMark)
        let image = try EncodedImage(checking: bytes, place: Place(file: "a"), limits: Limits())
        #expect(image.size == PixelSize(width: 20, height: 10))
        // What claims to be in UTF-16 and is not is read as it is.
        #expect(try load(svg).project.canvasSize == CanvasSize(width: 20, height: 10))
        let error = #expect(throws: EngineError.self) {
            try load(Self.wide("{\"canvasSize\": 1}", isBig: isBig, hasMark: hasMark), name: "a.ink")
        }
        #expect(error?.description == "a.ink: is text in UTF-16; a project must be UTF-8, so save it as that")
    }

    @Test func aTextIsNoDocumentAndSaysSo() throws {
        for (text, what) in [
            (Array("Buy milk, and null\n".utf8), "plain text"),
            (Self.wide("Buy milk", isBig: false, hasMark: true), "text in UTF-16"),
        ] {
            for name in ["todo.txt", "todo", "todo.ink"] {
                let error = #expect(throws: EngineError.self) { try load(text, name: name) }
                let line = error?.description ?? ""
                #expect(
                    line.hasPrefix("\(name): is no document that ink knows: it is \(what). ink reads .ase"), "\(line)")
            }
        }
        // What begins like a project says where it is wrong.
        let broken = #expect(throws: EngineError.self) { try load(Array("{\"canvasSize\": nope}".utf8), name: "a.ink") }
        #expect(broken?.description.contains("no document") == false)
    }
}
