/// Something that is drawn on a page of a score.
enum EngravedItem: Hashable, Sendable {
    /// A symbol by its origin.
    ///
    /// `scale` is 1 for melody notes.
    case glyph(ScoreGlyph, at: StaffPoint, scale: Double = 1)
    /// A line or a beam.
    case box(StaffBox)
    /// A filled polygon: a slanted beam or a hairpin.
    case polygon([StaffPoint])
    /// A tie above its ends.
    case tie(from: StaffPoint, to: StaffPoint, height: Spaces)
    case text(EngravedText)

    func moved(x: Spaces = 0, y: Spaces = 0) -> EngravedItem {
        func moved(_ point: StaffPoint) -> StaffPoint { StaffPoint(x: point.x + x, y: point.y + y) }
        switch self {
        case .glyph(let glyph, let place, let scale): return .glyph(glyph, at: moved(place), scale: scale)
        case .box(let box): return .box(box.moved(x: x, y: y))
        case .polygon(let corners): return .polygon(corners.map(moved))
        case .tie(let from, let to, let height): return .tie(from: moved(from), to: moved(to), height: height)
        case .text(var text):
            text.place = moved(text.place)
            return .text(text)
        }
    }

    /// A box around it.
    var box: StaffBox {
        switch self {
        case .glyph(let glyph, let place, let scale):
            let box = glyph.box
            return StaffBox(
                minX: place.x + box.minX * scale, minY: place.y + box.minY * scale, maxX: place.x + box.maxX * scale,
                maxY: place.y + box.maxY * scale)
        case .box(let box): return box
        case .polygon(let corners):
            let (xs, ys) = (corners.map(\.x), corners.map(\.y))
            return StaffBox(
                minX: xs.min() ?? 0, minY: ys.min() ?? 0, maxX: xs.max() ?? 0, maxY: ys.max() ?? 0)
        case .tie(let from, let to, let height):
            return StaffBox(minX: from.x, minY: min(from.y, to.y), maxX: to.x, maxY: max(from.y, to.y) + height)
        case .text(let text): return text.box
        }
    }
}

/// A line of text on a page of a score.
struct EngravedText: Hashable, Sendable {
    var text: String
    var face: ScoreFace
    /// The size of an em.
    var size: Spaces
    /// The beginning of the baseline.
    var place: StaffPoint

    var width: Spaces { Spaces(face.letters.width(of: text)) * size.value }

    /// What letters cover: from the descenders to the ascenders.
    var box: StaffBox {
        StaffBox(
            minX: place.x, minY: place.y - size * 0.22, maxX: place.x + width, maxY: place.y + size * Self.ascent)
    }

    /// Ems from the baseline to the top of tall letters.
    static let ascent = 0.74
}
