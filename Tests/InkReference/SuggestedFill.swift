public import InkEngine

extension ReferenceRenderer {
    /// Spec 6: the project with "each visible layer without strokes and content ... filled with its suggested pattern:
    /// the canvas pattern of 8.1 over the whole canvas"; 9.1: "A layer with shapes counts as drawn on".
    /// Layers without a suggestion stay empty.
    public static func fillingSuggested(_ project: Project) -> Project {
        var filled = project
        for (index, layer) in project.layers.enumerated() {
            guard layer.isVisible, layer.strokes.isEmpty, layer.shapes.isEmpty, layer.contentImage == nil,
                let pattern = layer.suggestedPattern
            else { continue }
            filled.layers[index].strokes = [stroke(pattern, project.canvasSize)]
        }
        return filled
    }

    /// "scale 1, lineWidth 1, opacity 1 ... in the pattern's colour ...; contourLines counts as parallelLines, solid is
    /// the colour everywhere": a tap of a brush that is larger than the canvas.
    private static func stroke(_ pattern: SuggestedPattern, _ canvas: CanvasSize) -> Stroke {
        let diameter = 4 * (canvas.width + canvas.height)
        let brush = Brush(
            type: pattern.type == .contourLines ? .parallelLines : pattern.type, rotation: pattern.rotation,
            spacing: pattern.spacing, opacity: 1, scale: 1, lineWidth: pattern.type == .solid ? diameter : 1,
            anchor: .canvas, size: diameter, color: pattern.color)
        return Stroke(brush: brush, points: [StrokePoint(x: canvas.width / 2, y: canvas.height / 2)])
    }
}
