/// A part of a tune on a page.
struct PageSection: Hashable {
    /// The index among the engraved tunes.
    var tune: Int
    var hasHeading: Bool
    var lines: Range<Int>
}

/// Puts tunes on pages: lines are never divided, a heading keeps two lines with it, and no page has one line alone that could
/// be with others.
struct Pagination {
    let tunes: [EngravedTune]
    let height: Spaces
    let fit: DocumentLayoutSettings.Fit
    private(set) var pages: [[PageSection]] = []
    private var current: [PageSection] = []

    /// The gap between the last line of a tune and the heading of the next.
    static let tuneGap: Spaces = 1.5
    /// How much higher than its page the content may be where it can shrink.
    private static let excess = 1.15
    /// The lines that a heading keeps with it, and the least that are left for the next page.
    private static let linesMin = 2

    init(_ tunes: [EngravedTune], height: Spaces, fit: DocumentLayoutSettings.Fit) {
        self.tunes = tunes
        self.height = height
        self.fit = fit
        for (index, tune) in tunes.enumerated() { add(tune, index) }
        flush()
    }

    private mutating func flush() {
        if !current.isEmpty { pages.append(current) }
        current = []
    }

    private mutating func add(_ tune: EngravedTune, _ index: Int) {
        let whole = PageSection(tune: index, hasHeading: true, lines: tune.lines.indices)
        if tune.startsPage || fit == .page { flush() }
        if fits(current + [whole]) { return current.append(whole) }
        if !current.isEmpty, fits([whole]) || !fits(current + [first(Self.linesMin, of: whole)]) { flush() }
        var rest = whole
        while !rest.lines.isEmpty {
            if fits(current + [rest]) { return current.append(rest) }
            var count = rest.lines.count
            while count > 1, !fits(current + [first(count, of: rest)]) { count -= 1 }
            // No line alone on the last page.
            if rest.lines.count - count < Self.linesMin { count -= Self.linesMin - (rest.lines.count - count) }
            count = max(count, 1)
            current.append(first(count, of: rest))
            rest = PageSection(
                tune: index, hasHeading: false, lines: (rest.lines.lowerBound + count)..<rest.lines.upperBound)
            if !rest.lines.isEmpty { flush() }
        }
    }

    private func first(_ count: Int, of section: PageSection) -> PageSection {
        var part = section
        part.lines = section.lines.lowerBound..<min(section.lines.lowerBound + count, section.lines.upperBound)
        return part
    }

    private func fits(_ sections: [PageSection]) -> Bool {
        let natural = naturalHeight(sections)
        if natural <= height { return true }
        guard fit != .none, leastHeight(sections) <= height else { return false }
        return fit == .page || natural <= height * Self.excess
    }

    // MARK: - Heights, in the staff spaces of the page

    private func headings(_ sections: [PageSection]) -> Spaces {
        sections.enumerated().reduce(Spaces.zero) { sum, item in
            let (index, section) = item
            let tune = tunes[section.tune]
            return sum + (index > 0 ? Self.tuneGap : 0) + (section.hasHeading ? tune.heading.height * tune.scale : 0)
        }
    }

    func naturalHeight(_ sections: [PageSection]) -> Spaces {
        lines(sections).reduce(headings(sections)) { $0 + $1.line.height * $1.scale }
    }

    func leastHeight(_ sections: [PageSection]) -> Spaces {
        lines(sections).reduce(headings(sections)) { $0 + $1.line.heightMin * $1.scale }
    }

    private func lines(_ sections: [PageSection]) -> [(line: EngravedLine, scale: Double)] {
        sections.flatMap { section in
            tunes[section.tune].lines[section.lines].map { ($0, tunes[section.tune].scale) }
        }
    }

    // MARK: - Places

    /// Something of a page, with the place of its origin in staff spaces of the page: x from the left margin, y downwards from
    /// the upper one.
    struct Placed {
        var items: [EngravedItem]
        var y: Spaces
        var scale: Double
    }

    /// Headings and lines of a page from above.
    func placed(_ sections: [PageSection]) -> [Placed] {
        let (natural, least) = (naturalHeight(sections), leastHeight(sections))
        // 1: as high as the lines would be by themselves, 0: as low as they can be.
        var share = 1.0
        if natural > height, natural > least {
            share = max((height - least).value / (natural - least).value, 0)
        }
        var gap = Spaces.zero
        if fit == .page, natural < height {
            let gaps = lines(sections).count - 1
            if gaps > 0 { gap = min(Spaces((height - natural).value / Double(gaps)), 8) }
        }
        var y = Spaces.zero
        var placed: [Placed] = []
        for (index, section) in sections.enumerated() {
            let tune = tunes[section.tune]
            if index > 0 { y = y + Self.tuneGap }
            if section.hasHeading {
                y = y + tune.heading.height * tune.scale
                placed.append(Placed(items: tune.heading.texts.map { .text($0) }, y: y, scale: tune.scale))
            }
            for line in tune.lines[section.lines] {
                let height = line.heightMin + (line.height - line.heightMin) * share
                // What is drawn stays clear of the neighbours; the rest of the room is shared.
                let (above, below) = (line.top + 0.4, -line.bottom + 0.4)
                let (spareAbove, spareBelow) = (line.ascent - above, line.descent - below)
                let spare = max(height - above - below, 0)
                let all = max((spareAbove + spareBelow).value, 0.001)
                let ascent = above + spare * (spareAbove.value / all)
                placed.append(Placed(items: line.items, y: y + ascent * tune.scale, scale: tune.scale))
                y = y + height * tune.scale + gap
            }
        }
        return placed
    }
}

extension Pagination.Placed {
    /// All that is drawn, for digests.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        func add(_ number: Int) { withUnsafeBytes(of: Int64(number).littleEndian) { bytes += $0 } }
        func add(_ text: String) {
            add(text.utf8.count)
            bytes += Array(text.utf8)
        }
        func add(_ points: [StaffPoint]) {
            add(points.count)
            for point in points {
                add(point.x.steps)
                add(point.y.steps)
            }
        }
        add(y.steps)
        add(Int(scale.bitPattern >> 1))
        for item in items {
            switch item {
            case .glyph(let glyph, let place, let scale):
                add(glyph.rawValue)
                add([place])
                add(Int(scale.bitPattern >> 1))
            case .box(let box):
                add("box")
                add([StaffPoint(x: box.minX, y: box.minY), StaffPoint(x: box.maxX, y: box.maxY)])
            case .polygon(let corners):
                add("polygon")
                add(corners)
            case .tie(let from, let to, let height):
                add("tie")
                add([from, to, StaffPoint(x: height, y: 0)])
            case .text(let text):
                add(text.face.rawValue)
                add(text.text)
                add([text.place, StaffPoint(x: text.size, y: 0)])
            }
        }
        return bytes
    }
}
