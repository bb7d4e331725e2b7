public import InkEngine

/// A line of text that is laid over pictures. Its outlines are filled as strokes are, so that it looks the same on every
/// machine.
public struct TextOverlay: Sendable {
    /// How the text is drawn. Lengths are in the same unit as the font's size.
    public struct Style: Hashable, Sendable {
        public var color = RGBA8.white
        /// How far an outline in black reaches beyond the letters; nil: none.
        public var outline: Double?
        /// The softness of a shadow in black, as twice the deviation of its Gaussian; 0: no shadow.
        public var shadowBlur = 0.0

        public init() {}
    }

    private let line: TextLine
    private let style: Style
    private let place: Place

    /// The largest size of a font, pixels.
    public static let sizeMax = 2_000.0
    /// The largest outline and shadow, pixels.
    public static let reachMax = 500.0
    /// The opacity of outline and shadow.
    private static let darkness: Float = 0.7

    /// - Parameters:
    ///   - text: one line.
    ///   - fonts: at least one: the first gives the height, the others are asked for what it lacks.
    ///   - style: how it is drawn.
    ///   - place: of the text, for errors.
    /// - Throws: `badInput` for a text that cannot be drawn, `overLimit` for a long one.
    public init(_ text: String, fonts: [Font], style: Style, place: Place) throws(EngineError) {
        line = try TextLine(text, fonts: fonts, place: place)
        self.style = style
        self.place = place
    }

    /// The text's box: as wide as the line, as high as the font.
    ///
    /// - Parameter size: of the font, pixels.
    /// - Throws: `overLimit`.
    func box(size: Double) throws(EngineError) -> PixelSize {
        guard size > 0, size <= Self.sizeMax else {
            throw .overLimit(
                place, what: "the font", found: "\(shownNumber(size)) pixels",
                limit: "\(shownNumber(Self.sizeMax)) pixels")
        }
        return PixelSize(
            width: Int((line.advance * size).rounded(.up)),
            height: Int(((line.ascent + line.descent) * size).rounded(.up)))
    }

    /// The text's pixels.
    ///
    /// - Parameters:
    ///   - size: of the font, pixels.
    ///   - unit: what lengths of the style are multiplied by.
    /// - Throws: `overLimit` before memory is taken.
    func raster(size: Double, unit: Double, limits: Limits) throws(EngineError) -> OverlayRaster {
        let box = try box(size: size)
        let outline = (style.outline ?? 0) * unit
        let deviation = style.shadowBlur * unit / 2
        guard max(outline, 2 * deviation) <= Self.reachMax else {
            throw .overLimit(
                place, what: "the outline or shadow", found: "\(shownNumber(max(outline, 2 * deviation))) pixels",
                limit: "\(shownNumber(Self.reachMax)) pixels")
        }
        let polygons = try self.polygons(size: size)
        var ink = Rect.empty
        for corner in polygons.joined() { ink.formUnion(corner) }
        let shadow = Gaussian(deviation: deviation)
        ink = ink.expanded(by: outline + Double(shadow.reach))
        let (left, top) = (min(0, Int(ink.minX.rounded(.down))), min(0, Int(ink.minY.rounded(.down))))
        let rect = PixelRect(
            x: left, y: top, width: max(box.width, Int(ink.maxX.rounded(.up))) - left,
            height: max(box.height, Int(ink.maxY.rounded(.up))) - top)
        guard rect.area <= limits.heldImagePixels else {
            throw .overLimit(
                place, what: "the text", found: "\(rect.size) = \(rect.area) pixels",
                limit: "\(limits.heldImagePixels) pixels")
        }
        let corner = Point(x: Double(rect.x), y: Double(rect.y))
        let coverage = TextCoverage(polygons: polygons.map { $0.map { $0 - corner } }, size: rect.size)
        let letters = coverage.fill()
        let edges = outline > 0 ? coverage.outline(radius: outline) : nil
        var dark = [Float](repeating: 0, count: shadow.reach > 0 ? rect.area : 0)
        if shadow.reach > 0 {
            dark = letters
            if let edges { for index in dark.indices { dark[index] = max(dark[index], edges[index]) } }
            shadow.blur(&dark, rect.size)
        }
        return OverlayRaster(rect: rect, pixels: pixels(letters, edges, dark))
    }

    /// Shadow, outline and letters over each other.
    private func pixels(_ letters: [Float], _ edges: [Float]?, _ dark: [Float]) -> [UInt8] {
        let color = (Float(style.color.red), Float(style.color.green), Float(style.color.blue))
        let opacity = Float(style.color.alpha) / 255
        var pixels = [UInt8](repeating: 0, count: 4 * letters.count)
        func byte(_ value: Float) -> UInt8 { UInt8(min(255, max(0, (value + 0.5).rounded(.down)))) }
        for index in letters.indices {
            let letter = letters[index] * opacity
            // What is black below.
            let shadow = dark.isEmpty ? 0 : Self.darkness * dark[index]
            let edge = edges.map { Self.darkness * $0[index] } ?? 0
            let below = edge + (1 - edge) * shadow
            let alpha = letter + (1 - letter) * below
            guard alpha > 0 else { continue }
            let share = letter / alpha
            pixels[4 * index] = byte(share * color.0)
            pixels[4 * index + 1] = byte(share * color.1)
            pixels[4 * index + 2] = byte(share * color.2)
            pixels[4 * index + 3] = byte(255 * alpha)
        }
        return pixels
    }

    /// The outlines of all glyphs, pixels from the corner of the box.
    private func polygons(size: Double) throws(EngineError) -> [[Point]] {
        let baseline = roundedHalfUp(line.ascent * size)
        var all: [[Point]] = []
        for glyph in line.glyphs {
            let scale = size / glyph.font.unitsPerEm
            let origin = Point(x: glyph.place.x * size, y: baseline - glyph.place.y * size)
            all += try glyph.font.outline(glyph.number).polygons { point in
                Point(x: origin.x + point.x * scale, y: origin.y - point.y * scale)
            }
        }
        return all
    }
}

/// The areas of pixels that letters and their outlines cover.
private struct TextCoverage {
    let polygons: [[Point]]
    let size: PixelSize
    private let bounds: [Rect]

    private static let cellWidth = 1024
    private static let cellHeight = 128

    init(polygons: [[Point]], size: PixelSize) {
        self.polygons = polygons
        self.size = size
        bounds = polygons.map { corners in
            var box = Rect.empty
            for corner in corners { box.formUnion(corner) }
            return box
        }
    }

    func fill() -> [Float] {
        let accumulator = CoverageAccumulator(maxWidth: Self.cellWidth, maxHeight: Self.cellHeight)
        return forEachCell { cell, plane in
            var near = Polygons()
            for index in polygonsNear(cell, distance: 2) {
                for corner in polygons[index] { near.append(corner) }
                near.endPolygon()
            }
            guard !near.counts.isEmpty else { return }
            accumulator.move(to: cell)
            accumulator.add(near)
            accumulator.addPolygons(to: plane, rows: cell.rows, weight: 1)
        }
    }

    func outline(radius: Double) -> [Float] {
        let accumulator = CoverageAccumulator(maxWidth: Self.cellWidth, maxHeight: Self.cellHeight)
        let rasterizer = PartRasterizer(accumulator: accumulator, level: .selected)
        let scale = OutputScale(canvas: CanvasSize(width: 1, height: 1), output: PixelSize(width: 1, height: 1))
        return forEachCell { cell, plane in
            var parts: [ConvexPart] = []
            for index in polygonsNear(cell, distance: radius + 2) {
                guard var last = polygons[index].last else { continue }
                for corner in polygons[index] {
                    parts.append(
                        .hull(
                            PreparedStroke.Disc(center: last, radius: radius),
                            PreparedStroke.Disc(center: corner, radius: radius)))
                    last = corner
                }
            }
            guard !parts.isEmpty else { return }
            accumulator.move(to: cell)
            rasterizer.add(parts, scale: scale)
            accumulator.add(to: plane, box: cell, weight: 1)
        }
    }

    private func polygonsNear(_ cell: PixelRect, distance: Double) -> [Int] {
        bounds.indices.filter { index in
            let box = bounds[index].expanded(by: distance)
            return box.minX < Double(cell.x + cell.width) && box.maxX > Double(cell.x)
                && box.minY < Double(cell.y + cell.height) && box.maxY > Double(cell.y)
        }
    }

    /// The values of all pixels; `draw` adds those of a cell to a plane of zeros.
    private func forEachCell(_ draw: (PixelRect, KernelPlane<Float>) -> Void) -> [Float] {
        var values = [Float](repeating: 0, count: size.area)
        for y in stride(from: 0, to: size.height, by: Self.cellHeight) {
            for x in stride(from: 0, to: size.width, by: Self.cellWidth) {
                let cell = PixelRect(
                    x: x, y: y, width: min(Self.cellWidth, size.width - x),
                    height: min(Self.cellHeight, size.height - y))
                let plane = KernelPlane<Float>(maxWidth: Self.cellWidth, maxHeight: Self.cellHeight, value: 0)
                plane.move(to: cell)
                draw(cell, plane)
                for row in 0..<cell.height {
                    let source = plane.row(cell, row)
                    let place = (y + row) * size.width + x
                    for column in 0..<cell.width { values[place + column] = min(max(source[column], 0), 1) }
                }
            }
        }
        return values
    }
}

/// A Gaussian blur. Its weights are sums and products alone, the same on every machine.
struct Gaussian {
    /// The weights of the middle and of each distance from it; their sum on both sides is 1. Empty: no blur.
    private let weights: [Float]

    /// Pixels by which a blurred shape grows on each side.
    var reach: Int { max(0, weights.count - 1) }

    /// - Parameter deviation: pixels; up to a twentieth of one nothing is blurred.
    init(deviation: Double) {
        guard deviation > 0.05 else {
            weights = []
            return
        }
        let count = Int((3 * deviation).rounded(.up))
        let values = (0...count).map { Self.exponential(-Double($0 * $0) / (2 * deviation * deviation)) }
        let sum = values[0] + 2 * values.dropFirst().reduce(0, +)
        weights = values.map { Float($0 / sum) }
    }

    /// e to a power from -10 to 0.
    private static func exponential(_ power: Double) -> Double {
        // By the series, for a 64th of the power.
        let part = power / 64
        var (term, sum) = (1.0, 1.0)
        for index in 1...12 {
            term *= part / Double(index)
            sum += term
        }
        for _ in 0..<6 { sum *= sum }
        return sum
    }

    func blur(_ values: inout [Float], _ size: PixelSize) {
        guard reach > 0 else { return }
        blur(&values, lines: size.height, lineStep: size.width, count: size.width, step: 1)
        blur(&values, lines: size.width, lineStep: 1, count: size.height, step: size.width)
    }

    /// Beyond the ends there is nothing.
    private func blur(_ values: inout [Float], lines: Int, lineStep: Int, count: Int, step: Int) {
        var source = [Float](repeating: 0, count: count + 2 * reach)
        for line in 0..<lines {
            let start = line * lineStep
            for index in 0..<count { source[reach + index] = values[start + index * step] }
            for index in 0..<count {
                let middle = reach + index
                var sum = weights[0] * source[middle]
                for distance in 1..<weights.count {
                    sum += weights[distance] * (source[middle - distance] + source[middle + distance])
                }
                values[start + index * step] = sum
            }
        }
    }
}
