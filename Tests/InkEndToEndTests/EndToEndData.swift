import Foundation
import Testing

/// Files that come with these tests; Data/SOURCES.md says where they are from.
enum EndToEndData {
    private static var folder: URL { Bundle.module.resourceURL!.appendingPathComponent("Data") }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(path)))
    }

    static func path(_ path: String) -> String { folder.appendingPathComponent(path).path }

    /// The PNG files of a folder, by path; sorted.
    static func pngs(in name: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path)
        return (names ?? []).filter { $0.hasSuffix(".png") }.sorted().map { "\(name)/\($0)" }
    }
}

/// One embedded PNG of a project, or a file of a template.
enum ImagePlace: String, CaseIterable, CustomTestStringConvertible {
    case baseImage, maskImage, contentImage

    var testDescription: String { rawValue }
    /// How an error names the place in a project file.
    var path: String { self == .baseImage ? "baseImage" : "layers[0].\(rawValue)" }
    /// How an error names the place in a template; templates have no content.
    var templatePath: String? {
        switch self {
        case .baseImage: "base.png"
        case .maskImage: "layers/a_mask.png"
        case .contentImage: nil
        }
    }

    /// A project with a stroke, so that its mask counts, and this image.
    func project(_ png: [UInt8]) -> String {
        let image = "\"\(rawValue)\": \"\(Data(png).base64EncodedString())\""
        let (top, layer) = self == .baseImage ? (image, "\"id\": \"a\"") : ("\"id\": \"p\"", image)
        return """
            {"version": "1.1", "canvasSize": {"width": 40, "height": 40}, \(top),
             "layers": [{\(layer), "strokes": [{"points": [[5, 5], [35, 30]]}]}]}
            """
    }
}

/// Projects that are sound.
enum GoodProject {
    static let small = """
        {"version": "1.1", "name": "Good", "canvasSize": {"width": 48, "height": 32}, "layers": [
          {"id": "a", "name": "A", "strokes": [{"brush": {"type": "dots", "spacing": 10, "color": "#3355aa"},
            "points": [[0, 10], [48, 25]]}]},
          {"id": "b", "name": "B", "blendMode": "multiply", "strokes": [{"brush": {"type": "crossHatch"},
            "points": [[10, 0], [30, 32]]}]}]}
        """

    /// A drawing that keeps both cores busy for several seconds at 8K and takes some memory.
    static var long: String {
        let strokes = (0..<60).map { row -> String in
            let points = (0..<40).map { "[\($0 * 12), \(row * 8 + $0 % 7)]" }.joined(separator: ", ")
            return "{\"brush\": {\"type\": \"waves\", \"spacing\": 2, \"scale\": 2}, \"points\": [\(points)]}"
        }
        return """
            {"version": "1.1", "canvasSize": {"width": 480, "height": 480},
             "layers": [{"strokes": [\(strokes.joined(separator: ",\n"))]}]}
            """
    }
}
