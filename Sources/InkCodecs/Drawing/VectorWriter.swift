import InkEngine

/// How the inside of a path or the path itself is painted.
struct VectorPaint: Hashable {
    /// Its alpha does not count.
    var color: RGBA8
    var alpha: Double
    /// The line along the path; nil: the area inside of the path, by the nonzero rule.
    var line: LineStyle?
}

/// A path in the words of a format. Points are in canvas pixels.
protocol VectorPathText {
    var isEmpty: Bool { get }
    /// Bytes that are kept.
    var byteCount: Int { get }
    mutating func move(to point: Point)
    /// A line to a point, unless it is, after rounding, the one before.
    mutating func line(to point: Point)
    mutating func quadratic(_ control: Point, to point: Point)
    mutating func cubic(_ first: Point, _ second: Point, to point: Point)
    /// Ends a line at its beginning, where the next one begins if it does not move.
    mutating func close()
    /// Ends an open line; one of a single point becomes a dot, which round caps make visible.
    mutating func end()
    mutating func polygon(_ points: some Sequence<Point>)
}

extension VectorPathText {
    mutating func polyline(_ points: [Point]) {
        for (index, point) in points.enumerated() { if index == 0 { move(to: point) } else { line(to: point) } }
        end()
    }
}

/// The area that a mark uncovers of something.
enum VectorFootprint {
    case stroke(SolidPath)
    case shape(VectorShape)

    var rule: FillRule {
        switch self {
        case .stroke: .nonzero
        case .shape(let shape): shape.rule
        }
    }

    func write(to text: inout some VectorPathText, scale: OutputScale) {
        switch self {
        case .stroke(let path):
            guard let polygons = path.outline(scale)?.polygons else { return }
            var start = 0
            for count in polygons.counts {
                let corners = polygons.corners[start..<(start + Int(count))]
                text.polygon(corners.lazy.map { Point(x: $0.x / scale.x, y: $0.y / scale.y) })
                start += Int(count)
            }
        case .shape(let shape):
            shape.placed.write(to: &text, tolerance: VectorScene.curveTolerancePixels / scale.largest)
        }
    }
}

/// The stamps of a stroke.
struct VectorStamps {
    var shape: VectorStampShape
    var color: RGBA8
    /// The one alpha of all stamps; nil: each has its own.
    var alpha: Double?
    /// Whether all stamps have the size and direction of the shape; if not, it is scaled and turned for each.
    var areAlike: Bool
    /// By which the shape is scaled at most.
    var scaleMax: Double
    var line: LineStyle
}

/// The lines of a stamp round the origin.
struct VectorStampShape: Hashable {
    /// Without what does not change the shape.
    private let brush: Brush
    private let along: Point
    /// Whether it has its final size. Others are scaled, so that they need more digits.
    let isFinal: Bool

    init(_ stamp: Stamp, of brush: Brush) {
        var shape = Brush(
            type: brush.type, spacing: brush.spacing, scale: stamp.size, lineWidth: brush.lineWidth)
        (shape.lines, shape.dotRadius, shape.waveLength) = (brush.lines, brush.dotRadius, brush.waveLength)
        self.brush = shape
        along = stamp.along
        isFinal = stamp.size == brush.scale
    }

    /// How far the lines reach from the origin, with their widths.
    var reach: Double { brush.stampReach + max(brush.lineWidth, brush.dotRadius) * brush.scale }

    func write(to path: inout some VectorPathText) {
        let across = Point(x: -along.y, y: along.x)
        for line in brush.type.mark.stampLines(of: brush) {
            for (index, point) in line.enumerated() {
                let placed = (brush.scale * point.x) * along + (brush.scale * point.y) * across
                if index == 0 { path.move(to: placed) } else { path.line(to: placed) }
            }
            if line.count == 1 { path.end() }
        }
    }
}

/// Takes the marks of strokes in drawing order.
protocol VectorDrawing {
    associatedtype Path: VectorPathText
    /// Whether areas can be filled. If not, solid strokes and contour lines are the lines in the middle of them.
    static var hasAreas: Bool { get }
    /// A path that becomes a line, or the outline of an area.
    func path(_ line: LineStyle?) -> Path
    /// Fills the picture with a colour, whose alpha counts.
    mutating func fill(_ color: RGBA8) throws(EngineError)
    /// Begins a path, of which only what is inside of the footprint is painted.
    mutating func begin(_ paint: VectorPaint, inside footprint: VectorFootprint?) throws(EngineError)
    /// Adds all that a path has so far, and empties it; what it gets later continues it.
    mutating func add(_ path: inout Path) throws(EngineError)
    mutating func end(_ paint: VectorPaint) throws(EngineError)
    mutating func begin(_ stamps: VectorStamps) throws(EngineError)
    mutating func add(_ stamp: Stamp, of stamps: VectorStamps) throws(EngineError)
    mutating func end(_ stamps: VectorStamps) throws(EngineError)
}

/// A group of elements, which are put together before they are blended onto what lies below.
struct VectorGroup: Hashable {
    /// The name of the layer; nil for a group that only carries a mask.
    var name: String?
    var opacity = 1.0
    var blendMode = BlendMode.normal
    /// Whether what is inside is blended with nothing below.
    var isIsolated = false
    /// Whether something inside is not blended normally.
    var holdsModes = false
    /// The number of a mask that was written.
    var mask: Int?
}

/// Writes a vector format: the elements of a picture come from the bottom up, in groups and masks. A mask comes before
/// the group that it belongs to; inside of it only brightness counts.
protocol VectorWriter: VectorDrawing {
    /// The name of the format, in warnings.
    static var name: String { get }
    /// The form of images that the format takes.
    static var imageFormat: PictureFormat { get }
    mutating func begin() throws(EngineError)
    mutating func end() throws(EngineError)
    mutating func open(_ group: VectorGroup) throws(EngineError)
    mutating func close(_ group: VectorGroup) throws(EngineError)
    /// - Returns: The mask's number.
    mutating func beginMask() throws(EngineError) -> Int
    mutating func endMask() throws(EngineError)
    /// Adds an image that covers the picture, from its file.
    ///
    /// - Parameter isPixelated: whether readers that enlarge it shall show its pixels.
    mutating func addImage(_ file: [UInt8], isPixelated: Bool) throws(EngineError)
    /// Fills a shape with a colour or a gradient.
    mutating func draw(_ shape: VectorShape) throws(EngineError)
    /// Adds a text that cannot be seen.
    mutating func draw(_ text: VectorText) throws(EngineError)
    /// Whether marks are wanted, not only groups and images.
    static var takesMarks: Bool { get }
}

extension VectorWriter {
    static var takesMarks: Bool { true }
}

/// What every writer knows of a picture.
struct VectorScene {
    var picture: DrawnPicture
    /// The place of the project, in errors.
    var place: Place { Place(file: picture.name) }
    var view: ViewMap?
    var tools: VectorPictureTools
    var limits: VectorLimits
    var scale: OutputScale
    /// Digits behind the point of coordinates: a hundredth of an output pixel, or less.
    var decimals: Int

    /// How far curves may be from what they stand for, in output pixels.
    static let curveTolerancePixels = 0.005

    var canvas: CanvasSize { picture.canvas }
    /// In pixels.
    var output: PixelSize { picture.output }
    var description: PictureDescription { picture.description }

    init(_ picture: DrawnPicture, tools: VectorPictureTools, limits: VectorLimits) {
        self.picture = picture
        self.tools = tools
        self.limits = limits
        view = picture.viewport.map { ViewMap($0) }
        scale = OutputScale(
            canvas: picture.canvas, output: picture.output,
            patternOrigin: view?.point(Point(x: 0, y: 0)) ?? Point(x: 0, y: 0))
        decimals = 2
        var largest = scale.largest
        while largest > 1.01, decimals < 9 {
            decimals += 1
            largest /= 10
        }
    }

    func stroke(_ stroke: Stroke) -> Stroke { view?.stroke(stroke) ?? stroke }

    /// Stamps of a stroke that are kept while it is written.
    private static let keptStampsMax = 1 << 16

    func prepared(_ stroke: Stroke) -> PreparedStroke {
        PreparedStroke(self.stroke(stroke), keptStampsMax: VectorScene.keptStampsMax, isCancelled: tools.isCancelled)
    }

    /// The pattern that fills a drawn layer.
    func suggestedFill(_ layer: Layer) -> Brush? {
        guard let pattern = layer.suggestedPattern else { return nil }
        let brush = Brush(
            type: pattern.type.fillType, rotation: pattern.rotation, spacing: pattern.spacing, anchor: .canvas,
            color: pattern.color)
        return view?.brush(brush) ?? brush
    }
}

/// The bytes of a vector file, in order.
struct VectorOutput {
    private let scene: VectorScene
    private(set) var crc = crc32([])
    private var byteCount = 0

    init(_ scene: VectorScene) { self.scene = scene }

    mutating func write(_ bytes: [UInt8]) throws(EngineError) {
        if scene.tools.isCancelled() { throw .cancelled }
        byteCount += bytes.count
        guard byteCount <= VectorLimits.fileBytes else {
            throw .overLimit(
                scene.place, what: "the file of lines", found: "more than \(VectorLimits.fileBytes) bytes",
                limit: "\(VectorLimits.fileBytes) bytes")
        }
        crc = crc32(bytes, seed: crc)
        try scene.tools.write(bytes)
    }

    mutating func write(_ text: String) throws(EngineError) { try write(Array(text.utf8)) }
}
