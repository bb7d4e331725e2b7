/// The surroundings of a cell: a quick test for the many strokes and stamps that do not meet the cell.
struct NearCell {
    private let box: Rect

    /// - Parameter reach: how far from the tested point it may have an effect, in canvas pixels.
    init(_ cell: PixelRect, scale: OutputScale, reach: Double = 0) {
        // A box of whole pixels is up to two pixels larger than its contents.
        box = Rect(
            minX: Double(cell.x - 2) / scale.x - reach, minY: Double(cell.y - 2) / scale.y - reach,
            maxX: Double(cell.x + cell.width + 2) / scale.x + reach,
            maxY: Double(cell.y + cell.height + 2) / scale.y + reach)
    }

    @inline(__always)
    func meets(_ other: Rect) -> Bool {
        other.minX <= box.maxX && other.maxX >= box.minX && other.minY <= box.maxY && other.maxY >= box.minY
    }

    @inline(__always)
    func contains(_ p: Point) -> Bool { p.x >= box.minX && p.x <= box.maxX && p.y >= box.minY && p.y <= box.maxY }

    func isHeld(by disc: PreparedStroke.Disc) -> Bool {
        let x = max(disc.center.x - box.minX, box.maxX - disc.center.x)
        let y = max(disc.center.y - box.minY, box.maxY - disc.center.y)
        return x * x + y * y <= disc.radius * disc.radius
    }
}
