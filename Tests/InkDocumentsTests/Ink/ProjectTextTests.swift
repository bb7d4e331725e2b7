import Foundation
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// Reading without a document of the points and images has to give what reading everything gives.
@Suite struct ProjectTextTests {
    private enum Outcome: Equatable {
        /// Written out, which tells every value from every other.
        case project(String, warnings: [String])
        case failure(String)
    }

    private func readFast(_ text: [UInt8], limits: Limits) -> Outcome {
        do throws(EngineError) {
            let reading = try ProjectReader.read(
                text, file: "test.ink", limits: limits)
            return .project("\(reading.project)", warnings: reading.warnings.map(\.description))
        } catch {
            return .failure(error.description)
        }
    }

    private func readWhole(_ text: [UInt8], limits: Limits) -> Outcome {
        do throws(EngineError) {
            try InputKind.requireProjectText(text, file: "test.ink")
            let document = try JSONDocument(text, file: "test.ink", limits: limits)
            var parser = ProjectParser(file: "test.ink", limits: limits)
            let project = try parser.readProject(try JSONObject(document.root, path: .root, file: "test.ink"))
            withExtendedLifetime(document) {}
            return .project("\(project)", warnings: parser.warnings.all.map(\.description))
        } catch {
            return .failure(error.description)
        }
    }

    private func isReadWithoutBulk(_ text: String, limits: Limits = Limits()) -> Bool {
        var parser = ProjectParser(file: "test.ink", limits: limits)
        return (try? parser.readWithoutBulk(Array(text.utf8)[...])) != nil
    }

    private static let image = base64(pngHeader(width: 64, height: 48))

    private static let sample =
        "{\"version\":\"1.1\",\"canvasSize\":{\"width\":64,\"height\":48},\"baseImage\":\"data:image/png;base64,\(image)\","
        + "\"metadata\":{\"author\":\"a \\\"points\\\":[[1,2]] b\"},\"layers\":[{\"name\":\"Sky\",\"maskImage\":\"\(image)\","
        + "\"strokes\":[{\"points\":[[1,2],[3.25,-0.0,0.5],[-0,1e2,1,null,45,90.125]]},"
        + "{\"points\":[ [ 1234567890123456789 , 0.1234567890123456789 , 1 ] , [2,2]\n]},{\"points\":[]}]}]}"

    /// One of the sample's numbers is beyond the default limit of coordinates.
    private static var limits: Limits {
        var limits = Limits()
        limits.coordinate = 1e30
        return limits
    }

    @Test func anOrdinaryProjectIsReadWithoutItsBulk() throws {
        let text = Array(Self.sample.utf8)
        let limits = Self.limits
        #expect(isReadWithoutBulk(Self.sample, limits: limits))
        let fast = readFast(text, limits: limits)
        #expect(fast == readWhole(text, limits: limits))
        let project = try read(Self.sample, limits: limits).project
        let points = project.layers[0].strokes[0].points
        #expect(points[1].y.sign == .minus && points[2].x.sign == .plus && points[2].timestamp == 0)
        #expect(project.layers[0].strokes[1].points[0].x == 1234567890123456768)
        #expect(project.layers[0].maskImage?.size == PixelSize(width: 64, height: 48))
    }

    @Test(arguments: [
        // Objects as points, points that are none, values under escaped names.
        #"[{"x":1,"y":2}]"#, "[[1,2],[3]]", "[[1,2,3,4,5,6,7]]", "[[0,0,0,0,0,0,0]]", #"[["a",2]]"#, "[[1,[2]]]", "[1]",
        "[[1,2],]", "[[1,2]", "[[01,2]]", "[[1.,2]]", "[[.5,2]]", "[[+1,2]]", "[[1e999,2]]", "[[1,null]]",
        "[[1,2,nul]]",
        "[[1,2 3]]", "[[1e9,2]]", "[[1,2,1.5]]", "[[1,2]]]", "[[1,2]]}", "[[-,2]]", "[[1,2]][[3,4]]",
        "[[12345678901234567890,2]]", "[[1,2]\u{0}]",
    ])
    func unusualPointsAreReadWithTheWholeText(points: String) {
        let text = project(points: points)
        #expect(!isReadWithoutBulk(text), "\(points)")
        #expect(readFast(Array(text.utf8), limits: Limits()) == readWhole(Array(text.utf8), limits: Limits()))
    }

    @Test(arguments: [
        #""maskImage":"a\nb""#, "\"maskImage\":\"\(image.prefix(8))\n\(image.dropFirst(8))\"", #""maskImage":"%%%%""#,
        #""maskImage":"\u00010""#, #""maskImage":"","maskImage":"AAAA""#, #""other":{"maskImage":"\u{7f}"}"#,
        #""other":{"points":[[x]]}"#,
    ])
    func unusualImagesAreReadWithTheWholeText(keys: String) {
        let text = project(layer: keys)
        #expect(!isReadWithoutBulk(text), "\(keys)")
        #expect(readFast(Array(text.utf8), limits: Limits()) == readWhole(Array(text.utf8), limits: Limits()))
    }

    @Test(arguments: 0..<40)
    func aDamagedTextGivesTheSameEitherWay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("\"[]{},:0123456789.-+eEnul\\ \n\u{1}\u{e9}points".utf8)
        let original = Array(Self.sample.utf8)
        for round in 0..<100 {
            var text = original
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let place = Int.random(in: text.indices, using: &random)
                let byte = alphabet.randomElement(using: &random)!
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[place] = byte
                case 1: text.insert(byte, at: place)
                default: text.remove(at: place)
                }
            }
            let shown = String(decoding: text, as: UTF8.self)
            let (fast, whole) = (readFast(text, limits: Self.limits), readWhole(text, limits: Self.limits))
            // Of two faults the one that is over a limit is told without a look at the other.
            if case .failure(let fault) = fast, case .failure = whole, fault.contains("the limit is") { continue }
            #expect(fast == whole, "seed \(seed), round \(round): \(shown)")
        }
    }

    /// So many points that other threads read them while the rest is read.
    private static let many: String = {
        let stroke = "{\"points\":[" + (0..<500).map { "[\($0 % 60),\($0 % 47).5,0.5]" }.joined(separator: ",") + "]}"
        let strokes = Array(repeating: stroke, count: 40).joined(separator: ",")
        return
            "{\"version\":\"1.1\",\"canvasSize\":{\"width\":64,\"height\":48},\"layers\":[{\"strokes\":[\(strokes)]}]}"
    }()

    @Test(arguments: [
        ("", "", true), ("[7,7.5,0.5]", "[7,,0.5]", false), ("[7,7.5,0.5]", "[7,7.5,2]", false),
        ("]}]}]}", "]}]}]", false),
        ("\"version\"", "\"versions\"", true), ("64", "x", false),
        // Many points that nobody asks for, and what only looks like them.
        (
            "\"version\"", "\"x\":{\"points\":[" + String(repeating: "[1,2],", count: 9999) + "[1,2]]},\"version\"",
            false
        ),
        ("\"version\"", "\"x\":{\"points\":[" + String(repeating: "[]x]", count: 9999) + "]},\"version\"", false),
    ])
    func manyPointsAreReadAhead(of part: String, becoming other: String, isOrdinary: Bool) throws {
        var text = Self.many
        if !part.isEmpty {
            let range = try #require(text.range(of: part, options: .backwards))
            text.replaceSubrange(range, with: other)
        }
        #expect(isReadWithoutBulk(text) == isOrdinary)
        #expect(readFast(Array(text.utf8), limits: Limits()) == readWhole(Array(text.utf8), limits: Limits()))
    }

    @Test func limitsOfManyPointsAreKept() {
        let text = Array(Self.many.utf8)
        for (points, perStroke) in [(19_999, 500), (20_000, 499), (20_000, 500)] {
            var limits = Limits()
            limits.points = points
            limits.pointsPerStroke = perStroke
            #expect(
                readFast(text, limits: limits) == readWhole(text, limits: limits), "\(points), \(perStroke) a stroke")
        }
    }

    /// What has the form of a stand-in, under keys and in strings that only unescaping makes such.
    @Test(arguments: [
        ##"{"p\u006fints": [[0,0,0,0,0,0,0]]}"##, ##"{"\u0070oint\u0073": [[0,0,0,0,0,0,0]]}"##,
        ##"{"points": [[1,2]]}], "m\u0061skImage": "\u00010", "x": [0"##,
        ##"{"points": [[1,2]]}], "maskI\u006Dage": "\u00011", "x": [0"##,
        ##"{"points": [[1,2]], "brush": {"type": "\u00010"}}"##,
    ])
    func nothingElsePassesForWhatWasLeftOut(stroke: String) {
        let start = ##"{"version": "1.1", "canvasSize": {"width": 64, "height": 48}, "layers": [{"maskImage": ""##
        let strokes = ##"", "strokes": [{"points": [[1,2],[3,4]]},"##
        let text = Array((start + Self.image + strokes + stroke + "]}]}").utf8)
        #expect(readFast(text, limits: Self.limits) == readWhole(text, limits: Self.limits))
    }

    @Test func limitsAreKept() {
        var limits = Self.limits
        limits.points = 4
        let text = Array(Self.sample.utf8)
        #expect(readFast(text, limits: limits) == readWhole(text, limits: limits))
        limits = Self.limits
        limits.pointsPerStroke = 2
        #expect(readFast(text, limits: limits) == readWhole(text, limits: limits))
        for depth in 5...9 {
            limits = Self.limits
            limits.jsonDepth = depth
            #expect(readFast(text, limits: limits) == readWhole(text, limits: limits), "depth \(depth)")
        }
    }
}
