import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// Notes and drawings of other programs show what those programs show, or a warning says what they do not.
@Suite struct NoteFidelityTests {
    private func pictures(_ project: Project) -> [Layer] { all(project.layers).filter { $0.contentImage != nil } }

    private func pixels(_ image: EncodedImage?) throws -> SimplePicture { try SimplePNG.read(image?.bytes ?? []) }

    /// Four by two pixels, each of another red: 10, 20, 30, 40 above 50, 60, 70, 80.
    private static let picture = MinimalPNGWriter.png(
        rgb: (1...8).flatMap { [UInt8(10 * $0), 0, 0] }, size: PixelSize(width: 4, height: 2))

    private static var pictureURL: String { "data:image/png;base64,\(Data(picture).base64EncodedString())" }

    // MARK: - Xournal++

    private func paper(_ background: String, width: Double = 300, height: Double = 200) throws -> ProjectReading {
        try load(
            """
            <xournal creator="a"><page width="\(width)" height="\(height)"><background type="solid" \(background)/>
            <layer/></page></xournal>
            """)
    }

    @Test(arguments: [
        ("blue", "#a0e8ff"), ("green", "#80ffc0"), ("orange", "#ffc080"), ("pink", "#ffc0d4"), ("yellow", "#ffff80"),
        ("white", "#ffffff"), ("red", "#ff0000"), ("#3050a000", "#3050a0"),
    ])
    func paperHasThePaleColorsOfItsNames(name: String, color: String) throws {
        let project = try paper("color=\"\(name)\" style=\"plain\"").project
        // One colour all over, wherever the picture's edges are.
        #expect(project.background == RGBA8(hex: color) && pictures(project).isEmpty)
        // Pens keep the colours that these names are for them.
        let pen = try load(
            """
            <xournal><page width="9" height="9"><layer><stroke tool="pen" color="blue" width="1">1 1 5 5</stroke></layer>
            </page></xournal>
            """)
        #expect(strokes(pen.project).map(\.brush.color) == [RGBA8(hex: "#3333cc")])
    }

    @Test func pagesOfSeveralColorsHavePaperOfTheirOwn() throws {
        let page = { (color: String) in
            "<page width=\"9\" height=\"9\"><background type=\"solid\" color=\"\(color)\" style=\"plain\"/><layer/></page>"
        }
        let project = try load("<xournal>\(page("white"))\(page("blue"))</xournal>").project
        #expect(project.background == .white)
        #expect(project.layers.map { all([$0]).reduce(0) { $0 + $1.shapes.count } } == [0, 1])
    }

    /// What a page is ruled with: upright lines by x, level ones by y, dots by both.
    private func rules(_ background: String) throws -> (x: [Double], y: [Double], strokes: [Stroke], warnings: [String])
    {
        let reading = try paper(background)
        let lines = strokes(reading.project)
        func places(_ along: KeyPath<StrokePoint, Double>, _ across: KeyPath<StrokePoint, Double>) -> [Double] {
            lines.filter { line in
                let ends = (line.points.first, line.points.last)
                guard let (a, b) = ends as? (StrokePoint, StrokePoint) else { return false }
                return a[keyPath: along] == b[keyPath: along] && a[keyPath: across] != b[keyPath: across]
            }.map { $0.points[0][keyPath: along] }
        }
        return (places(\.x, \.y), places(\.y, \.x), lines, reading.warnings.map(\.description))
    }

    @Test func ruledPaperIsAsItsSettingsSay() throws {
        let graph = try rules("color=\"white\" style=\"graph\" config=\"f1=ff0000,r1=40,lw=2\"")
        #expect(graph.x == [40, 80, 120, 160, 200, 240, 280] && graph.y == [40, 80, 120, 160, 200])
        #expect(Set(graph.strokes.map(\.brush.color)) == [RGBA8(red: 255, green: 0, blue: 0)])
        #expect(Set(graph.strokes.map(\.brush.lineWidth)) == [2] && graph.warnings.isEmpty)
        let margin = try rules("color=\"white\" style=\"graph\" config=\"r1=30,lw=1,m1=40,rm=1\"")
        #expect(margin.x == [60, 90, 120, 150, 180, 210, 240] && margin.y == [60, 90, 120, 150])
        #expect(
            Set(margin.strokes.flatMap(\.points).map(\.x)).isSubset(of: Set(stride(from: 60, through: 240, by: 30))))
        let bold = try rules("color=\"white\" style=\"graph\" config=\"r1=50,lw=1,bli=2,blw=4\"")
        #expect(bold.strokes.prefix(3).map(\.brush.lineWidth) == [1, 4, 1])
        let lined = try rules("color=\"white\" style=\"lined\" config=\"f2=00ff00,m1=-50,r1=20\"")
        #expect(lined.y == [80, 100, 120, 140] && lined.x == [250])
        #expect(lined.strokes.last?.brush.color == RGBA8(red: 0, green: 255, blue: 0))
        #expect(try rules("color=\"white\" style=\"ruled\"").y == [80, 104, 128])
        let dots = try rules("color=\"white\" style=\"dotted\" config=\"r1=100,lw=3,f1=0000ff\"")
        #expect(dots.strokes.map { $0.points[0].x } == [100, 100, 200, 200, 300, 300])
        let staves = try rules("color=\"white\" style=\"staves\"")
        #expect(staves.y == [80, 85, 90, 95, 100] && staves.x == [50, 250])
        // Lines on dark paper have colours of their own.
        let dark = try rules("color=\"black\" style=\"ruled\" config=\"f1=ff0000,af1=00ff00\"")
        #expect(Set(dark.strokes.map(\.brush.color)) == [RGBA8(red: 0, green: 255, blue: 0)])
    }

    @Test(arguments: [14.17, 20, 31]) func isometricPaperHasTriangles(side: Double) throws {
        let lines = try rules("color=\"white\" style=\"isograph\" config=\"r1=\(side)\"").strokes
        let (stepX, stepY) = (3.0.squareRoot() / 2 * side, side / 2)
        let slants = lines.map { line in
            let (a, b) = (line.points[0], line.points[line.points.count - 1])
            return a.x == b.x ? 2.0 : (b.y - a.y) / (b.x - a.x) / (stepY / stepX)
        }
        #expect(slants.allSatisfy { [-1, 0, 1, 2].contains(($0 * 1e6).rounded() / 1e6) }, "\(slants)")
        #expect(slants.count { $0 == 0 } == 2)
        let dots = try rules("color=\"white\" style=\"isodotted\" config=\"r1=\(side)\"").strokes.map { $0.points[0] }
        // Each dot lies on lines of all three directions.
        for dot in dots {
            let through = lines.filter { line in
                let (a, b) = (line.points[0], line.points[line.points.count - 1])
                let cross = (b.x - a.x) * (dot.y - a.y) - (b.y - a.y) * (dot.x - a.x)
                return abs(cross) < 1e-6 * Point(x: b.x - a.x, y: b.y - a.y).length * side
            }
            #expect(through.count >= 2, "\(dot.x), \(dot.y)")
        }
        #expect(dots.count > 10)
    }

    @Test(arguments: [
        "isograph config=\"r1=220\"", "isodotted config=\"r1=220\"", "graph config=\"m1=1e300\"",
        "graph config=\"bli=5,blw=-1\"", "lined config=\"m1=1e12\"", "lined config=\"m1=-1e12\"",
    ])
    func extremeSettingsOfPaperRefuseNoNote(style: String) throws {
        let style = style.replacing(" config", with: "\" config")
        #expect(try paper("color=\"white\" style=\"\(style)", width: 500, height: 500).project.background == .white)
    }

    @Test func shapesThatNameEachOtherAsParentsEnd() throws {
        let shape = #"{"typeName":"shape","type":"group","id":"page:p","parentId":"page:p","x":0,"y":0}"#
        let other = #"{"typeName":"shape","type":"group","id":"shape:a","parentId":"page:p","x":0,"y":0}"#
        let records = [#"{"typeName":"page","id":"page:p","name":"P"}"#, shape, shape, other, other, other]
        // An empty drawing may be an error; that it ends is what counts.
        let text = #"{"tldrawFileFormatVersion":1,"records":[\#(records.joined(separator: ","))]}"#
        _ = try? load(Array(text.utf8), name: "a.tldr")
    }

    @Test func oddSettingsOfPaperAreNamedOrBounded() throws {
        let odd = try rules("color=\"white\" style=\"ruled\" config=\"xy=3,m1=4,r1=nan,lw=1e300,nonsense\"")
        #expect(
            odd.warnings == [
                "page 1: left out: the setting m1 of ruled paper", "page 1: left out: the setting xy of ruled paper",
            ])
        #expect(odd.y == [80, 104, 128] && odd.strokes.allSatisfy { $0.brush.lineWidth <= 1000 })
        let dense = try load(
            """
            <xournal><page width="9000" height="9000"><background type="solid" color="white" style="dotted" config="r1=0"/>
            <layer/></page></xournal>
            """)
        #expect(dense.warnings.map(\.description) == ["page 1: left out: ruled paper of too many lines"])
        #expect(try rules("color=\"white\" style=\"hexagons\"").warnings.count == 1)
        for size in ["1", "100000"] {
            for style in ["lined", "ruled", "graph", "dotted", "isodotted", "isograph", "staves"] {
                _ = try load(
                    "<xournal><page width=\"\(size)\" height=\"\(size)\"><background type=\"solid\" color=\"white\" "
                        + "style=\"\(style)\"/><layer/></page></xournal>")
            }
        }
    }

    private func packed(_ content: String, _ files: [(String, [UInt8])]) -> [UInt8] {
        var zip = StoredZip()
        let own = [("mimetype", Array("application/xournal++".utf8)), ("content.xml", Array(content.utf8))]
        for (name, bytes) in own + files { zip.entries.append(StoredZip.Entry(name: name, bytes: bytes)) }
        return zip.bytes
    }

    @Test func picturesOfAPackedNoteAreThose() throws {
        let note = """
            <xournal><page width="100" height="100"><background type="pixmap" domain="attach" filename="attachments/b.png"/>
            <layer><image left="20" top="30" right="80" bottom="60"><attachment path="attachments/a.png"/></image>
            <teximage left="1" top="1" right="5" bottom="5" text="x"><attachment path="attachments/t.pdf"/></teximage>
            <image left="0" top="0" right="8" bottom="6"><attachment path="attachments/gone.png"/></image>
            <image left="0" top="0" right="8" bottom="6"><attachment path="../../etc/passwd"/></image></layer></page></xournal>
            """
        let files = [
            ("attachments/a.png", Self.picture), ("attachments/b.png", Self.picture),
            ("attachments/t.pdf", Array("%PDF-1.4".utf8)),
        ]
        let reading = try load(packed(note, files), name: "a.xopp")
        #expect(
            pictures(reading.project).map(\.contentPlacement) == [
                Placement(width: 100, height: 100), Placement(x: 20, y: 30, width: 60, height: 30),
            ])
        #expect(pictures(reading.project).allSatisfy { $0.contentImage?.bytes == Self.picture })
        #expect(
            reading.warnings.map(\.reason) == [
                "left out: a formula, which is a PDF",
                "left out: a picture in another file, which is not in the archive",
            ])
        // The same note by itself says so.
        #expect(try load(note).warnings.count == 2)
    }

    @Test func whatNobodyReadsOfANoteIsSaid() throws {
        let reading = try load(
            """
            <xournal creator="a" fileversion="4"><title/><page width="9" height="9" angle="90">
            <background type="solid" color="white" style="plain" name="x"/><layer name="L">
            <stroke tool="pen" ts="1" fn="a.mp3" color="black" width="1" capStyle="round">1 1 5 5</stroke>
            <stroke tool="pen" color="black" width="1" capStyle="butt" glow="3">1 1 5 5</stroke>
            <stroke tool="pen" color="black" width="1" capStyle="square">1 1 5 5</stroke></layer></page></xournal>
            """)
        #expect(
            reading.warnings.map(\.description) == [
                "page 1, layer 1 and 1 more: left out: flat ends of lines, which are round here",
                "page 1, layer 1: left out: the property \"glow\" of a stroke",
                "page 1: left out: the property \"angle\" of a page",
            ])
    }

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
        #expect(layer.maskShapes == [NoteOutline.rectangle.shape(in: place)])
        let round = try load(scene(image(", \"roundness\": {\"type\": 3}"))).project
        let corners = try #require(pictures(round)[0].maskShapes?.first)
        #expect(
            corners.path.verbs.filter { $0 == .arc }.count == 4
                && corners.transform.point(Point(x: 0, y: 0)) == place.center)
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
            <style>:root > rect { fill: #ff0000 } :root > rect + rect { fill: #0000ff }</style>
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
        #expect(group.name == "F" && group.maskShapes?.count == 1)
        let middle = group.maskShapes?.first?.transform.point(Point(x: 0, y: 0))
        #expect(middle == Point(x: 150, y: 50))
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
            "a", "highlight", "\"segments\": [{\"type\": \"free\", \"points\": \(points)}], \"color\": \"\(name)\"")
        let text = shape("b", "geo", "\"geo\": \"rectangle\", \"w\": 20, \"h\": 10, \"color\": \"black\"")
        let found = strokes(try load(drawing([mark, text])).project)
        // It shows weakly above what it marks, and strongly below.
        let marks = found.filter { $0.brush.color == RGBA8(hex: color) && $0.brush.opacity < 1 }
        #expect(marks.map { ($0.brush.opacity * 100).rounded() } == [82, 35], "\(name)")
        #expect(found.first?.brush.opacity == marks[0].brush.opacity && found.last?.brush.color != RGBA8(hex: color))
    }

    @Test func fillsAndNotesHaveTheirColors() throws {
        func shapes(_ type: String, _ props: String) throws -> [Shape] {
            all(try load(drawing([shape("s", type, props)])).project.layers).flatMap(\.shapes)
        }
        let box = "\"geo\": \"rectangle\", \"w\": 50, \"h\": 40, \"color\": \"violet\", \"fill\": "
        for (fill, color) in [
            ("solid", "#ecdcf2"), ("semi", "#fcfffe"), ("fill", "#ae3ec9"), ("lined-fill", "#be68d4"),
            ("pattern", "#bd63d3"),
        ] {
            let found = try shapes("geo", box + "\"\(fill)\"")
            #expect(found.contains { $0.fill == RGBA8(hex: color).map { .color($0) } }, "\(fill): \(found.map(\.fill))")
        }
        #expect(
            try shapes("note", "\"color\": \"light-violet\"").first?.fill == RGBA8(hex: "#dfb0f9").map { .color($0) })
        let tall = try #require(try shapes("note", "\"color\": \"blue\", \"growY\": 100, \"scale\": 2").first)
        let heights = tall.path.points.map(\.y)
        #expect((heights.max() ?? 0) - (heights.min() ?? 0) == 600)
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
        let ellipse = try #require(round.maskShapes?.first)
        #expect(ellipse == NoteOutline.ellipse.shape(in: try #require(round.contentPlacement)))
    }

    @Test func shapesAreCutAtTheEdgesOfFramesAndTheirFrames() throws {
        let outer = shape("f", "frame", "\"w\": 100, \"h\": 100, \"name\": \"Outer\"")
        let group = shape("g", "group", "", in: "f")
        let inner = shape("h", "frame", "\"w\": 400, \"h\": 20, \"name\": \"\"", in: "g", ", \"rotation\": 0.5")
        let line = shape(
            "l", "line", "\"points\": [{\"x\": -900, \"y\": 5}, {\"x\": 900, \"y\": 5}], \"dash\": \"solid\"", in: "h")
        let other = shape("z", "geo", "\"geo\": \"rectangle\", \"w\": 5, \"h\": 5")
        let reading = try load(drawing([outer, group, inner, line, other]))
        let groups = all(reading.project.layers).filter { $0.maskShapes != nil }
        // The group lies 100, 50 from the frame's corner, beyond its right edge.
        let alone = strokes(try load(drawing([other])).project).count
        #expect(groups.isEmpty && strokes(reading.project).count == alone)
        let near = group.replacing("\"x\": 100, \"y\": 50", with: "\"x\": -80, \"y\": -20")
        let project = try load(drawing([outer, near, inner, line])).project
        let masked = all(project.layers).filter { $0.maskShapes != nil }
        #expect(masked.map(\.name) == ["Outer", "Frame"])
        let turn = try #require(masked.last?.maskShapes?.first).transform
        let (sine, cosine) = sinCos(degrees: 90 / .pi)
        #expect(abs(turn.a - cosine) < 1e-9 && abs(turn.b - sine) < 1e-9)
        let ends = strokes(project).flatMap(\.points)
        let left = try #require(masked.first?.maskShapes?.first).transform.x - 50
        #expect(!ends.isEmpty && ends.allSatisfy { $0.x > left - 10 && $0.x < left + 110 })
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

    // MARK: - rnote

    private func note(_ svg: String) throws -> [UInt8] {
        func json(_ text: String) -> String {
            String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        }
        let rectangle =
            "{\"cuboid\": {\"half_extents\": [50, 150]}, \"transform\": {\"affine\": [1, 0, 0, 0, 1, 0, 100, 200, 1]}}"
        return Array(
            """
            {"version": "0.9", "data": {"engine_snapshot": {"document": {}, "stroke_components": [
             {"value": {"vectorimage": {"svg_data": \(json(svg)), "rectangle": \(rectangle)}}}]}}}
            """.utf8)
    }

    @Test func largePicturesOfANoteAreDrawnOrLeftOutByThemselves() throws {
        let paths = (0..<30_000).map { "<path d=\"M\($0 % 100) \($0 / 100)h.9v.9h-.9z\" fill=\"#c00000\"/>" }.joined()
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"300\">\(paths)</svg>"
        let note = try note(svg)
        let reading = try load(note, name: "a.rnote")
        #expect(svg.utf8.count > 1 << 20 && pictures(reading.project).count == 1 && reading.warnings.isEmpty)
        var limits = Limits()
        limits.svgBytes = 1 << 20
        let small = try load(note, name: "a.rnote", limits: limits)
        #expect(pictures(small.project).isEmpty)
        #expect(
            small.warnings.map(\.reason) == [
                "left out: a picture: the SVG is \(svg.utf8.count) bytes, the limit is 1048576 bytes "
                    + "(svgBytes in a file for --limits)"
            ])
        // The same for the pixels of other pictures.
        limits.imagePixels = 7
        let scene = try load(scene(image("")), limits: limits)
        #expect(pictures(scene.project).isEmpty && scene.warnings.count == 1)
    }
}
