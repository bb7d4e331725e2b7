public import InkEngine
public import InkReference

/// A small, valid, seeded project with its images decoded, and a size to export it at.
///
/// The same seed and options make the same project. Its `description` says how to repeat it.
public struct RandomProject: Sendable, CustomStringConvertible {
    public let seed: UInt64
    public var project: Project
    public var images: DecodedImages
    /// What of the world the picture shows, also among the project's viewports; nil for the canvas.
    public var viewport: Viewport?
    /// The canvas or viewport or that times 0.3 to 2, rounded; the longest edge at most `Options.outputEdgeMax`.
    public var output: PixelSize

    /// What the project may have.
    public struct Options: Sendable {
        /// Canvas edge, pixels.
        public var canvasEdge = 24...160
        public var layers = 1...4
        public var strokesPerLayer = 0...4
        /// Spacing is raised where a stroke would have more stamps than this.
        public var stampsPerStrokeMax = 24
        public var outputEdgeMax = 240
        public var brushTypes = BrushType.allCases
        public var blendModes = BlendMode.allCases
        public var hasImages = true
        /// Levels of the layer tree; above 1, elements may be groups, isolated or passing through.
        public var treeDepth = 1
        /// Shares of the elements, 0...1. At 0 nothing is drawn from the generator for them.
        public var clippedShare = 0.0
        public var fillShare = 0.0
        /// Share of the images, 0...1.
        public var placedShare = 0.0
        /// Pixels; nil for all kinds of sizes.
        public var imageEdge: ClosedRange<Int>?
        /// Canvas pixels.
        public var placedEdgeMax = Double.infinity
        /// Share of the strokes whose type can lie still, 0...1.
        public var canvasPatternShare = 0.0
        /// Shares of the projects, 0...1. An infinite canvas has a viewport too, at times far from the origin.
        public var viewportShare = 0.0
        public var infiniteShare = 0.0
        /// Shapes of a layer that has some, and the share of the layers that have.
        public var shapesPerLayer = 1...5
        public var shapeShare = 0.0
        /// Shares of the elements with a mask of shapes, and of the contents that take nearest samples, 0...1.
        public var maskShapesShare = 0.0
        public var nearestShare = 0.0
        /// Share of the fills of shapes and elements that are gradients, and half of that for patterns, 0...1.
        public var gradientShare = 0.0
        /// Share of the strokes with smoothing, closing and settings of brushes that version 1.3 has, 0...1.
        public var lineShare = 0.0

        public init() {}

        /// Everything the format allows.
        public static var everything: Options { Options() }

        /// Without the blend modes that jump where inputs tie (spec 7).
        public static var continuous: Options {
            var options = Options()
            options.blendModes.removeAll { RandomProject.discontinuousModes.contains($0) }
            return options
        }

        /// `continuous` with groups, fills and clipping.
        public static var layerTrees: Options {
            var options = continuous
            options.blendModes.removeAll { RandomProject.steepModes.contains($0) }
            options.treeDepth = 4
            options.clippedShare = 0.3
            options.fillShare = 0.15
            return options
        }

        /// `continuous` with patterns that stay with the canvas.
        public static var canvasPatterns: Options {
            var options = continuous
            options.canvasPatternShare = 0.8
            return options
        }

        /// `withoutStrokes` with pictures placed anywhere, at any rotation.
        public static var placedPictures: Options {
            var options = withoutStrokes
            options.blendModes.removeAll { RandomProject.steepModes.contains($0) }
            options.placedShare = 0.9
            return options
        }

        /// Large pictures, placed small, so that scaling them when they are decoded saves memory.
        public static var smallPlacedPictures: Options {
            var options = placedPictures
            options.canvasEdge = 40...100
            options.outputEdgeMax = 120
            options.layers = 1...2
            options.placedShare = 0.7
            options.imageEdge = 200...500
            options.placedEdgeMax = 50
            return options
        }

        /// Everything that version 1.2 adds, through viewports, without modes that jump or are steep.
        public static var version12: Options {
            var options = layerTrees
            options.canvasPatternShare = 0.5
            options.placedShare = 0.6
            options.viewportShare = 0.6
            options.infiniteShare = 0.3
            return options
        }

        /// Everything that version 1.3 adds, among what version 1.2 has.
        public static var version13: Options {
            var options = version12
            options.strokesPerLayer = 0...2
            options.shapeShare = 0.6
            options.maskShapesShare = 0.25
            options.nearestShare = 0.3
            options.gradientShare = 0.4
            options.lineShare = 0.7
            return options
        }

        /// Blending and scaling alone.
        public static var withoutStrokes: Options {
            var options = continuous
            options.strokesPerLayer = 0...0
            return options
        }
    }

    /// Spec 7: modes that "may differ on more pixels where inputs tie".
    public static let discontinuousModes: Set<BlendMode> = [.hardMix, .darkerColor, .lighterColor, .hue, .saturation]

    /// Spec 7's further ones, which jump only at borders of their range.
    public static let steepModes: Set<BlendMode> = [.colorBurn, .colorDodge, .vividLight, .divide]

    /// - Precondition: the ranges of `options` hold something, and so do its lists of types and modes.
    public static func make(seed: UInt64, options: Options = .everything) -> RandomProject {
        var maker = ProjectMaker(seed: seed, options: options)
        return maker.make(seed: seed)
    }

    public var description: String {
        let view = viewport.map { ", \($0)" } ?? ""
        return "RandomProject.make(seed: \(seed)): canvas \(project.canvasSize)\(view), output \(output), layers "
            + Self.description(project.layers)
    }

    private static func description(_ layers: [Layer]) -> String {
        layers.map { layer in
            let name = "\(layer.isClipped ? "clipped " : "")\(layer.blendMode)"
            switch layer.kind {
            case .layer:
                let strokes = layer.strokes.map { stroke in
                    "\(stroke.mode) \(stroke.brush.isCanvasPattern ? "canvas " : "")\(stroke.brush.type)"
                }
                let shapes = layer.shapes.map { "\($0.mode) shape" }
                return "\(name)[\((shapes + strokes).joined(separator: ", "))]"
            case .fill(let paint): return "\(name) fill \(paint.color.map(\.description) ?? "\(paint)")"
            case .group(let children, let isPassThrough):
                return "\(name) \(isPassThrough ? "pass-through" : "group") {\(description(children))}"
            }
        }.joined(separator: " ")
    }
}

/// Draws a project's parts from one generator, in a fixed order.
struct ProjectMaker {
    var random: SeededGenerator
    let options: RandomProject.Options
    var images = DecodedImages()
    /// The number of the next element, as `ImageKey` counts.
    private var elementCount = 0
    var symbols: [Symbol] = []
    private var isInfinite = false
    /// Where the drawing's upper left corner lies: 0, 0 on a canvas.
    private(set) var origin = Point(x: 0, y: 0)

    init(seed: UInt64, options: RandomProject.Options) {
        random = SeededGenerator(seed: seed)
        self.options = options
    }

    mutating func make(seed: UInt64) -> RandomProject {
        let canvas = PixelSize(width: integer(options.canvasEdge), height: integer(options.canvasEdge))
        var output = chance(0.3) ? canvas : scaled(canvas, by: number(0.3...2))
        isInfinite = share(options.infiniteShare)
        if isInfinite {
            origin = pick([origin, origin, Point(x: -4321.5, y: 987), Point(x: 9e8, y: -123_456_789)])
        }
        let viewport = isInfinite || share(options.viewportShare) ? self.viewport(canvas: canvas) : nil
        if let viewport { output = scaled(viewport.size.pixels, by: chance(0.4) ? 1 : number(0.3...2)) }
        var project = Project(
            id: "random-\(seed)", name: "Random \(seed)", canvasSize: isInfinite ? nil : canvas,
            background: pick([.white, .white, .transparent, anyColor(), anyColor(alpha: UInt8(integer(1...254)))]))
        if let viewport { project.viewports = [viewport] }
        if options.hasImages, !isInfinite, chance(0.4) {
            project.baseImage = image(.base, place: "baseImage", canvas: canvas, output: output)
        }
        if options.shapeShare > 0 {
            symbols = (0..<integer(1...3)).map { Symbol(id: "symbol-\($0)", path: path(size: number(4...30))) }
            project.symbols = symbols
        }
        project.layers = elements(options.layers, path: "layers", depth: 1, canvas: canvas, output: output)
        return RandomProject(seed: seed, project: project, images: images, viewport: viewport, output: output)
    }

    private mutating func viewport(canvas: PixelSize) -> Viewport {
        Viewport(
            name: "view",
            center: Point(
                x: origin.x + number(0.2...0.8) * Double(canvas.width),
                y: origin.y + number(0.2...0.8) * Double(canvas.height)),
            zoom: pick([1, number(0.4...2.5)]), rotation: pick([0, 0, 90, 180, 45, number(-400...400)]),
            size: pick([CanvasSize(canvas), CanvasSize(width: number(24...120), height: number(24...120))]))
    }

    private mutating func elements(
        _ counts: ClosedRange<Int>, path: String, depth: Int, canvas: PixelSize, output: PixelSize
    ) -> [Layer] {
        (0..<integer(counts)).map { index in
            element(path: "\(path)[\(index)]", depth: depth, canvas: canvas, output: output)
        }
    }

    private mutating func element(path: String, depth: Int, canvas: PixelSize, output: PixelSize) -> Layer {
        let number = elementCount
        elementCount += 1
        let isGroup = depth < options.treeDepth && chance(0.4)
        let isFill = !isGroup && share(options.fillShare)
        var layer = Layer(
            id: "layer-\(number)", name: "Layer \(number)", order: pick([0, 0, Double(integer(-2...2)), 0.5]),
            opacity: chance(0.5) ? 1 : self.number(0...1), blendMode: pick(options.blendModes), isVisible: !chance(0.08)
        )
        layer.isClipped = share(options.clippedShare)
        if options.hasImages, !isGroup, !isFill, chance(0.5) {
            layer.contentImage = image(
                .content(layerIndex: number), place: "\(path).contentImage", canvas: canvas, output: output)
            layer.contentPlacement = placement(canvas: canvas)
            if share(options.nearestShare) { layer.contentFilter = .nearest }
        }
        if options.hasImages, chance(0.5) {
            layer.maskImage = mask(number, place: "\(path).maskImage", canvas: canvas, output: output)
            layer.maskPlacement = placement(canvas: canvas)
            if layer.maskPlacement != nil { layer.maskOutside = pick([0, 1, self.number(0...1)]) }
        }
        if share(options.maskShapesShare) { layer.maskShapes = shapes(0...4, canvas: canvas) }
        if isGroup {
            let children = elements(
                0...4, path: "\(path).layers", depth: depth + 1, canvas: canvas, output: output)
            layer.kind = .group(children, isPassThrough: chance(0.5))
        } else if isFill {
            layer.kind = .fill(paint(canvas: canvas, isShape: false))
        } else {
            if share(options.shapeShare) { layer.shapes = shapes(options.shapesPerLayer, canvas: canvas) }
            for _ in 0..<integer(options.strokesPerLayer) { layer.strokes.append(stroke(canvas: canvas)) }
        }
        return layer
    }

    // MARK: Strokes

    private mutating func stroke(canvas: PixelSize) -> Stroke {
        let points = self.points(canvas: canvas)
        var length = 0.0
        for (a, b) in zip(points, points.dropFirst()) {
            length += ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
        }
        let scale = number(0.5...2)
        // A smoothed path is somewhat longer than its points' polygon.
        let spacingMin = 1.2 * length / (Double(options.stampsPerStrokeMax) * scale)
        var brush = Brush(
            type: pick(options.brushTypes), rotation: pick([0, 45, 90, number(-360...720)]),
            spacing: max(number(2...14), spacingMin), opacity: chance(0.4) ? 1 : number(0...1), scale: scale,
            lineWidth: pick([number(0.3...1), number(0.5...3), number(0.3...8)]), color: anyColor(),
            dynamics: BrushDynamics(
                pressureAffectsOpacity: chance(0.5), pressureAffectsSize: chance(0.4), tiltAffectsRotation: chance(0.4))
        )
        if brush.type.canLieStill, share(options.canvasPatternShare) {
            brush.anchor = .canvas
            brush.spacing = number(2...14)
            brush.size = number(4...40)
        }
        var stroke = Stroke(brush: brush, mode: chance(0.2) ? .erase : .paint, points: points)
        if share(options.lineShare) { addLineSettings(to: &stroke) }
        return stroke
    }

    /// A wandering line, partly off the canvas, at times a single point or with points repeated.
    private mutating func points(canvas: PixelSize) -> [StrokePoint] {
        let width = Double(canvas.width)
        let height = Double(canvas.height)
        let count = pick([1, 2, 3, integer(2...5), integer(4...12)])
        let isLevel = chance(0.15)
        var x = number(-0.3 * width...1.3 * width)
        var y = number(-0.3 * height...1.3 * height)
        if isLevel { y = y.rounded() }
        // Starts anywhere on the circle, so that it often crosses from 360 to 0.
        var azimuth = number(0...360)
        var timestamp = 0.0
        var points: [StrokePoint] = []
        for _ in 0..<count {
            azimuth = (azimuth + number(-120...120) + 720).truncatingRemainder(dividingBy: 360)
            timestamp += number(1...20)
            points.append(
                StrokePoint(
                    x: origin.x + x, y: origin.y + y, pressure: pick([1, 0, number(0...1), number(0.3...0.9)]),
                    timestamp: timestamp,
                    altitude: number(20...90), azimuth: azimuth))
            if chance(0.12) { continue }
            x += number(-0.3 * width...0.5 * width)
            if !isLevel { y += number(-0.4 * height...0.4 * height) }
        }
        return points
    }

    // MARK: Images

    private mutating func image(_ key: ImageKey, place: String, canvas: PixelSize, output: PixelSize) -> EncodedImage {
        let size = imageSize(canvas: canvas, output: output)
        let isOpaque = chance(0.3)
        var rgba: [UInt8] = []
        let channels = (0..<4).map { _ in field(size) }
        for pixel in 0..<size.area {
            for channel in 0..<3 { rgba.append(channels[channel][pixel]) }
            rgba.append(isOpaque ? 255 : channels[3][pixel])
        }
        images[key] = StraightImage(size: size, rgba: rgba)
        return EncodedImage(
            bytes: MinimalPNGWriter.png(rgba: rgba, size: size), header: ImageHeader(size: size, isHeldWhole: false),
            place: place)
    }

    private mutating func mask(_ number: Int, place: String, canvas: PixelSize, output: PixelSize) -> EncodedImage {
        let size = imageSize(canvas: canvas, output: output)
        let gray = field(size)
        let png: [UInt8]
        if chance(0.6) {
            images[.mask(layerIndex: number)] = StraightImage(size: size, gray: gray)
            png = MinimalPNGWriter.png(gray: gray, size: size)
        } else {
            // Red and alpha both count; green and blue must not.
            let alpha = field(size)
            let rgba = gray.indices.flatMap { pixel -> [UInt8] in [gray[pixel], 255 - gray[pixel], 77, alpha[pixel]] }
            images[.mask(layerIndex: number)] = StraightImage(size: size, rgba: rgba)
            png = MinimalPNGWriter.png(rgba: rgba, size: size)
        }
        return EncodedImage(bytes: png, header: ImageHeader(size: size, isHeldWhole: false), place: place)
    }

    /// Partly or wholly on the canvas; at times on its pixels. Nil for an image without a placement, which on an infinite
    /// canvas lies at 0, 0.
    private mutating func placement(canvas: PixelSize) -> Placement? {
        guard share(options.placedShare) || origin != Point(x: 0, y: 0) else { return nil }
        let (width, height) = (Double(canvas.width), Double(canvas.height))
        var placement = Placement(
            x: number(-0.3 * width...0.7 * width), y: number(-0.3 * height...0.7 * height),
            width: number(4...min(options.placedEdgeMax, 1.2 * width)),
            height: number(4...min(options.placedEdgeMax, 1.2 * height)),
            rotation: pick([0, 0, 90 * Double(integer(-3...5)), number(-400...400)]))
        // Less than two pixels along an axis, or more than the output.
        if chance(0.15) { placement.width = pick([number(0.1...2.5), 3 * width]) }
        if chance(0.15) { placement.height = pick([number(0.1...2.5), 3 * height]) }
        if chance(0.3) {
            (placement.x, placement.y) = (placement.x.rounded(), placement.y.rounded())
            (placement.width, placement.height) = (placement.width.rounded(.up), placement.height.rounded(.up))
        }
        placement.x += origin.x
        placement.y += origin.y
        return placement
    }

    /// The output's size at times, so that nothing is resampled; else the canvas's, smaller or larger.
    private mutating func imageSize(canvas: PixelSize, output: PixelSize) -> PixelSize {
        if let edge = options.imageEdge { return PixelSize(width: integer(edge), height: integer(edge)) }
        return switch integer(0...5) {
        case 0: output
        case 1, 2: canvas
        case 3: PixelSize(width: integer(1...12), height: integer(1...12))
        default: PixelSize(width: integer(10...200), height: integer(10...200))
        }
    }

    /// One byte a pixel: noise, a soft blob, a hard-edged disc, a gradient or one value.
    private mutating func field(_ size: PixelSize) -> [UInt8] {
        let kind = integer(0...4)
        let constant = pick([0, 128, 255, integer(0...255)])
        let x0 = number(0...1)
        let y0 = number(0...1)
        let radius = number(0.1...0.7)
        var bytes: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let dx = (Double(x) + 0.5) / Double(size.width) - x0
                let dy = (Double(y) + 0.5) / Double(size.height) - y0
                let distance = (dx * dx + dy * dy).squareRoot()
                switch kind {
                case 0: bytes.append(UInt8(truncatingIfNeeded: random.next()))
                case 1: bytes.append(UInt8(255 * max(0, 1 - distance / (2 * radius))))
                case 2: bytes.append(distance < radius ? 255 : 0)
                case 3: bytes.append(UInt8(min(255, 255 * abs(dx + dy) / 2)))
                default: bytes.append(UInt8(constant))
                }
            }
        }
        return bytes
    }

    // MARK: Values

    mutating func anyColor(alpha: UInt8 = 255) -> RGBA8 {
        let corner: [UInt8] = [0, 128, 255]
        func channel(_ random: inout SeededGenerator) -> UInt8 {
            Bool.random(using: &random) ? corner.randomElement(using: &random)! : .random(in: 0...255, using: &random)
        }
        return RGBA8(red: channel(&random), green: channel(&random), blue: channel(&random), alpha: alpha)
    }

    private func scaled(_ size: PixelSize, by factor: Double) -> PixelSize {
        let factor = min(factor, Double(options.outputEdgeMax) / Double(size.longestEdge))
        func edge(_ pixels: Int) -> Int { max(Int((Double(pixels) * factor).rounded()), 1) }
        return PixelSize(width: edge(size.width), height: edge(size.height))
    }

    mutating func integer(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    mutating func chance(_ share: Double) -> Bool { number(0...1) < share }
    /// Takes nothing from the generator at 0.
    mutating func share(_ share: Double) -> Bool { share > 0 && chance(share) }
    mutating func pick<T>(_ choices: [T]) -> T { choices.randomElement(using: &random)! }
}
