/// The gracenotes before a note: small heads, stems up. One alone has a flag, several share three beams at one height, so that
/// a line of them is even.
struct GraceGroup {
    let steps: [Int]
    let scale: Double
    /// The distance from the left of the first head to the melody note's head, or to its accidental.
    let width: Spaces
    /// Whether the beams follow the notes.
    private let isSlanted: Bool
    private let advance: Spaces

    static let stem: Spaces = 0.09
    static let stemLength: Spaces = 2.9
    static let gap: Spaces = 0.55
    static let ledgerReach: Spaces = 0.25
    static let beam: Spaces = 0.28
    static let beamGap: Spaces = 0.16
    private let beamCount: Int
    /// The top of the beams: all nine notes of the chanter have a stem below them.
    static let beamTop: Spaces = 7.1
    static let flag = ScoreGlyph.flag32ndUp
    /// Likewise above the line of a drum.
    private static let drumBeamTop: Spaces = 3.2
    private let top: Spaces
    private let flag: ScoreGlyph
    /// The scale of the flag where gracenotes have 0.6.
    private static let flagScale = 0.57

    /// - Parameter note: the melody note; nil for gracenotes without one.
    init(_ steps: [Int], before note: StaffNote?, rules: EngravingRules) {
        self.steps = steps
        scale = rules.settings.graceScale
        let isDrum = note?.isDrum == true
        (top, beamCount) = isDrum ? (Self.drumBeamTop, 2) : (Self.beamTop, 3)
        flag = isDrum ? .flag8thUp : Self.flag
        isSlanted = rules.settings.graceBeams == .slanted
        let head = ScoreGlyph.noteheadBlack.advance * scale
        advance = max(0.92, head + 0.2)
        var gap = Self.gap
        if steps.count == 1, let note, let y = steps.first.map(Self.y) {
            // The flag hangs beside the melody note's head where that is as high.
            let box = flag.box
            let top = y + Self.stemLength
            let bottom = top + box.minY * (Self.flagScale * scale / 0.6)
            let reach: Spaces = note.accidental == nil ? 0.5 : 1.4
            if bottom < note.y + reach + EngravingRules.gapMin, top > note.y - reach - EngravingRules.gapMin {
                gap = max(gap, box.maxX * (Self.flagScale * scale / 0.6) + EngravingRules.gapMin)
            }
        }
        width = steps.isEmpty ? 0 : advance * (steps.count - 1) + head + gap
    }

    private static func y(_ step: Int) -> Spaces { Spaces(steps: step * Spaces.stepsPerSpace / 2) }

    /// - Parameter left: of the first head.
    func items(left: Spaces) -> [EngravedItem] {
        var items: [EngravedItem] = []
        let head = ScoreGlyph.noteheadBlack.advance * scale
        let stems = steps.indices.map { left + advance * $0 + head - Self.stem.half }
        let tops = beamTops
        for (index, step) in steps.enumerated() {
            let (x, y) = (left + advance * index, Self.y(step))
            if step >= 10 {
                items.append(
                    .box(
                        StaffBox(
                            minX: x - Self.ledgerReach, minY: 5 - EngravingRules.ledgerLine.half,
                            maxX: x + head + Self.ledgerReach, maxY: 5 + EngravingRules.ledgerLine.half)))
            }
            items.append(.glyph(.noteheadBlack, at: StaffPoint(x: x, y: y), scale: scale))
            let root = y + 0.168 * scale
            items.append(.box(StaffBox(stemAt: stems[index], from: root, to: tops[index], thick: Self.stem)))
        }
        if steps.count == 1 {
            let place = StaffPoint(x: stems[0] - Self.stem.half, y: tops[0])
            items.append(.glyph(flag, at: place, scale: Self.flagScale * scale / 0.6))
        } else if let first = stems.first, let last = stems.last {
            let (x0, x1) = (first - Self.stem.half, last + Self.stem.half)
            for level in 0..<beamCount {
                let drop = (Self.beam + Self.beamGap) * level
                let (y0, y1) = (tops[0] - drop, tops[tops.count - 1] - drop)
                items.append(.beam(from: StaffPoint(x: x0, y: y0), to: StaffPoint(x: x1, y: y1), thick: Self.beam))
            }
        }
        return items
    }

    /// The upper end of each stem.
    private var beamTops: [Spaces] {
        if steps.count == 1 { return [Self.y(steps[0]) + Self.stemLength] }
        let flat = steps.map { _ in top }
        guard isSlanted, let first = steps.first, let last = steps.last, first != last else { return flat }
        let slope = Spaces(min(max(Double(last - first) * 0.1, -0.5), 0.5))
        return steps.indices.map { top + slope * (Double($0) / Double(steps.count - 1)) - max(slope, 0) }
    }
}

extension EngravedItem {
    /// A beam by the ends of its upper edge.
    static func beam(from: StaffPoint, to: StaffPoint, thick: Spaces) -> EngravedItem {
        if from.y == to.y { return .box(StaffBox(minX: from.x, minY: from.y - thick, maxX: to.x, maxY: from.y)) }
        return .polygon([
            from, to, StaffPoint(x: to.x, y: to.y - thick), StaffPoint(x: from.x, y: from.y - thick),
        ])
    }
}
