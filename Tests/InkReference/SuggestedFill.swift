public import InkEngine

extension ReferenceRenderer {
    /// Spec 6: the project with "each visible layer without strokes and content ... filled with its suggested pattern by
    /// one stroke a row". Layers without a suggestion stay empty.
    public static func fillingSuggested(_ project: Project, images: DecodedImages) -> Project {
        var filled = project
        for (index, layer) in project.layers.enumerated() {
            guard layer.isVisible, layer.strokes.isEmpty, layer.contentImage == nil,
                let pattern = layer.suggestedPattern,
                let box = maskBox(
                    layer.maskImage == nil ? nil : images[.mask(layerIndex: index)], canvas: project.canvasSize)
            else { continue }
            filled.layers[index].strokes = rows(pattern, in: box)
        }
        return filled
    }

    /// "rows at y = top + 3.5 p + 7 p n ... from the left to the right edge of the bounding box, ... two points,
    /// pressure 1, scale 1, lineWidth 1, opacity 1, in the pattern's colour". A row is 7 p high; the last one is the last
    /// whose band begins above the bottom of the box.
    private static func rows(_ pattern: SuggestedPattern, in box: Rect) -> [Stroke] {
        let p = pattern.spacing
        let brush = Brush(
            type: pattern.type, rotation: pattern.rotation, spacing: p, opacity: 1, scale: 1, lineWidth: 1,
            color: pattern.color)
        var strokes: [Stroke] = []
        while box.minY + 7 * p * Double(strokes.count) < box.maxY {
            let y = box.minY + 3.5 * p + 7 * p * Double(strokes.count)
            strokes.append(
                Stroke(brush: brush, points: [StrokePoint(x: box.minX, y: y), StrokePoint(x: box.maxX, y: y)]))
        }
        return strokes
    }

    /// The "bounding box of mask > 0" in canvas space, whole mask pixels; the canvas without a mask, nil where the mask
    /// is nowhere above 0.
    private static func maskBox(_ mask: StraightImage?, canvas: CanvasSize) -> Rect? {
        let width = canvas.width
        let height = canvas.height
        guard let mask else { return Rect(minX: 0, minY: 0, maxX: width, maxY: height) }
        var box = Rect.empty
        for y in 0..<mask.size.height {
            for x in 0..<mask.size.width {
                let start = (y * mask.size.width + x) * 4
                guard mask.rgba[start] > 0, mask.rgba[start + 3] > 0 else { continue }
                for corner in [(x, y), (x + 1, y + 1)] {
                    box.formUnion(
                        Point(
                            x: Double(corner.0) * width / Double(mask.size.width),
                            y: Double(corner.1) * height / Double(mask.size.height)))
                }
            }
        }
        return box.isEmpty ? nil : box
    }
}
