package import InkEngine

/// The stroke for a template's suggested pattern (spec section 6): the pattern lies still on the canvas, and the stroke
/// uncovers all of it.
package enum SuggestedFill {
    /// - Parameters:
    ///   - canvas: what the stroke covers, in canvas pixels.
    ///   - view: from the world, of which the pattern is a part, to the canvas; nil: they are the same.
    package static func stroke(of pattern: SuggestedPattern, canvas: CanvasSize, through view: ViewMap? = nil) -> Stroke
    {
        // So large that cells at the canvas's border lie within it, too.
        let size = 8 * (canvas.width + canvas.height)
        let type = pattern.type.fillType
        // A brush without a pattern leaves its line.
        let brush = Brush(
            type: type, rotation: pattern.rotation, spacing: pattern.spacing, lineWidth: type.canLieStill ? 1 : size,
            anchor: .canvas, size: size, color: pattern.color)
        let stroke = Stroke(brush: brush, points: [StrokePoint(x: canvas.width / 2, y: canvas.height / 2)])
        guard let view else { return stroke }
        var seen = view.stroke(stroke)
        // The pattern grows and turns with the world; what is uncovered stays the canvas.
        seen.points = stroke.points
        let zoom = view.length(1)
        seen.brush.size /= zoom
        if !type.canLieStill { seen.brush.lineWidth /= zoom }
        return seen
    }
}
