import Glibc
import InkCodecs
package import InkEngine
import InkSystem

/// A picture of a brush: one stroke with the pressure of a real pen.
package struct PresetPreview {
    /// Canvas pixels, which are those of a drawing.
    package static let canvas = PixelSize(width: 640, height: 240)

    /// The first stroke of a recording at a tablet, at equal distances along it: `tests/events/painting30sec.dat` of
    /// libmypaint, ISC licence, its strongest pressure being 1.
    private static let pressures = [
        0.08, 0.28, 0.32, 0.41, 0.47, 0.48, 0.48, 0.48, 0.43, 0.42, 0.45, 0.6, 0.65, 0.71, 0.72, 0.69, 0.71, 0.75, 0.79,
        0.87, 0.92, 0.94, 0.91, 0.91, 0.91, 0.91, 0.9, 0.91, 0.91, 0.93, 0.87, 0.78, 0.31,
    ]

    private let size: PixelSize
    private let replaces: Bool
    private let images: RenderedImages

    /// - Parameters:
    ///   - size: of the pictures, pixels.
    ///   - replaces: whether an existing file is replaced.
    package init(size: PixelSize = canvas, replaces: Bool) {
        self.size = size
        self.replaces = replaces
        images = RenderedImages(workerCount: UsableCores.count(), limits: Limits())
    }

    /// Renders the picture of a brush to a PNG file.
    package func write(_ brush: Brush, name: String, to path: String) throws(ExportError) {
        let bytes = try images.png(
            of: Self.project(of: brush, name: name), name: name, size: size, options: PictureOptions())
        try ExportError.wrapping { () throws(EngineError) in
            try FileSystem.makeFolder(path.splitPath().folder)
            try FileSystem.writeAtomically(bytes, to: path, replaces: replaces)
        }
    }

    /// Call this at the end.
    package func stop() { images.stop() }

    /// A stroke that swings once up and once down.
    package static func project(of brush: Brush, name: String) -> Project {
        var project = Project(canvasSize: canvas)
        project.name = name
        let (width, height) = (Double(canvas.width), Double(canvas.height))
        let points = pressures.enumerated().map { index, pressure in
            let share = Double(index) / Double(pressures.count - 1)
            return StrokePoint(
                x: width * (0.11 + 0.78 * share), y: height * (0.5 - 0.2 * sine(ofTurn: share)), pressure: pressure)
        }
        project.layers = [Layer(id: "stroke", name: name, strokes: [Stroke(brush: brush, points: points)])]
        return project
    }

    private static func sine(ofTurn share: Double) -> Double { Glibc.sin(2 * .pi * share) }
}
