/// The texts above a tune's first line: title, type and composer beside each other where they have room.
struct EngravedHeading {
    /// y upwards from the lower edge of the heading.
    private(set) var texts: [EngravedText] = []
    private(set) var height: Spaces = 0
    /// The texts that were cut, as the file has them.
    private(set) var cut: [String] = []

    /// The least distance of two texts of a row.
    static let gap: Spaces = 1.5
    private static let rowHeight: Spaces = 2.8

    private struct Row {
        var texts: [EngravedText] = []
        var size: Spaces = 0
    }

    init(_ metadata: TuneMetadata, width: Spaces, rules: EngravingRules) {
        // The type gives way to the others.
        let order: [ScoreText.Kind] = [.title, .composer, .type, .arranger]
        let texts = metadata.texts.filter { order.contains($0.kind) }
            .enumerated().sorted { a, b in
                let (first, second) = (
                    order.firstIndex(of: a.element.kind) ?? 0, order.firstIndex(of: b.element.kind) ?? 0
                )
                return (first, a.offset) < (second, b.offset)
            }
            .map(\.element)
        var rows: [Row] = []
        for text in texts {
            let (face, size): (ScoreFace, Spaces) =
                switch text.kind {
                case .title: (rules.bold, 3)
                case .type: (rules.regular, 2.2)
                default: (rules.italic, 2)
                }
            let whole = EngravedText(text: text.text, face: face, size: size, place: StaffPoint(x: 0, y: 0))
            var item = whole.fitted(width)
            if item.text != whole.text { cut.append(text.text) }
            item.place.x =
                switch text.alignment {
                case .left: 0
                case .center: (width - item.width).half
                case .right: width - item.width
                }
            // An arranger stands below the composer.
            let first = text.kind == .arranger ? min(1, rows.count) : 0
            let row =
                (first..<rows.count).first { row in rows[row].texts.allSatisfy { !item.isNear($0) } } ?? rows.count
            if row == rows.count { rows.append(Row()) }
            rows[row].texts.append(item)
            rows[row].size = max(rows[row].size, item.size)
        }
        guard !rows.isEmpty else { return }
        var depth = Spaces.zero
        for (index, row) in rows.enumerated() {
            // Baselines are as far from each other as the larger text asks for.
            depth = depth + (index == 0 ? row.size * EngravedText.ascent : max(Self.rowHeight, row.size * 1.2))
            self.texts += row.texts.map { text in
                var text = text
                text.place.y = -depth
                return text
            }
        }
        height = depth + 0.8
        self.texts = self.texts.map { text in
            var text = text
            text.place.y = text.place.y + height
            return text
        }
    }
}

extension EngravedText {
    fileprivate func isNear(_ other: EngravedText) -> Bool {
        place.x < other.place.x + other.width + EngravedHeading.gap
            && other.place.x < place.x + width + EngravedHeading.gap
    }
}
