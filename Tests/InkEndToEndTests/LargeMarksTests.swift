import Foundation
import InkTestSupport
import Testing

/// Projects within the limits whose marks are as large or as many as can be: they take little memory, and can be interrupted.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LargeMarksTests {
    /// How a brush is asked for the most.
    enum Demand: String, CaseIterable {
        /// Taps of each brush whose edges lie in the picture and their middles far outside.
        case wideTaps
        /// Taps that each have a brush of their own, as large as the picture.
        case ownBrushes
        /// A stroke of millions of stamps, nearly all of them outside the picture.
        case countlessStamps
        /// One stroke of the most points, in and round the picture.
        case countlessPoints

        func strokes(_ type: String, _ random: inout SeededGenerator) -> [String] {
            func stroke(_ brush: String, _ points: [String]) -> String {
                "{\"brush\": {\"type\": \"\(type)\", \"opacity\": 0.5, \(brush)}, "
                    + "\"points\": [\(points.joined(separator: ","))]}"
            }
            func anywhere(_ reach: Double) -> (x: Double, y: Double) {
                (
                    .random(in: -reach...(200 + reach), using: &random),
                    .random(in: -reach...(200 + reach), using: &random)
                )
            }
            switch self {
            case .wideTaps:
                return (0..<(type == "solid" ? 8192 : 20)).map { _ in
                    let place = anywhere(0)
                    let size = type == "solid" ? "\"lineWidth\": 1800000" : "\"scale\": 90000"
                    return stroke(size, ["[\(place.x - 900_000), \(place.y)]"])
                }
            case .ownBrushes:
                return (0..<200).map { _ in
                    let place = anywhere(0)
                    let width = Double.random(in: 20...300, using: &random)
                    let size = type == "solid" ? "\"lineWidth\": \(width)" : "\"scale\": \(width / 20)"
                    return stroke(size, ["[\(place.x), \(place.y)]"])
                }
            case .countlessStamps:
                return [stroke("\"spacing\": 3", ["[-7000000, 90.3]", "[7000000, 117.7]"])]
            case .countlessPoints:
                return [
                    stroke(
                        "\"spacing\": 5000, \"lineWidth\": 3",
                        (0..<100_000).map { _ in
                            let place = anywhere(20_000)
                            return "[\(place.x.rounded()),\(place.y.rounded())]"
                        })
                ]
            }
        }
    }

    private static let brushes = ["parallelLines", "crossHatch", "dots", "waves", "contourLines", "solid"]

    private static func project(_ strokes: [String]) -> String {
        """
        {"version": "1.1", "canvasSize": {"width": 200, "height": 200}, "layers": [
          {"strokes": [\(strokes.joined(separator: ",\n"))]}]}
        """
    }

    /// Together the strokes of all brushes are near the limit of stamps.
    @Test("the largest marks of every brush together take less than half a gigabyte", arguments: Demand.allCases)
    func memory(demand: Demand) throws {
        let folder = try EndToEndFolder()
        var random = SeededGenerator(seed: 1)
        let strokes = Self.brushes.flatMap {
            demand == .countlessStamps && $0 == "crossHatch" ? [] : demand.strokes($0, &random)
        }
        let path = try folder.file(
            "large.ink", Self.project(demand == .countlessPoints ? [strokes[5], strokes[0]] : strokes))
        let result = try InkProcess.run(
            ["export", path, "-o", folder("out"), "--size", "64x64", "--workers", "1", "--quiet"], limits: .halfGigabyte
        )
        #expect(result.code == 0, "\(result.error)")
        #expect(folder.files(in: "out").count == 1)
    }

    @Test("an export whose strokes take minutes ends at once when it is interrupted", arguments: brushes)
    func interruption(brush: String) throws {
        let folder = try EndToEndFolder()
        var random = SeededGenerator(seed: 2)
        let points = (0..<40_000).map { _ in
            "[\(Int.random(in: 0...200, using: &random)),\(Int.random(in: 0...200, using: &random))]"
        }
        let own = "{\"brush\": {\"type\": \"\(brush)\", \"spacing\": 1, \"lineWidth\": 0.5, \"opacity\": 0.5}, "
        let path = try folder.file("long.ink", Self.project([own + "\"points\": [\(points.joined(separator: ","))]}"]))
        let process = try InkProcess(["export", path, "-o", folder("out"), "--size", "8k", "--workers", "1", "--quiet"])
        let deadline = ContinuousClock.now + .seconds(240)
        while !folder.files(in: "out").contains(where: { $0.hasSuffix(".part") }) {
            try #require(process.isRunning && ContinuousClock.now < deadline)
            Thread.sleep(forTimeInterval: 0.01)
        }
        // Into the work of the first tile.
        Thread.sleep(forTimeInterval: 0.3)
        let start = ContinuousClock.now
        process.send(SIGINT)
        let result = process.wait()
        #expect(result.code == 130, "\(result.error)")
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(folder.files(in: "out").isEmpty)
    }
}
