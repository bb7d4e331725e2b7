import BenchmarkScenes
import Foundation
import InkEngine
import InkReference

/// Writes what the benchmarks measure as plain files, for programs that are not this one.
///
///     swift run -c release --package-path Benchmarks SceneMarks FOLDER
///
/// - `scene-S.marks`, `scene-M.marks`, `scene-L.marks`, `brush-TYPE.marks`, `brush-TYPE-sized.marks`,
///   `brush-TYPE-canvas.marks`, `brush-TYPE-canvas-sized.marks` (not of waves): marks; see `MarksFile`.
/// - `scene-L.0.rgba` ..., `brush-TYPE.0.rgba` ...: what ink draws of them at 2048 x 2048, straight, one file a layer.
/// - `mask.0.gray` ...: the masks of scene L.
/// - `content.png`: the first layer of scene L.
/// - `stack.txt`: a line for each layer of scene L: blend mode, opacity.
/// - `picture-2k.rgb`, `picture-4k.rgb`: scene L when it is finished.
@main
enum SceneMarks {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: SceneMarks FOLDER")
            exit(2)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: folder.appendingPathComponent(name))
        }
        for name in ["S", "M", "L"] {
            let layers = Scenes.strokeLayers(try Scenes.read(name))
            try write(MarksFile.bytes(of: layers.map(\.strokes)), "scene-\(name).marks")
        }
        let scene = try Scenes.read("L")
        // Waves over the boxes of strokes are too many pieces.
        for set in Scenes.brushSets(of: scene, every: 20) where !set.name.hasPrefix("waves-canvas") {
            try write(MarksFile.bytes(of: [set.strokes]), "brush-\(set.name).marks")
            try write(Scenes.picture(of: set.strokes).samples, "brush-\(set.name).0.rgba")
        }
        var stack = ""
        for (index, layer) in try Scenes.flatLayers(scene).enumerated() {
            if let content = layer.content {
                try write(content.samples, "scene-L.\(index).rgba")
                if index == 0 { try write(Scenes.png(of: content), "content.png") }
            }
            if let mask = layer.mask { try write(mask.samples, "mask.\(index).gray") }
            stack += "\(layer.blendMode.rawValue) \(layer.opacity)\n"
        }
        try write(Array(stack.utf8), "stack.txt")
        for (name, edge) in [("2k", 2048), ("4k", 4096)] {
            try write(
                Scenes.finished(scene, output: PixelSize(width: edge, height: edge)), "picture-\(name).rgb")
        }
    }
}
