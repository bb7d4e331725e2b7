import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// What version 1.2 adds to projects (spec section 8).
@Suite struct ProjectTreeTests {
    private static let image = base64(pngHeader(width: 30, height: 20))

    private func project(_ layers: String, _ more: String = "") -> String {
        #"{"version":"1.2","canvasSize":{"width":64,"height":48},"layers":[\#(layers)]\#(more)}"#
    }

    @Test func aTreeIsRead() throws {
        let reading = try read(
            project(
                """
                {"type":"group","name":"G","opacity":0.5,"passThrough":true,"maskImage":"\(Self.image)",
                 "maskPlacement":{"x":-5,"rotation":45},"maskOutside":0.25,
                 "layers":[{"type":"fill","color":"#11223344"},
                           {"type":"layer","clipped":true,"contentImage":"\(Self.image)",
                            "contentPlacement":{"x":1,"y":2,"width":3.5,"height":4}}]},
                {"name":"plain","strokes":[{"brush":{"type":"waves","anchor":"canvas","size":7},"points":[[1,2]]}]}
                """))
        #expect(reading.warnings.isEmpty, "\(reading.warnings)")
        let project = reading.project
        #expect(project.hasColorProfiles && !project.isInfinite && project.layers.count == 2)
        let group = project.layers[0]
        #expect(group.maskPlacement == Placement(x: -5, width: 30, height: 20, rotation: 45))
        #expect(group.maskOutside == 0.25 && group.opacity == 0.5)
        guard case .group(let children, isPassThrough: true) = group.kind, children.count == 2 else {
            Issue.record("no group: \(group.kind)")
            return
        }
        guard case .fill(.color(RGBA8(red: 0x11, green: 0x22, blue: 0x33, alpha: 0x44))) = children[0].kind else {
            Issue.record("no fill: \(children[0].kind)")
            return
        }
        #expect(children[1].contentPlacement == Placement(x: 1, y: 2, width: 3.5, height: 4))
        #expect(children[1].contentImage?.place == "layers[0].layers[1].contentImage")
        #expect(children.clippingStacks.map { [$0.base] + $0.clipped } == [[0, 1]])
        let brush = project.layers[1].strokes[0].brush
        #expect(brush.isCanvasPattern && brush.size == 7)
    }

    @Test("Strokes of a tree get their own points on the fast way, too")
    func pointsOfATree() throws {
        func layer(_ x: Int) -> String {
            let points = (0..<20).map { "[\(x),\($0)]" }.joined(separator: ",")
            return #"{"strokes":[{"points":[\#(points)]},{"points":[]},{"points":[\#(points),[0,0]]}]}"#
        }
        let text = project(
            #"\#(layer(1)),{"type":"group","layers":[\#(layer(2)),{"type":"group","layers":[\#(layer(3))]},\#(layer(4))]},\#(layer(5))"#
        )
        let bytes = Array(text.utf8)
        var parser = ProjectParser(file: "f", limits: Limits())
        var fast = try #require(try parser.readWithoutBulk(bytes[...]))
        var xs: [[Double]] = []
        fast.layers.forEachStroke { xs.append($0.points.map(\.x)) }
        #expect(xs.count == 15)
        for (index, points) in xs.enumerated() {
            let x = Double(index / 3 + 1)
            let expected: [Double] =
                switch index % 3 {
                case 0: Array(repeating: x, count: 20)
                case 1: []
                default: Array(repeating: x, count: 20) + [0]
                }
            #expect(points == expected, "stroke \(index)")
        }
    }

    @Test("Coordinates: 10 million with a canvas, 10^9 without, on both ways of reading")
    func coordinates() throws {
        func text(_ head: String, _ x: String) -> String {
            let points = (0..<40).map { "[\(x),\($0)]" }.joined(separator: ",")
            return #"{"version":"1.2",\#(head),"layers":[{"name":"infinite","strokes":[{"points":[\#(points)]}]}]}"#
        }
        let bounded = #""canvasSize":{"width":64,"height":48}"#
        let infinite = #""canvas":"infinite""#
        #expect(message(text(bounded, "1e7")) == nil)
        #expect(message(text(bounded, "1.1e7"))?.contains("layers[0].strokes[0].points[0]") == true)
        #expect(message(text(infinite, "-1e9")) == nil)
        #expect(message(text(infinite, "1.1e9"))?.contains("layers[0].strokes[0].points[0]") == true)
        let project = try read(text(infinite, "-1e9")).project
        #expect(project.isInfinite && project.layers[0].strokes[0].points[7].x == -1e9)
    }

    @Test("Depth and number of elements are bounded before anything is made of them")
    func bounds() {
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"type":"group","layers":["#, count: depth - 1)
                + #"{"strokes":[{"points":[[1,2],[3,4]]}]}"# + String(repeating: "]}", count: depth - 1)
        }
        #expect(message(project(nested(32))) == nil)
        #expect(message(project(nested(33)))?.contains("the depth of the layer tree is 33, the limit is 32") == true)
        #expect(message(project(nested(200))) != nil)
        let many = Array(repeating: #"{"type":"group","layers":[{},{},{}]}"#, count: 250).joined(separator: ",")
        #expect(message(project(many)) == nil)
        #expect(message(project(many + ",{}"))?.contains("the number of layers up to here is 1001") == true)
    }

    @Test(arguments: [
        (#"{"contentPlacement":{"x":1e300}}"#, "layers[0].contentPlacement.x: the value is 1e+300"),
        (#"{"maskPlacement":{"height":1e300}}"#, "layers[0].maskPlacement.height: the value is 1e+300"),
        (#"{"maskPlacement":{"width":-1}}"#, "layers[0].maskPlacement.width: is -1, must be above 0"),
        (#"{"type":"group","layers":[{"type":"fill"}]}"#, "layers[0].layers[0].color: is missing"),
        (
            #"{"type":"Group"}"#,
            "layers[0].type: unknown type \"Group\", must be layer, group or fill (did you mean group?)"
        ),
        (#"{"maskFile":"a.png"}"#, "layers[0].maskFile: names a file, but the project has no folder here"),
        (#"{"contentFile":"a.png","contentImage":"AAAA"}"#, "layers[0].contentFile: stands beside contentImage"),
    ])
    func faultsNameTheirPlace(layer: String, expected: String) {
        let found = message(project(layer)) ?? "read"
        #expect(found.contains(expected), "\(found)")
    }

    @Test func anElementWithNothingBelowIsDrawnUnclippedWithAWarning() throws {
        let reading = try read(project(#"{"name":"A","clipped":true},{"name":"B"},{"name":"C","clipped":true}"#))
        #expect(
            reading.warnings.map(\.description) == [
                "layers[0].clipped: there is no unclipped element below layer \"A\", it is drawn unclipped"
            ])
        #expect(reading.project.layers.clippingStacks.map { [$0.base] + $0.clipped } == [[0], [1, 2]])
    }

    @Test func imagesLieInFilesOfTheProjectsFolder() throws {
        let folder = ScratchFolder()
        folder.write("art/a.png", pngHeader(width: 5, height: 6))
        let text = project(
            #"{"contentFile":"art/a.png","maskFile":"art/./a.png"}"#, #","baseFile":"art/a.png""#)
        let path = folder.write("p.ink", text)
        let reading = try ProjectLoader.load(path: path)
        #expect(reading.project.layers[0].contentImage?.size == PixelSize(width: 5, height: 6))
        #expect(reading.project.layers[0].maskImage != nil && reading.project.baseImage != nil)
        #expect(!reading.isSelfContained)
        folder.write("art/a.png", pngHeader(width: 5, height: 7))
        #expect(try ProjectLoader.load(path: path).contentDigest != reading.contentDigest)
        for (bad, reason) in [
            ("../p.ink", "contains .."), ("/etc/passwd", "is absolute"), ("none.png", "there is no file"),
        ] {
            let other = folder.write("q.ink", project(#"{"contentFile":"\#(bad)"}"#))
            #expect {
                try ProjectLoader.load(path: other)
            } throws: {
                "\($0)".contains("layers[0].contentFile") && "\($0)".contains(reason)
            }
        }
    }
}

@Suite struct ViewMapTests {
    @Test func aWorldPointLiesWhereTheSpecificationSays() {
        let map = ViewMap(
            Viewport(
                center: Point(x: 10, y: 20), zoom: 2, rotation: 90, size: CanvasSize(width: 100, height: 50)))
        // Clockwise with y down: what lies to the right of the centre goes below it.
        #expect(map.point(Point(x: 13, y: 20)) == Point(x: 50, y: 31))
        #expect(
            map.placement(Placement(x: 8, y: 19, width: 4, height: 2))
                == Placement(x: 46, y: 23, width: 8, height: 4, rotation: 90))
        let stroke = map.stroke(
            Stroke(brush: Brush(rotation: 5, scale: 3), points: [StrokePoint(x: 10, y: 20, pressure: 0.5)]))
        #expect(stroke.brush.scale == 6 && stroke.brush.rotation == 95 && stroke.points[0].x == 50)
    }

    @Test(
        "A point at 10^9 stays exact to a hundredth of a pixel at a zoom of 1,000", arguments: 0..<50 as Range<UInt64>)
    func farAway(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let center = Point(
            x: .random(in: -1e9...1e9, using: &random).rounded(), y: .random(in: -1e9...1e9, using: &random).rounded())
        let map = ViewMap(
            Viewport(center: center, zoom: 1000, rotation: 0, size: CanvasSize(width: 2000, height: 2000)))
        let offset = Point(x: 0.25, y: -0.75)
        let mapped = map.point(Point(x: center.x + offset.x, y: center.y + offset.y))
        #expect(abs(mapped.x - 1250) < 0.01 && abs(mapped.y - 250) < 0.01, "seed \(seed): \(mapped)")
    }

    @Test(
        "What would not be drawn in an element of its kind is an error that says where it belongs",
        arguments: [
            (
                #"{"layers":[{}]}"#,
                "layers[0].layers: a layer does not draw layers; an element that has layers needs \"type\": \"group\""
            ),
            (
                #"{"type":"layer","layers":[{}]}"#,
                "layers[0].layers: a layer does not draw layers; an element that has layers needs \"type\": \"group\""
            ),
            (
                ##"{"color":"#fff"}"##,
                "layers[0].color: a layer does not draw color; an element that is a colour needs \"type\": \"fill\""
            ),
            (
                #"{"type":"group","strokes":[{}]}"#,
                "layers[0].strokes: a group does not draw strokes; put it into a layer of the group"
            ),
            (
                ##"{"type":"fill","color":"#fff","contentFile":"a.png"}"##,
                "layers[0].contentFile: a fill does not draw contentFile; put it into a layer"
            ),
            (
                ##"{"type":"group","layers":[{"type":"fill","color":"#fff","layers":[{}]}]}"##,
                "layers[0].layers[0].layers: a fill does not draw layers; an element that has layers needs \"type\": \"group\""
            ),
            (
                ##"{"type":"group","color":"#fff"}"##,
                "layers[0].color: a group does not draw color; an element that is a colour needs \"type\": \"fill\""
            ),
        ])
    func undrawn(element: String, message: String) {
        let text = #"{"version":"1.2","canvasSize":{"width":4,"height":4},"layers":[\#(element)]}"#
        #expect(throws: EngineError.self) { try read(text) }
        do { _ = try read(text) } catch { #expect("\(error)" == "test.ink: \(message)") }
    }

    @Test func emptyListsOfAnotherKindAreNoError() throws {
        let text =
            #"{"version":"1.2","canvasSize":{"width":4,"height":4},"layers":[{"layers":[]},{"type":"group","strokes":null}]}"#
        #expect(try read(text).project.layers.count == 2)
        #expect(throws: EngineError.self) {
            try read(#"{"version":"1.2","canvasSize":{"width":4,"height":4},"strokes":[{}]}"#)
        }
    }

    @Test(
        "A path in place of a picture is an error that names the right key",
        arguments: ["maskImage", "contentImage"])
    func pathForAPicture(key: String) {
        let text = #"{"version":"1.2","canvasSize":{"width":4,"height":4},"layers":[{"\#(key)":"masks/a.PNG"}]}"#
        let file = key.replacing("Image", with: "File")
        do {
            _ = try read(text)
            Issue.record("it is read")
        } catch {
            #expect(
                "\(error)".contains("layers[0].\(key): \"masks/a.PNG\" is a path") && "\(error)".contains("\"\(file)\"")
            )
        }
    }
}
