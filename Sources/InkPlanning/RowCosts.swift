package import InkEngine
import InkProtocol

/// Estimated costs of a picture's rows. The estimates determine band heights and deadlines, never pixels.
package struct RowCosts: Sendable {
    /// Differences of the cost from row to row, so that a stroke of any height takes two additions.
    private var differences: [Double]
    private var everyRow: Double
    private let width: Double

    /// Nanoseconds for encoding a pixel and for its backdrop.
    private static let pixelEncoded = 8.0
    private static let pixelBase = 9.0
    private static let pixelLayer = 0.8
    private static let pixelImage = 2.0
    /// Nanoseconds for a pixel of a stamp's box.
    private static let stampPixel = 0.8
    private static let stampBase = 500.0
    /// Nanoseconds for a segment of a shape, and for a pixel of a shape's box.
    private static let shapeSegment = 400.0
    private static let shapePixel = 0.5

    package init(output: PixelSize) {
        differences = Array(repeating: 0, count: output.height + 1)
        everyRow = RowCosts.pixelBase * Double(output.width)
        width = Double(output.width)
    }

    /// Adds the cost per row of each layer that is drawn and each image that is scaled.
    package mutating func add(layers: Int, images: Int) {
        everyRow += (RowCosts.pixelLayer * Double(layers) + RowCosts.pixelImage * Double(images)) * width
    }

    /// Adds a stroke, spread evenly over the rows that it can touch.
    package mutating func add(
        _ stroke: Stroke, _ measure: StrokeMeasure, extent: MarkExtent, canvas: CanvasSize, output: PixelSize
    ) {
        guard !extent.isEmpty else { return }
        let scale = Double(output.width) / canvas.width
        let visible = Double(extent.maxX - extent.minX) * Double(extent.maxY - extent.minY)
        let cost: Double
        switch stroke.brush.mark.cost(of: stroke.brush) {
        case .pixels(let weight): cost = visible * RowCosts.stampPixel * weight
        case .stamps(let area):
            let seen = min(visible, area * scale * scale)
            cost = Double(StampCount.bound(of: stroke, measure)) * (RowCosts.stampBase + seen * RowCosts.stampPixel)
        }
        add(cost, extent)
    }

    /// Adds a shape likewise.
    package mutating func add(_ shape: Shape, extent: MarkExtent) {
        let pixels = Double(extent.maxX - extent.minX) * Double(extent.maxY - extent.minY)
        add(Self.shapeSegment * Double(shape.path.segmentCount) + Self.shapePixel * pixels, extent)
    }

    private mutating func add(_ cost: Double, _ extent: MarkExtent) {
        let perRow = min(cost, 1e15) / Double(extent.maxY - extent.minY)
        differences[Int(extent.minY)] += perRow
        differences[Int(extent.maxY)] -= perRow
    }

    /// The costs of a picture that the drawing lies in: those of a row are those of the pixels that it shows.
    func framed(_ frame: PictureFrame) -> RowCosts {
        var framed = RowCosts(output: frame.size)
        framed.everyRow += everyRow / Double(frame.magnification)
        for (row, difference) in differences.enumerated() {
            framed.differences[frame.y + row * frame.magnification] += difference / Double(frame.magnification)
        }
        return framed
    }

    /// Nanoseconds of each output row.
    package var perRow: [Double] { strokesPerRow.map { everyRow + $0 } }

    /// The part of it that marks take.
    package var strokesPerRow: [Double] {
        var running = 0.0
        return differences.dropLast().map { difference in
            running += difference
            return max(0, running)
        }
    }

    /// What every row takes beside its strokes and its encoding.
    package var compositePerRow: Double { everyRow - RowCosts.pixelEncoded * width }
}

/// f64 of every row, then a column of the differences: it has a value more than the picture has rows. Nearly all are 0
/// where there are few strokes, and equal bytes are compressed well.
extension RowCosts {
    /// What no estimate of a row exceeds, by far, so that sums of them are numbers.
    private static let nanosecondsMax = 1e24

    /// The minimum size of a picture's costs in bytes.
    static let leastBytes = 24

    init(from reader: inout ByteReader, output: PixelSize) throws(ProtocolError) {
        width = Double(output.width)
        everyRow = try reader.double("cost of a row", in: (RowCosts.pixelBase * width)...RowCosts.nanosecondsMax)
        differences = try reader.plane(
            "costs", count: output.height + 1, in: -RowCosts.nanosecondsMax...RowCosts.nanosecondsMax)
    }

    func write(to writer: inout ByteWriter) {
        writer.double(everyRow)
        writer.plane(differences)
    }
}
