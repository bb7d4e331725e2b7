import Foundation
import InkEngine
import InkTestSupport
import Testing

/// The limits of spec section 1: a project just within is exported, one just beyond is refused.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LimitTests {
    struct Case: Sendable, CustomTestStringConvertible {
        /// The key of the limits file.
        var limit: String
        /// Just enough.
        var value: Int
        var within: String
        var beyond: String
        var sizes = ["1x", "1x"]
        /// What the error says of the place.
        var place: String

        var testDescription: String { limit }
    }

    private static func project(_ width: Int = 20, _ height: Int = 20, _ layers: [String] = []) -> String {
        """
        {"version": "1.1", "canvasSize": {"width": \(width), "height": \(height)}, \
        "layers": [\(layers.joined(separator: ", "))]}
        """
    }

    /// A layer of strokes with so many points each.
    private static func layer(_ strokes: Int..., step: Double = 1) -> String {
        let list = strokes.map { count in
            let points = (0..<count).map { "[\(step * Double($0)), 3]" }.joined(separator: ", ")
            return "{\"brush\": {\"spacing\": 10}, \"points\": [\(points)]}"
        }
        return "{\"strokes\": [\(list.joined(separator: ", "))]}"
    }

    private static func base(_ png: [UInt8]) -> String {
        """
        {"version": "1.1", "canvasSize": {"width": 20, "height": 20}, \
        "baseImage": "\(Data(png).base64EncodedString())"}
        """
    }

    private static func gray(_ width: Int, _ height: Int) -> [UInt8] {
        MinimalPNGWriter.png(
            gray: [UInt8](repeating: 9, count: width * height), size: PixelSize(width: width, height: height))
    }

    private static let cases: [Case] = [
        Case(limit: "edgePixels", value: 100, within: project(100, 7), beyond: project(101, 7), place: "canvasSize"),
        Case(
            limit: "edgePixels", value: 100, within: project(20, 3), beyond: project(20, 3), sizes: ["5x", "101x101"],
            place: ""),
        Case(limit: "outputPixels", value: 10_000, within: project(100, 100), beyond: project(100, 101), place: ""),
        Case(limit: "imagePixels", value: 64, within: base(gray(8, 8)), beyond: base(gray(5, 13)), place: "baseImage"),
        Case(
            limit: "layers", value: 2, within: project(9, 9, ["{}", "{}"]), beyond: project(9, 9, ["{}", "{}", "{}"]),
            place: "layers"),
        Case(
            limit: "strokes", value: 3, within: project(9, 9, [layer(1, 1), layer(1)]),
            beyond: project(9, 9, [layer(1, 1), layer(1, 1)]), place: "layers[1]"),
        Case(
            limit: "pointsPerStroke", value: 3, within: project(9, 9, [layer(3, 3)]),
            beyond: project(9, 9, [layer(3, 4)]), place: "layers[0].strokes[1]"),
        Case(
            limit: "points", value: 5, within: project(9, 9, [layer(3, 2)]), beyond: project(9, 9, [layer(3, 3)]),
            place: "layers[0].strokes[1]"),
        // 50 pixels at 10 apart are six stamps, 60 are seven.
        Case(
            limit: "stamps", value: 6, within: project(60, 9, [layer(2, step: 50)]),
            beyond: project(60, 9, [layer(2, step: 60)]), place: "layers[0].strokes[0]"),
        Case(
            limit: "coordinate", value: 50, within: project(60, 9, [layer(2, step: 50)]),
            beyond: project(60, 9, [layer(2, step: 50.5)]), place: "layers[0].strokes[0].points[1]"),
        Case(
            limit: "jsonDepth", value: 7, within: project(9, 9, [layer(1)]),
            beyond: project(9, 9, ["{\"strokes\": [{\"points\": [[[1], 2]]}]}"]), place: "layers[0].strokes[0]"),
    ]

    @Test(arguments: cases)
    func aLoweredLimitHolds(_ example: Case) throws {
        let folder = try EndToEndFolder()
        let limits = try folder.file("limits.json", "{\"\(example.limit)\": \(example.value)}")
        for (index, text) in [example.within, example.beyond].enumerated() {
            let path = try folder.file("p\(index).ink", text)
            let result = try InkProcess.run(
                ["export", path, "-o", folder("out"), "--size", example.sizes[index], "--limits", limits, "--quiet"])
            try check(result, isWithin: index == 0, path, example.place, folder)
        }
    }

    @Test func interlacedImagesHaveALimitOfTheirOwn() throws {
        let folder = try EndToEndFolder()
        let path = try folder.file("p.ink", Self.base(EndToEndData.bytes("png/s03i3p01.png")))
        for (limit, isWithin) in [(9, true), (8, false)] {
            let limits = try folder.file("limits.json", "{\"interlacedImagePixels\": \(limit)}")
            let result = try InkProcess.run(
                ["export", path, "-o", folder("out\(limit)"), "--size", "1x", "--limits", limits, "--quiet"])
            #expect(result.code == (isWithin ? 0 : 65), "\(result.error)")
            #expect(folder.files(in: "out\(limit)").count == (isWithin ? 1 : 0))
        }
    }

    @Test func theFileHasALimit() throws {
        let folder = try EndToEndFolder()
        let path = try folder.file("p.ink", GoodProject.small)
        for (extra, isWithin) in [(0, true), (-1, false)] {
            let byteCount = GoodProject.small.utf8.count + extra
            let limits = try folder.file("limits.json", "{\"fileBytes\": \(byteCount)}")
            for input in [path, "-"] {
                let result = try InkProcess.run(
                    ["export", input, "-o", folder("out\(extra)"), "--size", "1x", "--limits", limits, "--quiet"],
                    input: input == "-" ? GoodProject.small : nil)
                #expect(result.code == (isWithin ? 0 : 65), "\(result.error)")
                if !isWithin { #expect(result.error.contains("the limit is \(byteCount) bytes"), "\(result.error)") }
            }
            #expect(folder.files(in: "out\(extra)").count == (isWithin ? 2 : 0))
        }
    }

    /// Without a limits file, where reaching the limit is cheap.
    private static let defaults: [(within: String, beyond: String, sizes: [String])] = [
        (project(65_536, 1), project(65_537, 1), ["0.01x", "0.01x"]),
        (project(4, 1), project(4, 1), ["65536x16384", "65537x16385"]),
        (project(9, 9, Array(repeating: "{}", count: 1000)), project(9, 9, Array(repeating: "{}", count: 1001)), []),
        (project(9, 9, [layer(2, step: 1e7)]), project(9, 9, [layer(2, step: 1e7 + 1)]), []),
        (project(9, 9, [layer(100_000, step: 0.001)]), project(9, 9, [layer(100_001, step: 0.001)]), []),
    ]

    @Test(arguments: defaults.indices)
    func theDefaultsAreThoseOfTheSpecification(_ index: Int) throws {
        let folder = try EndToEndFolder()
        let example = Self.defaults[index]
        for (which, text) in [example.within, example.beyond].enumerated() {
            let path = try folder.file("p\(which).ink", text)
            let size = example.sizes.isEmpty ? "1x" : example.sizes[which]
            // A stroke as long as the coordinates allow has a stamp every 10 pixels: a million, in one place.
            let result = try InkProcess.run(
                ["export", path, "-o", folder("out"), "--size", size, "--quiet", "--dry-run"], limits: .halfGigabyte)
            #expect(result.code == (which == 0 ? 0 : 65), "\(result.error)")
            if which == 1 { #expect(result.error.hasPrefix("ink: error: \(path): ") && result.error.contains("limit")) }
        }
    }

    private func check(
        _ result: InkProcess.Result, isWithin: Bool, _ path: String, _ place: String, _ folder: EndToEndFolder
    ) throws {
        if isWithin {
            #expect(result.code == 0, "\(result.error)")
            #expect(folder.files(in: "out").count == 1)
        } else {
            #expect(result.code == 65)
            #expect(result.error.hasPrefix("ink: error: \(path): \(place)"), "\(result.error)")
            #expect(result.error.contains("the limit is"), "\(result.error)")
            #expect(result.error.count { $0 == "\n" } == 1)
            #expect(folder.files(in: "out").count == 1)
        }
    }
}
