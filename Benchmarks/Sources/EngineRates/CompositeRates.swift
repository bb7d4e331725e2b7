import BenchmarkScenes
import InkEngine

/// Layers onto each other: contents and masks are 8-bit pictures of the output's size.
enum CompositeRates {
    static func measure(_ project: Project, with meter: Meter) throws {
        guard meter.wants("composite/") else { return }
        let layers = try Scenes.flatLayers(project)
        if meter.wants("composite/stack") {
            let tasks = SceneTasks(layers, output: Scenes.canvas)
            let renderer = TileRenderer()
            try meter.measure("composite/stack") { try PhaseTimes(tasks, renderer).composite }
        }
        guard var layer = layers.first else { return }
        layer.opacity = 0.75
        for mode in BlendMode.allCases where meter.wants("composite/\(mode.rawValue)") {
            layer.blendMode = mode
            let one = SceneTasks([layer], output: Scenes.canvas)
            let three = SceneTasks(Array(repeating: layer, count: 3), output: Scenes.canvas)
            let renderer = TileRenderer()
            try meter.measure("composite/\(mode.rawValue)") {
                let few = try PhaseTimes(one, renderer).composite
                let many = try PhaseTimes(three, renderer).composite
                return many > few ? (many - few) / 2 : 0
            }
        }
    }
}
