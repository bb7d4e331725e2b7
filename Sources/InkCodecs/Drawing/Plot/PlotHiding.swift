import InkEngine

/// An area that lines are cut to, or to what is outside of it.
struct PlotCut {
    var area: any PlotArea
    var isInside = true

    func contains(_ point: Point) -> Bool { area.contains(point) == isInside }

    /// - Parameter isInner: whether what runs along the edge of the area does not count.
    func parts(from a: Point, to b: Point, isInner: Bool = false) -> PlotParts {
        let parts = PlotParts(isInner ? area.innerParts(from: a, to: b) : area.parts(from: a, to: b))
        return isInside ? parts : parts.inverse
    }

    /// - Parameter width: of the line, of which at least a quarter has to be inside.
    func parts(from a: Point, to b: Point, width: Double) -> PlotParts {
        isInside ? PlotParts(area.parts(from: a, to: b, reach: width / 4)) : parts(from: a, to: b)
    }

    func isInside(_ box: Rect) -> Bool? { area.isInside(box).map { $0 == isInside } }
}

/// Areas one after the other, each of which adds to what is inside or takes away from it.
struct PlotSum: PlotArea {
    private let terms: [(area: PlotRegion, adds: Bool)]
    private let grid: PlotGrid
    /// For each cell the areas that may be in it, in their order.
    private var cells: [[Int32]]

    private static let cellsMax = 4096

    /// - Parameter page: outside of it nothing counts.
    init(_ terms: [(area: PlotRegion, adds: Bool)], page: Rect) {
        self.terms = terms
        grid = PlotGrid(page, cells: min(2 * terms.count, PlotSum.cellsMax))
        cells = Array(repeating: [], count: grid.cellCount)
        for (index, term) in terms.enumerated() {
            grid.forEachCell(in: term.area.box) { cells[$0].append(Int32(index)) }
        }
    }

    func contains(_ point: Point) -> Bool {
        guard grid.box.contains(point) else { return false }
        for index in cells[grid.row(point.y) * grid.columns + grid.column(point.x)].reversed()
        where terms[Int(index)].area.contains(point) {
            return terms[Int(index)].adds
        }
        return false
    }

    func parts(from a: Point, to b: Point) -> [ClosedRange<Double>] {
        guard let seen = grid.box.parts(from: a, to: b).first else { return [] }
        func place(_ t: Double) -> Point { a + t * (b - a) }
        let span = seen.upperBound - seen.lowerBound
        var parts = PlotParts()
        for (piece, cell) in grid.pieces(place(seen.lowerBound), place(seen.upperBound)) where !cells[cell].isEmpty {
            let (from, to) = (seen.lowerBound + piece.lowerBound * span, seen.lowerBound + piece.upperBound * span)
            var sum = PlotParts()
            for index in cells[cell] {
                let own = PlotParts(terms[Int(index)].area.parts(from: place(from), to: place(to)))
                sum = terms[Int(index)].adds ? sum.union(own) : sum.subtracting(own)
            }
            for part in sum.ranges {
                parts.add((from + part.lowerBound * (to - from))...(from + part.upperBound * (to - from)))
            }
        }
        return parts.ranges
    }

    func isInside(_ box: Rect) -> Bool? {
        var near: Set<Int32> = []
        grid.forEachCell(in: box) { near.formUnion(cells[$0]) }
        for index in near.sorted(by: >) {
            guard let own = terms[Int(index)].area.isInside(box) else { return nil }
            if own { return terms[Int(index)].adds }
        }
        return false
    }
}

/// Something opaque that hides what was drawn before it.
struct PlotCover {
    var color: RGBA8
    /// The number of the mark that covers.
    var depth: Int
    /// All of them hold where it covers.
    var cuts: [PlotCut]
    /// Nothing of it lies outside of it.
    var box: Rect

    /// Leaves what of it is inside, which may be nothing.
    mutating func cut(to cut: PlotCut) {
        switch box.isEmpty ? true : cut.isInside(box) {
        case true: return
        case false: (cuts, box) = ([], .empty)
        case nil: cuts.append(cut)
        }
    }

    func parts(from a: Point, to b: Point, isInner: Bool) -> PlotParts {
        var parts = PlotParts([0...1])
        for cut in cuts {
            parts = parts.intersection(cut.parts(from: a, to: b, isInner: isInner))
            if parts.ranges.isEmpty { break }
        }
        return parts
    }

    func contains(_ point: Point) -> Bool { cuts.allSatisfy { $0.contains(point) } }

    func isInside(_ box: Rect) -> Bool? {
        var isSure = true
        for cut in cuts {
            guard let own = cut.isInside(box) else {
                isSure = false
                continue
            }
            if !own { return false }
        }
        return isSure ? true : nil
    }
}

/// Finds what covers hide of lines.
struct PlotHiding {
    private let covers: [PlotCover]
    private let paper: RGBA8?
    private let grid: PlotGrid
    /// For each cell the covers that may be in it, from the top down, the last of them over all of it.
    private var cells: [[(cover: Int32, isWhole: Bool)]]

    private static let cellsMax = 4096
    /// Cells of all covers together.
    private static let entriesMax = 20_000_000

    /// - Parameter paper: the colour of what lies under everything; nil if that is not opaque.
    init(_ covers: [PlotCover], page: Rect, paper: RGBA8?) {
        self.covers = covers
        self.paper = paper
        grid = PlotGrid(
            page, cells: min(PlotHiding.cellsMax, max(PlotHiding.entriesMax / max(covers.count, 1), 16)))
        cells = Array(repeating: [], count: grid.cellCount)
        let order = covers.indices.sorted { (covers[$0].depth, $0) > (covers[$1].depth, $1) }
        for index in order {
            grid.forEachCell(in: covers[index].box) { cell in
                if cells[cell].last?.isWhole == true { return }
                let isInside = covers[index].isInside(grid.rect(cell % grid.columns, cell / grid.columns))
                if isInside != false { cells[cell].append((Int32(index), isInside == true)) }
            }
        }
    }

    /// The parts of a line that can be seen.
    ///
    /// - Parameter border: the colour of the area whose border the line is: it is not seen against such a colour.
    func visible(from a: Point, to b: Point, depth: Int, border: RGBA8?) -> [ClosedRange<Double>] {
        var visible = PlotParts()
        for (part, cell) in grid.pieces(a, b) {
            let (from, to) = (a + part.lowerBound * (b - a), a + part.upperBound * (b - a))
            let span = part.upperBound - part.lowerBound
            for own in seen(cells[cell], from, to, depth, border).ranges {
                visible.add((part.lowerBound + own.lowerBound * span)...(part.lowerBound + own.upperBound * span))
            }
        }
        return visible.ranges
    }

    private func seen(
        _ entries: [(cover: Int32, isWhole: Bool)], _ a: Point, _ b: Point, _ depth: Int, _ border: RGBA8?
    ) -> PlotParts {
        var rest = PlotParts([0...1])
        var seen = PlotParts()
        for (index, isWhole) in entries {
            let cover = covers[Int(index)]
            if cover.depth == depth { continue }
            if cover.depth < depth, border == nil { break }
            let own = isWhole ? PlotParts([0...1]) : cover.parts(from: a, to: b, isInner: cover.depth < depth)
            if cover.depth < depth, border?.isNear(cover.color) == false { seen = seen.union(rest.intersection(own)) }
            rest = rest.subtracting(own)
            if rest.ranges.isEmpty { return seen }
        }
        if let border, let paper, border.isNear(paper) { return seen }
        return seen.union(rest)
    }

    func shows(_ point: Point, depth: Int) -> Bool {
        for (index, isWhole) in cells[grid.row(point.y) * grid.columns + grid.column(point.x)] {
            let cover = covers[Int(index)]
            if cover.depth <= depth { return true }
            if isWhole || cover.contains(point) { return false }
        }
        return true
    }
}
