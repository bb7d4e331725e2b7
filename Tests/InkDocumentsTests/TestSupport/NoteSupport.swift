@testable import InkDocuments
@testable import InkEngine

/// Reads a document of another program from memory.
func load(_ bytes: [UInt8], name: String = "f", limits: Limits = Limits()) throws(EngineError) -> ProjectReading {
    try ProjectLoader.load(bytes: bytes, name: name, limits: limits)
}

func load(_ text: String, name: String = "f", limits: Limits = Limits()) throws(EngineError) -> ProjectReading {
    try load(Array(text.utf8), name: name, limits: limits)
}

/// Layers, and all elements of groups.
func all(_ layers: [Layer]) -> [Layer] { layers.flatMap { [$0] + all($0.children) } }

func strokes(_ layers: [Layer]) -> [Stroke] { all(layers).flatMap(\.strokes) }
func strokes(_ project: Project) -> [Stroke] { strokes(project.layers) }
