/// A stroke or a shape, as the rasterizer needs it.
public enum PreparedMark: Sendable {
    case stroke(PreparedStroke)
    case shape(PreparedShape)

    /// A box that contains the mark, in canvas pixels.
    var bounds: Rect {
        switch self {
        case .stroke(let stroke): stroke.bounds
        case .shape(let shape): shape.bounds.expanded(by: shape.pattern?.wholeDotRadius ?? 0)
        }
    }

    var mode: StrokeMode {
        switch self {
        case .stroke(let stroke): stroke.mode
        case .shape(let shape): shape.mode
        }
    }

    /// What it paints with.
    var ink: PreparedShape.Ink {
        switch self {
        case .stroke(let stroke): .color(stroke.brush.color)
        case .shape(let shape): shape.ink
        }
    }

    /// Size in a cache, in bytes.
    var byteCount: Int {
        switch self {
        case .stroke(let stroke): stroke.byteCount
        case .shape(let shape): shape.byteCount
        }
    }

    /// Number of stamps kept.
    var keptStampCount: Int {
        switch self {
        case .stroke(let stroke): stroke.keptStampCount
        case .shape: 0
        }
    }
}

extension MarkList {
    /// - Precondition: there is a mark of this index.
    func prepared(_ index: Int, keptStampsMax: Int, isCancelled: () -> Bool) -> PreparedMark {
        switch self {
        case .strokes(let strokes):
            .stroke(PreparedStroke(strokes[index], keptStampsMax: keptStampsMax, isCancelled: isCancelled))
        case .shapes(let shapes): .shape(PreparedShape(shapes[index]))
        }
    }
}
