public import InkEngine

/// The pixels that a vector image is drawn in: a part of the raster that all of it would fill.
public struct VectorRaster: Hashable, Sendable {
    /// The size of the whole image, pixels.
    public var whole: PixelSize
    /// What of it is drawn: not empty, and inside of the whole.
    public var part: PixelRect

    /// The longest edge of the whole, pixels, beyond which the library's numbers would not be exact.
    public static let edgePixelsMax = 1 << 22

    public init(whole: PixelSize, part: PixelRect? = nil) {
        self.whole = whole
        self.part = part ?? PixelRect(x: 0, y: 0, width: whole.width, height: whole.height)
    }

    /// Rejects a raster that is larger than the limits allow.
    ///
    /// - Throws: `EngineError.overLimit` at `place`.
    public func check(against limits: Limits, place: Place) throws(EngineError) {
        guard whole.longestEdge <= Self.edgePixelsMax else {
            throw .overLimit(
                place, what: "the edge of the SVG in the output", found: "\(whole.longestEdge) pixels",
                limit: "\(Self.edgePixelsMax)")
        }
        guard part.size.area <= limits.imagePixels, part.size.longestEdge <= ImageHeader.edgePixelsMax else {
            throw .overLimit(
                place, what: "the SVG in the output", found: "\(part.size) = \(part.size.area) pixels",
                limit: "\(limits.imagePixels) pixels")
        }
    }
}

extension VectorRaster {
    /// The pixels for an image in a picture, in the size that it has in the output (spec section 8.4), and where they lie
    /// on the canvas. What lies beyond the picture is not drawn, whatever the zoom.
    ///
    /// - Parameters:
    ///   - placement: nil for the whole canvas.
    ///   - canvas: in canvas pixels.
    ///   - output: the picture's size in output pixels.
    public static func visible(
        of placement: Placement?, canvas: CanvasSize, output: PixelSize
    ) -> (raster: VectorRaster, placement: Placement?) {
        guard let placement else { return (VectorRaster(whole: output), nil) }
        let scale = OutputScale(canvas: canvas, output: output)
        let isTransposed = placement.quarterTurns.map { $0 % 2 == 1 } ?? false
        func edge(_ length: Double) -> Int { max(1, Int(min((length + 0.5).rounded(.down), 1e15))) }
        // An edge that lies along a column of the output is scaled like a column.
        let (scaleX, scaleY) = isTransposed ? (scale.y, scale.x) : (scale.x, scale.y)
        let whole = PixelSize(width: edge(placement.width * scaleX), height: edge(placement.height * scaleY))
        // Raster pixels are nearly output pixels.
        let step = (
            x: placement.width * scaleX / Double(whole.width), y: placement.height * scaleY / Double(whole.height)
        )
        let (sine, cosine) = sinCos(degrees: placement.rotation)
        let (center, middle) = (
            scale.output(placement.center), Point(x: Double(whole.width) / 2, y: Double(whole.height) / 2)
        )
        var box = Rect.empty
        for x in [0, Double(output.width)] {
            for y in [0, Double(output.height)] {
                let (dx, dy) = (x - center.x, y - center.y)
                box.formUnion(
                    Point(
                        x: middle.x + (cosine * dx + sine * dy) / step.x,
                        y: middle.y + (cosine * dy - sine * dx) / step.y))
            }
        }
        // More than the filters reach.
        let margin = 16.0
        func range(_ low: Double, _ high: Double, _ edge: Int, _ step: Double) -> Range<Int> {
            let first = max(0, min(Double(edge - 1), (low - margin / step).rounded(.down)))
            let end = max(first + 1, min(Double(edge), (high + margin / step).rounded(.up)))
            return Int(first)..<Int(end)
        }
        let columns = range(box.minX, box.maxX, whole.width, step.x)
        let rows = range(box.minY, box.maxY, whole.height, step.y)
        let part = PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
        let raster = VectorRaster(whole: whole, part: part)
        guard part.size != whole else { return (raster, placement) }

        // The part's rectangle on the canvas: its middle is turned about that of the whole, its edges keep the scale.
        let (dx, dy) = (
            (Double(part.x) + Double(part.width) / 2 - middle.x) * step.x,
            (Double(part.y) + Double(part.height) / 2 - middle.y) * step.y
        )
        let partCenter = Point(
            x: (center.x + cosine * dx - sine * dy) / scale.x, y: (center.y + sine * dx + cosine * dy) / scale.y)
        let (width, height) = (Double(part.width) * step.x / scaleX, Double(part.height) * step.y / scaleY)
        return (
            raster,
            Placement(
                x: partCenter.x - width / 2, y: partCenter.y - height / 2, width: width, height: height,
                rotation: placement.rotation)
        )
    }
}
