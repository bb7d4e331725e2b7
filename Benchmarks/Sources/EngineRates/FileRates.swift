import BenchmarkScenes
import InkCodecs
import InkDocuments
import InkEngine

/// What is read and written: the project's file, its images, the finished picture.
enum FileRates {
    static func measure(_ name: String, _ project: Project, with meter: Meter) throws {
        for (size, edge) in [("2k", 2048), ("4k", 4096)] where meter.wants("png/") {
            let wanted = EncodingEffort.allCases.filter { meter.wants("png/\($0.name)/\(size)") }
            guard !wanted.isEmpty else { continue }
            let pixels = try Scenes.finished(project, output: PixelSize(width: edge, height: edge))
            for effort in wanted { try measure(pixels, edge: edge, "png/\(effort.name)/\(size)", effort, with: meter) }
        }
        let path = Scenes.path(name)
        try meter.measure("read") {
            try Meter.time { _ = try ProjectLoader.load(path: path).project.layers.count }
        }
        try meter.measure("decode/masks") {
            try Meter.time { for layer in project.layers { _ = try Scenes.mask(of: layer) } }
        }
        guard meter.wants("decode/content"), let layer = project.layers.first else { return }
        let png = try Scenes.png(of: Scenes.picture(of: layer.strokes))
        try meter.measure("decode/content") {
            try Meter.time {
                var chunks = 0
                _ = try PNGDecoder.decode(png, as: .color, place: Place(file: "content")) { _ in chunks += 1 }
            }
        }
    }

    private static func measure(
        _ pixels: [UInt8], edge: Int, _ name: String, _ effort: EncodingEffort, with meter: Meter
    ) throws {
        let encoder = BandEncoder()
        var byteCount = 0
        try meter.measure(name) {
            try Meter.time {
                byteCount = try Scenes.bands(of: pixels, width: edge, format: .rgb, effort: effort, by: encoder)
                    .reduce(0) { $0 + $1.bytes.count }
            }
        }
        if byteCount > 0 { meter.note(name + "/size", "bytes", byteCount) }
    }
}
