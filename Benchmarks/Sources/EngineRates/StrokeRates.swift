import BenchmarkScenes
import InkEngine

/// Strokes: those of whole scenes, and those of each brush.
enum StrokeRates {
    static func measure(_ name: String, _ project: Project, with meter: Meter) throws {
        let layers = Scenes.strokeLayers(project)
        meter.measure("prepare/\(name)") {
            Meter.time { for layer in layers { _ = PreparedStrokeBlock(layer.strokes).byteCount } }
        }
        for (size, edge) in [("2k", 2048), ("4k", 4096)] where meter.wants("strokes/\(name)/\(size)") {
            let tasks = SceneTasks(layers, output: PixelSize(width: edge, height: edge))
            let renderer = TileRenderer()
            try meter.measure("strokes/\(name)/\(size)") { try PhaseTimes(tasks, renderer).raster }
        }
    }

    static func measureBrushes(of project: Project, with meter: Meter) throws {
        let count = project.layers.reduce(0) { $0 + $1.strokes.count }
        for set in Scenes.brushSets(of: project, every: max(6, count / 100)) {
            try measure(set, "stamp/\(set.name)", background: .white, with: meter)
            try measure(set, "stamp-transparent/\(set.name)", background: .transparent, with: meter)
        }
    }

    static func measureContours(of project: Project, with meter: Meter) throws {
        let count = project.layers.reduce(0) { $0 + $1.strokes.count }
        for set in Scenes.contourSets(of: project, every: max(6, count / 100)) {
            try measure(set, "contour/\(set.name)", background: .white, with: meter)
        }
    }

    static func measureCanvasPatterns(of project: Project, with meter: Meter) throws {
        let count = project.layers.reduce(0) { $0 + $1.strokes.count }
        for set in Scenes.canvasSets(of: project, every: max(6, count / 100)) {
            try measure(set, "canvas/\(set.name)", background: .white, with: meter)
        }
    }

    private static func measure(
        _ set: Scenes.BrushSet, _ name: String, background: RGBA8, with meter: Meter
    ) throws {
        guard meter.wants(name) else { return }
        var layer = SceneTasks.Layer()
        layer.strokes = set.strokes
        let format = background.isOpaque ? PixelFormat.rgb : .rgba
        let renderer = TileRenderer()
        let marks = set.strokes.reduce(0) { $0 + markCount(of: $1) }
        try meter.measure(name, "us", scale: 1e-3 / Double(marks)) {
            // Anew each time: the outlines of solid strokes, which are part of drawing them, are kept with the strokes.
            let tasks = SceneTasks([layer], output: Scenes.canvas, background: background, format: format)
            return try PhaseTimes(tasks, renderer).raster
        }
    }

    /// How many marks a stroke is: of contour lines those between two stations.
    private static func markCount(of stroke: Stroke) -> Int {
        let stamps = PreparedStroke.stampCount(of: stroke)
        return stroke.brush.type == .contourLines && stamps > 1 ? stamps - 1 : stamps
    }
}

/// What of a rendering's processor time went where, nanoseconds: the renderer's report of its phases is in wall time.
struct PhaseTimes {
    let raster: UInt64
    let composite: UInt64

    init(_ tasks: SceneTasks, _ renderer: TileRenderer) throws {
        var phases: (raster: UInt64, composite: UInt64) = (0, 0)
        let total = try Meter.time { phases = try tasks.render(with: renderer) }
        let share = Double(phases.raster) / Double(max(1, phases.raster + phases.composite))
        raster = UInt64(Double(total) * share)
        composite = total - raster
    }
}
