import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct ProjectReaderTests {
    @Test func everyKeyOfTheFormatIsRead() throws {
        let mask = pngHeader(width: 64, height: 48)
        let content = pngHeader(width: 32, height: 32, colorType: 6, interlace: 1)
        let reading = try read(
            """
            {"version":"1.1","id":"p1","name":"Näme","createdAt":"2025-11-10T09:00:00Z","modifiedAt":"2025-11-11",
             "canvasSize":{"width":2048.0,"height":1024},"background":"#11223380",
             "baseImage":"data:image/png;base64,\(base64(content))",
             "metadata":{"author":"A","license":"CC0","tags":["x"]},
             "layers":[{"id":"l1","name":"Sky","order":2.5,"maskImage":"\(base64(mask))","contentImage":null,
               "opacity":0.5,"blendMode":"color-dodge","isVisible":false,"isLocked":"whatever",
               "suggestedPattern":{"type":"waves","rotation":30,"spacing":4,"color":"#0af"},
               "strokes":[{"brush":{"type":"dots","rotation":-45,"spacing":7,"opacity":0.25,"scale":2,"lineWidth":3,
                 "color":"#667EEA","dynamics":{"pressureAffectsOpacity":false,"pressureAffectsSize":true,
                 "tiltAffectsRotation":true}},"mode":"erase","points":[[1,2,0.5,100,45,270]]}]}]}
            """)
        #expect(reading.warnings.isEmpty)
        let project = reading.project
        #expect(project.id == "p1" && project.name == "Näme")
        #expect(project.createdAt == "2025-11-10T09:00:00Z" && project.modifiedAt == "2025-11-11")
        #expect(project.canvasSize == CanvasSize(width: 2048, height: 1024))
        #expect(project.background == RGBA8(red: 0x11, green: 0x22, blue: 0x33, alpha: 0x80))
        #expect(project.metadata == ProjectMetadata(author: "A", license: "CC0"))
        #expect(project.baseImage?.bytes == content)
        #expect(project.baseImage?.header.isHeldWhole == true)
        #expect(project.baseImage?.place == "baseImage")
        let layer = try #require(project.layers.first)
        #expect(layer.id == "l1" && layer.name == "Sky" && layer.order == 2.5 && layer.opacity == 0.5)
        #expect(layer.blendMode == .colorDodge && !layer.isVisible)
        #expect(layer.maskImage?.bytes == mask && layer.maskImage?.size == PixelSize(width: 64, height: 48))
        #expect(layer.maskImage?.place == "layers[0].maskImage" && layer.contentImage == nil)
        #expect(
            layer.suggestedPattern
                == SuggestedPattern(
                    type: .waves, rotation: 30, spacing: 4, color: RGBA8(red: 0, green: 0xAA, blue: 0xFF)))
        let brush = Brush(
            type: .dots, rotation: -45, spacing: 7, opacity: 0.25, scale: 2, lineWidth: 3,
            color: RGBA8(red: 0x66, green: 0x7E, blue: 0xEA),
            dynamics: BrushDynamics(
                pressureAffectsOpacity: false, pressureAffectsSize: true, tiltAffectsRotation: true))
        let point = StrokePoint(x: 1, y: 2, pressure: 0.5, timestamp: 100, altitude: 45, azimuth: 270)
        #expect(layer.strokes == [Stroke(brush: brush, mode: .erase, points: [point])])
    }

    @Test(arguments: [
        #"{"version":"1.0","canvasSize":{"width":1,"height":1},"layers":[{"strokes":[{"points":[[1,2]]}]}]}"#,
        #"""
        {"version":"1.1","canvasSize":{"width":1,"height":1},"background":null,"baseImage":null,"metadata":null,
         "layers":[{"id":null,"order":null,"opacity":null,"blendMode":null,"isVisible":null,"maskImage":null,
         "suggestedPattern":null,"strokes":[{"brush":{"type":null,"color":null,"dynamics":{"pressureAffectsOpacity":null}},
         "mode":null,"points":[[1,2,null,null,null,null]]}]}]}
        """#,
    ])
    func whatIsAbsentOrNullHasTheDefault(text: String) throws {
        let project = try read(text).project
        #expect(project.background == .white && project.baseImage == nil && project.metadata == ProjectMetadata())
        let layer = try #require(project.layers.first)
        #expect(layer.order == 0 && layer.opacity == 1 && layer.blendMode == .normal && layer.isVisible)
        #expect(layer.maskImage == nil && layer.suggestedPattern == nil)
        #expect(layer.strokes == [Stroke(points: [StrokePoint(x: 1, y: 2)])])
        #expect(layer.strokes[0].brush == Brush() && layer.strokes[0].brush.spacing == 6)
    }

    @Test(arguments: [
        ("[1,2]", StrokePoint(x: 1, y: 2)),
        ("[-1.5,2e2,0.25]", StrokePoint(x: -1.5, y: 200, pressure: 0.25)),
        ("[1,2,0,7]", StrokePoint(x: 1, y: 2, pressure: 0, timestamp: 7)),
        ("[1,2,1,7,30]", StrokePoint(x: 1, y: 2, timestamp: 7, altitude: 30)),
        (#"{"x":1,"y":2}"#, StrokePoint(x: 1, y: 2)),
        (
            #"{"azimuth":9,"y":2,"x":1,"pressure":0.5,"timestamp":3,"altitude":80,"new":[1]}"#,
            StrokePoint(x: 1, y: 2, pressure: 0.5, timestamp: 3, altitude: 80, azimuth: 9)
        ),
        (#"{"position":{"x":1,"y":2},"pressure":0.5}"#, StrokePoint(x: 1, y: 2, pressure: 0.5)),
        (#"{"position":{"x":1,"y":2},"x":5}"#, StrokePoint(x: 5, y: 2)),
        (#"{"x":1,"y":2,"x":3,"pressure":null}"#, StrokePoint(x: 3, y: 2)),
    ])
    func aPointIsAnArrayOrAnObject(text: String, expected: StrokePoint) throws {
        let points = try read(project(points: "[\(text)]")).project.layers[0].strokes[0].points
        #expect(points == [expected])
    }

    @Test func aStrokeWithoutPointsStays() throws {
        for stroke in [#"{"points":[]}"#, #"{"points":null}"#, "{}"] {
            let text = #"{"version":"1.1","canvasSize":{"width":1,"height":1},"layers":[{"strokes":[\#(stroke)]}]}"#
            #expect(try read(text).project.layers[0].strokes == [Stroke(points: [])])
        }
    }

    @Test func theLastOfRepeatedKeysCountsAndUnknownOnesDoNot() throws {
        let project = try read(
            #"""
            {"version":"9","canvasSize":5,"version":"1.7","future":{"layers":[{"opacity":7}]},"canvasSize":{"width":3,"height":4},
             "layers":[{"opacity":9,"opacity":0.5,"blendMode":"screen","blendMode":null,"kind":"group"}],"bits":123456789012345678901234567890}
            """#
        ).project
        #expect(project.canvasSize == CanvasSize(width: 3, height: 4))
        #expect(project.layers[0].opacity == 0.5 && project.layers[0].blendMode == .normal)
    }

    @Test(arguments: [
        (#""1.0""#, true), (#""1.1""#, true), (#""1.27""#, true), (#""1""#, true), ("1.1", true), ("1", true),
        (#""2.0""#, false), (#""11.0""#, false), (#""1.x""#, false), (#""""#, false), (#""1.""#, false), ("2", false),
        ("true", false), (#""one""#, false),
    ])
    func everyVersionOneIsRead(version: String, isRead: Bool) {
        let text = #"{"version":\#(version),"canvasSize":{"width":1,"height":1}}"#
        #expect((message(text) == nil) == isRead)
    }

    @Test func aMissingVersionIsReadWithAWarning() throws {
        let reading = try read(#"{"canvasSize":{"width":1,"height":1}}"#)
        #expect(reading.warnings.map(\.description) == ["version: is missing, read as 1.0"])
    }

    @Test("A name that was cut inside a character is read with a warning")
    func cutName() throws {
        let text = #"{"version":"1.1","name":"Sea\ud83d","canvasSize":{"width":1,"height":1}}"#
        let reading = try read(text)
        #expect(reading.project.name == "Sea\u{FFFD}")
        #expect(
            reading.warnings.map(\.description) == [
                "name: half of a surrogate pair stands alone (line 1, column 29, byte 28), read as U+FFFD"
            ])
    }

    @Test func descriptionsOfTheWrongTypeAreLeftOut() throws {
        let reading = try read(
            #"{"version":"1.0","canvasSize":{"width":1,"height":1},"createdAt":7,"metadata":{"author":[],"license":"L"}}"#
        )
        #expect(reading.project.createdAt == nil)
        #expect(reading.project.metadata == ProjectMetadata(author: nil, license: "L"))
        #expect(
            reading.warnings.map(\.description) == [
                "createdAt: must be a string, is a number, left out",
                "metadata.author: must be a string, is an array, left out",
            ])
    }

    @Test(arguments: [
        "[]", "3", #""text""#,
    ])
    func onlyAnObjectIsAProject(text: String) {
        #expect(message(text)?.hasPrefix("test.ink: must be an object, is ") == true)
    }

    @Test(arguments: [
        (#"{"version":"1.1"}"#, "canvasSize: is missing: this is not an Ink project"),
        (#"{"version":"3.0"}"#, #"version: "3.0" is not supported, this program reads versions 1.x"#),
        (
            #"{"version":"1.1","canvasSize":{"width":0,"height":4}}"#,
            "canvasSize.width: is 0, must be a whole number of pixels, at least 1"
        ),
        (
            #"{"version":"1.1","canvasSize":{"width":4,"height":4.5}}"#,
            "canvasSize.height: is 4.5, must be a whole number of pixels, at least 1"
        ),
        (
            #"{"version":"1.1","canvasSize":{"width":4,"height":65537}}"#,
            "canvasSize.height: the canvas edge is 65537 pixels, the limit is 65536 pixels"
        ),
        (#"{"version":"1.1","canvasSize":{"width":4}}"#, "canvasSize.height: is missing"),
        (#"{"version":"1.1","canvasSize":[4,4]}"#, "canvasSize: must be an object, is an array"),
        (
            #"{"version":"1.1","canvasSize":{"width":1,"height":1},"background":"red"}"#,
            #"background: "red" is not #rgb, #rrggbb, #rrggbbaa or transparent"#
        ),
        (
            #"{"version":"1.1","canvasSize":{"width":1,"height":1},"layers":{}}"#,
            "layers: must be an array, is an object"
        ),
        (
            #"{"version":"1.1","canvasSize":{"width":1,"height":1},"layers":[{},7]}"#,
            "layers[1]: must be an object, is a number"
        ),
        (
            #"{"version":"1.1","canvasSize":{"width":1,"height":1},"baseImage":"data:image/bmp;base64,AAAA"}"#,
            #"baseImage: "data:image/bmp;base64,AAAA" is not a data URL of the form data:image/png;base64,..., "#
                + "or of PNG, JPEG, WebP, GIF, TIFF, HEIF, AVIF or SVG"
        ),
        (
            #"{"version":"1.1","canvasSize":{"width":1,"height":1},"baseImage":"AA*A"}"#,
            "baseImage: character 2 is not base64"
        ),
        (
            #"{"version":"1.1","canvasSize":{"width":1,"height":1},"baseImage":""}"#,
            "baseImage: the image is empty"
        ),
        (
            #"{"version":"1.1","canvasSize":{"width":1,"height":1},"baseImage":"AAAA"}"#,
            "baseImage: the image is not a PNG, JPEG, WebP, GIF, TIFF, HEIF, AVIF or SVG"
        ),
        (project(layer: #""opacity":1.5"#), "layers[0].opacity: is 1.5, must be from 0 to 1"),
        (project(layer: #""order":"first""#), "layers[0].order: must be a number, is a string"),
        (project(layer: #""isVisible":1"#), "layers[0].isVisible: must be true or false, is a number"),
        (
            project(layer: #""blendMode":"dissolve""#),
            #"layers[0].blendMode: unknown blend mode "dissolve" in layer "Sky""#
        ),
        (
            project(layer: #""suggestedPattern":{"type":"plaid"}"#),
            #"layers[0].suggestedPattern.type: unknown brush type "plaid" in layer "Sky""#
        ),
        (
            project(stroke: #""brush":{"type":"spray"}"#),
            #"layers[0].strokes[0].brush.type: unknown brush type "spray" in layer "Sky""#
        ),
        (
            project(stroke: #""brush":{"preset":"p9"}"#),
            #"layers[0].strokes[0].brush.preset: there is no brush preset "p9" (in layer "Sky")"#
        ),
        (
            project(stroke: #""brush":{"preset":"hatching"}"#),
            #"layers[0].strokes[0].brush.preset: there is no brush preset "hatching" (in layer "Sky"); it is one of ink's own, which a project takes along as files: mkdir -p brushes && ink preset show hatching > brushes/hatching.json"#
        ),
        (project(stroke: #""brush":{"spacing":0}"#), "layers[0].strokes[0].brush.spacing: is 0, must be above 0"),
        (project(stroke: #""brush":{"scale":-1}"#), "layers[0].strokes[0].brush.scale: is -1, must be above 0"),
        (
            project(stroke: #""brush":{"lineWidth":2e7}"#),
            "layers[0].strokes[0].brush.lineWidth: the value is 20000000, the limit is 10000000"
        ),
        (
            project(stroke: #""brush":{"opacity":-0.1}"#),
            "layers[0].strokes[0].brush.opacity: is -0.1, must be from 0 to 1"
        ),
        (
            project(stroke: ##""brush":{"color":"#11223344"}"##),
            ##"layers[0].strokes[0].brush.color: "#11223344" is not a colour of the form #rgb or #rrggbb"##
        ),
        (
            project(stroke: #""brush":{"dynamics":{"pressureAffectsSize":"yes"}}"#),
            "layers[0].strokes[0].brush.dynamics.pressureAffectsSize: must be true or false, is a string"
        ),
        (
            project(stroke: #""mode":"smudge""#),
            #"layers[0].strokes[0].mode: unknown mode "smudge" in layer "Sky", must be paint or erase"#
        ),
        (
            project(points: "[[1,2],[1,2,1.5]]"),
            "layers[0].strokes[0].points[1]: pressure is 1.5, must be from 0 to 1"
        ),
        (project(points: "[[1]]"), "layers[0].strokes[0].points[0]: has 1 numbers, must have 2 to 6"),
        (project(points: "[[1,2,1,0,90,0,5]]"), "layers[0].strokes[0].points[0]: has 7 numbers, must have 2 to 6"),
        (
            project(points: #"[[1,"2"]]"#),
            "layers[0].strokes[0].points[0]: element 1 must be a number, is a string"
        ),
        (project(points: "[[1,null]]"), "layers[0].strokes[0].points[0]: element 1 must be a number, is null"),
        (project(points: "[7]"), "layers[0].strokes[0].points[0]: must be an array or an object, is a number"),
        (project(points: #"[{"x":1}]"#), "layers[0].strokes[0].points[0]: y is missing"),
        (
            project(points: #"[{"x":1,"y":2,"pressure":"hard"}]"#),
            "layers[0].strokes[0].points[0]: pressure must be a number, is a string"
        ),
        (
            project(points: "[[1,2],[10000001,2]]"),
            "layers[0].strokes[0].points[1]: x is 10000001 pixels, the limit is 10000000 pixels"
        ),
        (
            project(points: "[[1,-1e300]]"),
            "layers[0].strokes[0].points[0]: y is -1e+300 pixels, the limit is 10000000 pixels"
        ),
        (
            project(points: "[[1,1e999]]"),
            "layers[0].strokes[0].points[0][1]: a number is too large to be read, it must be finite (line 1, column 105, byte 104)"
        ),
    ])
    func aBadProjectIsRefusedInWordsThatNameThePlace(text: String, expected: String) {
        #expect(message(text) == "test.ink: " + expected)
    }

    @Test func limitsAreChecked() {
        func check(_ text: String, _ expected: String, _ change: (inout Limits) -> Void) {
            var limits = Limits()
            change(&limits)
            #expect(message(text, limits: limits) == "test.ink: " + expected)
        }
        let layers = #"{"version":"1.1","canvasSize":{"width":1,"height":1},"layers":[{},{},{}]}"#
        check(layers, "layers: the number of layers is 3, the limit is 2") { $0.layers = 2 }
        check(layers, "the file is 73 bytes, the limit is 72 bytes") { $0.fileBytes = 72 }
        check(layers, "the number of JSON values is up to 17, the limit is 12") { $0.jsonValues = 12 }
        let strokes = #"{"canvasSize":{"width":1,"height":1},"layers":[{"strokes":[{}]},{"strokes":[{},{}]}]}"#
        check(strokes, "layers[1].strokes: the number of strokes up to here is 3, the limit is 2") { $0.strokes = 2 }
        let points = project(points: "[[1,2],[3,4],[5,6]]")
        check(points, "layers[0].strokes[0].points: the number of points of the stroke is 3, the limit is 2") {
            $0.pointsPerStroke = 2
        }
        check(points, "layers[0].strokes[0].points: the number of points up to here is 3, the limit is 2") {
            $0.points = 2
        }
        let image = #"{"canvasSize":{"width":1,"height":1},"baseImage":"\#(base64(pngHeader(width: 11, height: 10)))"}"#
        check(image, "baseImage: the image is 11x10 = 110 pixels, the limit is 100 pixels") { $0.imagePixels = 100 }
        let interlaced = base64(pngHeader(width: 11, height: 10, interlace: 1))
        check(
            #"{"canvasSize":{"width":1,"height":1},"baseImage":"\#(interlaced)"}"#,
            "baseImage: the image, which has to be held whole, is 11x10 = 110 pixels, the limit is 50 pixels"
        ) { $0.interlacedImagePixels = 50 }
    }

    @Test func theDigestTellsContentsApart() throws {
        let a = try read(project()).contentDigest
        #expect(a.count == 32)
        #expect(try read(project()).contentDigest == a)
        #expect(try read(project() + " ").contentDigest != a)
    }
}
