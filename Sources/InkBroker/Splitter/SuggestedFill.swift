import InkEngine

/// The strokes for a template's suggested pattern (spec section 6).
enum SuggestedFill {
    /// Totals of a picture's fills.
    struct Total: Hashable, Sendable {
        var rows = 0
        var stamps = 0
    }

    /// The part of the canvas that a mask makes visible, in canvas pixels.
    ///
    /// - Parameters:
    ///   - bounds: the pixels of the mask above 0, mask pixels.
    static func box(maskBounds bounds: PixelRect, maskSize: PixelSize, canvas: CanvasSize) -> Rect {
        let scaleX = canvas.width / Double(maskSize.width)
        let scaleY = canvas.height / Double(maskSize.height)
        return Rect(
            minX: Double(bounds.x) * scaleX, minY: Double(bounds.y) * scaleY,
            maxX: Double(bounds.x + bounds.width) * scaleX, maxY: Double(bounds.y + bounds.height) * scaleY)
    }

    /// One stroke per row: at y = top + 3.5 p + 7 p n, as long as the row's seven lines begin above the box's bottom.
    ///
    /// - Parameters:
    ///   - total: of the picture's fills so far.
    ///   - place: identifies the layer's pattern in messages.
    /// - Throws: `EngineError.overLimit` if the rows or their stamps, with those so far, exceed the limits. Nothing is
    ///   made then.
    static func strokes(
        of pattern: SuggestedPattern, in box: Rect, limits: Limits, total: inout Total, place: Place
    ) throws(EngineError) -> [Stroke] {
        let rowHeight = 7 * pattern.spacing
        let rows = ((box.maxY - box.minY) / rowHeight).rounded(.up)
        guard rowHeight > 0, rows + Double(total.rows) <= Double(limits.strokes) else {
            throw .overLimit(place, what: "the suggested fill", found: "too many rows", limit: "\(limits.strokes) rows")
        }
        let perRow = StampCount.stamps(length: box.maxX - box.minX, distance: pattern.spacing)
        let (own, overflow) = perRow.multipliedReportingOverflow(by: max(1, Int(rows)))
        let stamps = StampCount.saturatingSum(total.stamps, overflow ? .max : own)
        guard stamps <= limits.stamps else {
            throw .overLimit(
                place, what: "the suggested fill", found: stamps == .max ? "too many stamps" : "\(stamps) stamps",
                limit: "\(limits.stamps) stamps")
        }
        total = Total(rows: total.rows + Int(rows), stamps: stamps)
        let brush = Brush(
            type: pattern.type, rotation: pattern.rotation, spacing: pattern.spacing, color: pattern.color)
        return (0..<Int(rows)).map { row in
            let y = box.minY + 3.5 * pattern.spacing + rowHeight * Double(row)
            return Stroke(brush: brush, points: [StrokePoint(x: box.minX, y: y), StrokePoint(x: box.maxX, y: y)])
        }
    }
}
