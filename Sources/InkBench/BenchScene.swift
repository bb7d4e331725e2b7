import InkCodecs
import InkDocuments
import InkEngine

/// A project that `ink bench` makes by itself, the same on every machine: hand-drawn strokes of pattern brushes on
/// layers with masks, opacities and blend modes, on a canvas of 2048 x 2048.
struct BenchScene: Sendable {
    /// Changes whenever a scene shows anything else: times of different versions cannot be compared.
    static let version = 1
    static let canvasEdge = 2048

    static let all = [
        BenchScene(name: "light", layerCount: 3, strokeCount: 60, seed: 3),
        BenchScene(name: "medium", layerCount: 6, strokeCount: 400, seed: 103),
        BenchScene(name: "heavy", layerCount: 10, strokeCount: 2000, seed: 34),
    ]

    let name: String
    let layerCount: Int
    let strokeCount: Int
    let seed: UInt64

    /// Shares of all strokes, per cent.
    private static let brushes: [(type: BrushType, share: Int)] = [
        (.parallelLines, 46), (.crossHatch, 36), (.dots, 9), (.waves, 9),
    ]
    private static let spacings: [(value: Double, weight: Int)] = [
        (4, 10), (5, 15), (6, 24), (8, 25), (10, 16), (12, 10),
    ]
    private static let colors = [
        "#1a1a1a", "#404040", "#20304a", "#3b3b78", "#7fa6c9", "#2e4a2c", "#8a5a1e", "#c9b28a", "#5a2a1e", "#6a1f3a",
    ].compactMap { RGBA8(hex: $0) }
    private static let modes: [BlendMode] = [
        .normal, .multiply, .normal, .screen, .normal, .overlay, .multiply, .softLight, .normal, .multiply,
    ]

    /// The project without its masks, and the masks' values by layer, row-major.
    func parts() -> (project: Project, masks: [[UInt8]]) {
        var numbers = SceneNumbers(seed: seed)
        var hand = SceneHand(edge: Double(Self.canvasEdge), seed: numbers.next())
        var layers = (0..<layerCount).map { index in
            Layer(
                id: "layer-\(index)", name: "Layer \(index)", order: Double(index),
                opacity: Double(numbers.integer(in: 640...980)) / 1000, blendMode: Self.modes[index % Self.modes.count])
        }
        for (index, type) in numbers.shuffled(brushTypes()).enumerated() {
            layers[index % layerCount].strokes.append(
                Stroke(brush: Self.brush(type, &numbers), points: hand.line()))
        }
        let masks = (0..<layerCount).map { index in
            index == 0
                ? SceneMask.full(edge: Self.canvasEdge) : SceneMask.discs(edge: Self.canvasEdge, numbers: &numbers)
        }
        let project = Project(
            id: "bench-\(name)", name: "Bench \(name)",
            canvasSize: PixelSize(width: Self.canvasEdge, height: Self.canvasEdge), layers: layers)
        return (project, masks)
    }

    /// The project's file (`.ink`).
    func file() throws(EngineError) -> [UInt8] {
        var (project, masks) = parts()
        let size = PixelSize(width: Self.canvasEdge, height: Self.canvasEdge)
        for (index, mask) in masks.enumerated() {
            let png = try WholePNG.encode(samples: mask, size: size)
            project.layers[index].maskImage = EncodedImage(
                bytes: png, header: ImageHeader(size: size, isHeldWhole: false),
                place: "layers[\(index)].maskImage")
        }
        return try ProjectWriter.write(project)
    }

    /// As many of each as its share; the first type takes the remainder of rounding.
    private func brushTypes() -> [BrushType] {
        let rest = Self.brushes.dropFirst().flatMap { brush in
            [BrushType](repeating: brush.type, count: (strokeCount * brush.share + 50) / 100)
        }
        return [BrushType](repeating: Self.brushes[0].type, count: strokeCount - rest.count) + rest
    }

    private static func brush(_ type: BrushType, _ numbers: inout SceneNumbers) -> Brush {
        Brush(
            type: type, rotation: Double(numbers.integer(in: 0...179_999)) / 1000, spacing: numbers.choice(spacings),
            opacity: Double(numbers.integer(in: 250...900)) / 1000, lineWidth: 1.5,
            color: colors[numbers.integer(in: 0...(colors.count - 1))])
    }
}
