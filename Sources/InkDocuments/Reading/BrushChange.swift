public import InkEngine

/// What is wished of the brushes of a document's strokes; nil: as the document has it.
public struct BrushChange: Hashable, Sendable {
    /// All settings at once but the colour; the others replace its own.
    public var preset: Brush?
    public var type: BrushType?
    public var anchor: BrushAnchor?
    /// Canvas pixels, as the ones below.
    public var size: Double?
    public var spacing: Double?
    public var lineWidth: Double?
    /// Opaque.
    public var color: RGBA8?

    public init(type: BrushType? = nil) { self.type = type }

    /// What identifiers of layers of paper begin with, whose lines keep their brush.
    static let paperMark = "paper-"

    var isNothing: Bool { self == BrushChange() }

    /// The brush with what is wished. A solid line that becomes a pattern uncovers it in its own width, but not in less
    /// than the width of a brush that has none.
    public func applied(to brush: Brush) -> Brush {
        var changed = preset ?? brush
        changed.color = brush.color
        if let type, type != changed.type {
            changed.type = type
            changed.anchor = type.canLieStill ? .canvas : .stamp
            if brush.type == .solid {
                changed.size = max(Brush.defaultSize, brush.lineWidth)
                changed.lineWidth = 1
            }
        }
        changed.anchor = anchor ?? changed.anchor
        changed.size = size ?? changed.size
        changed.spacing = spacing ?? changed.spacing
        changed.lineWidth = lineWidth ?? changed.lineWidth
        changed.color = color ?? changed.color
        return changed
    }

    /// Changes the brush in all strokes of a document but the lines of its paper, and in what tells it from others.
    func apply(to reading: inout ProjectReading) {
        guard !isNothing else { return }
        apply(to: &reading.project.layers)
        let digest = SHA256()
        digest.update(label: "document", reading.contentDigest)
        digest.update(label: "brush", Array("\(self)".utf8))
        reading.contentDigest = digest.finish()
    }

    private func apply(to layers: inout [Layer]) {
        for index in layers.indices where !layers[index].id.hasPrefix(Self.paperMark) {
            for stroke in layers[index].strokes.indices {
                layers[index].strokes[stroke].brush = applied(to: layers[index].strokes[stroke].brush)
            }
            if case .group(var children, let isPassThrough) = layers[index].kind {
                apply(to: &children)
                layers[index].kind = .group(children, isPassThrough: isPassThrough)
            }
        }
    }
}
