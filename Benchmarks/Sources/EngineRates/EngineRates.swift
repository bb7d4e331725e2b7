import BenchmarkScenes
import Foundation
import InkEngine

/// How fast the engine is in one thread, part by part.
///
///     swift run -c release --package-path Benchmarks EngineRates [--scenes S,M,L] [--runs 5] [--seconds 5]
///         [--only NAME,FOLDER/,...]
///
/// Writes a line for each run of each measurement: its name, unit and value. Times are processor time. The last of the scenes gives the strokes of
/// the brushes, the layers to composite, the pictures to encode and the file to read. Each measurement is done once
/// unmeasured, then at least twice and until it has been done as often, or for as long, as asked. One that takes more
/// than four seconds is done once, and with `--runs 1` all are.
///
/// - `strokes/L/2k`: a scene's strokes on its layers; ms. Strokes are prepared beforehand: `prepare/L`.
/// - `stamp/dots`, `stamp/dots-sized`: a stamp (a stroke, where solid or `dots-canvas`); us. `stamp-transparent/dots`: on a transparent
///   background, where the colour of the faintest ink shows and marks are drawn with more care.
/// - `contour/even`, `contour/pressed`, `contour/dense-even`, `contour/dense-pressed`: contour lines of one alpha and of changing
///   ones, with stations far apart and close, by stations; us.
/// - `canvas/narrow`, `canvas/usual`, `canvas/wide`, `canvas/close`: lines that lie still on the canvas, by strokes; us.
/// - `composite/stack`: the scene's layers, with masks, to a finished picture; ms. `composite/multiply`: a layer more; ms.
/// - `png/fast/2k`: the picture to a compressed stream; ms, and bytes.
/// - `read`, `decode/masks`, `decode/content`: the project's file, its masks, one layer's picture as a PNG; ms.
@main
enum EngineRates {
    static func main() throws {
        var options = Options()
        var arguments = Array(CommandLine.arguments.dropFirst())
        while let name = arguments.first {
            arguments.removeFirst()
            guard let value = arguments.first, options.set(name, value) else {
                print("usage: EngineRates [--scenes S,M,L] [--runs N] [--seconds N] [--only NAME,FOLDER/,...]")
                exit(2)
            }
            arguments.removeFirst()
        }
        if let problem = KernelLevel.environmentProblem() {
            print(problem)
            exit(2)
        }
        let meter = Meter(options)
        let scenes = try options.scenes.map { (name: $0, project: try Scenes.read($0)) }
        guard let last = scenes.last else { return }
        for scene in scenes { try StrokeRates.measure(scene.name, scene.project, with: meter) }
        try StrokeRates.measureBrushes(of: last.project, with: meter)
        try StrokeRates.measureContours(of: last.project, with: meter)
        try StrokeRates.measureCanvasPatterns(of: last.project, with: meter)
        try CompositeRates.measure(last.project, with: meter)
        try FileRates.measure(last.name, last.project, with: meter)
    }
}

/// What is asked for.
struct Options {
    var scenes = ["S", "M", "L"]
    var runs = 5
    var seconds = 5.0
    /// Names, or beginnings of names that end with `/`; empty for all.
    var only: [String] = []

    /// False for an option that there is not.
    mutating func set(_ name: String, _ value: String) -> Bool {
        let parts = value.split(separator: ",").map(String.init)
        switch name {
        case "--scenes": scenes = parts
        case "--only": only = parts
        case "--runs": runs = max(1, Int(value) ?? runs)
        case "--seconds": seconds = Double(value) ?? seconds
        default: return false
        }
        return true
    }
}
