/// Marks of one sort, in drawing order: what a block of a drawing holds.
public enum MarkList: Hashable, Sendable {
    case strokes([Stroke])
    case shapes([Shape])

    public var count: Int {
        switch self {
        case .strokes(let strokes): strokes.count
        case .shapes(let shapes): shapes.count
        }
    }
}
