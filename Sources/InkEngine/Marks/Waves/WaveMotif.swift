/// One length of a wave with its width, between straight lines across: the highest and lowest positions of discs on its
/// polyline. If waves overlap, it ends where the next one begins.
struct WaveMotif {
    private(set) var outline: [Point] = []
    private(set) var parts: [[Point]] = []

    let length: Double
    private let spacing: Double
    private let radius: Double
    private var step: Double { length / Double(WaveMark.steps) }

    /// Parts of a pixel between two sections, at most.
    private static let sectionsPerPixel = 2.0
    private static let sectionsMax = 2048.0
    /// Parts of the arc at a vertex.
    private static let arcParts = 8

    /// Vertex `step` of the middle wave, counted from the origin.
    func vertex(_ index: Int) -> Point {
        Point(x: step * Double(index), y: spacing / 4 * sinPi(Double(index) / 8))
    }

    /// Nil for waves that cover everything.
    init?(length: Double, spacing: Double, radius: Double, pixelsPerUnit: Double) {
        self.length = min(length, PatternMotif.lengthMax)
        self.spacing = spacing
        self.radius = radius
        let places = places(pixelsPerUnit)
        var sections = places.map { place -> Section in
            let upper = upper(place)
            let lower = 0 - self.upper(self.length - place)
            return Section(place: place, lower: lower, upper: min(upper, lower + spacing))
        }
        if sections.allSatisfy({ $0.upper - $0.lower >= spacing }) { return nil }
        WaveMotif.simplify(&sections, tolerance: 1e-3 / pixelsPerUnit)
        outline = sections.map { Point(x: $0.place, y: $0.lower) }
        outline += sections.reversed().map { Point(x: $0.place, y: $0.upper) }
        parts = zip(sections, sections.dropFirst()).map { a, b in
            [
                Point(x: a.place, y: a.lower), Point(x: b.place, y: b.lower), Point(x: b.place, y: b.upper),
                Point(x: a.place, y: a.upper),
            ]
        }
    }

    private struct Section {
        var place: Double
        var lower: Double
        var upper: Double
    }

    /// Where sections are taken: evenly, and where arcs and straight sides of the upper or lower border meet.
    private func places(_ pixelsPerUnit: Double) -> [Double] {
        let count = Int(min(max(length * pixelsPerUnit * WaveMotif.sectionsPerPixel, 32), WaveMotif.sectionsMax))
        var places = (0...count).map { length * Double($0) / Double(count) }
        func add(_ place: Double) {
            // The lower border is the upper one turned by half a turn.
            let wrapped = place - (place / length).rounded(.down) * length
            places += [wrapped, length - wrapped]
        }
        for index in 0..<WaveMark.steps {
            let joint = vertex(index)
            let (before, after) = (joint - vertex(index - 1), vertex(index + 1) - joint)
            let normals = [before, after].map { way in
                Point(x: -way.y / way.length, y: way.x / way.length)
            }
            for part in 0...WaveMotif.arcParts {
                let share = Double(part) / Double(WaveMotif.arcParts)
                let normal = (1 - share) * normals[0] + share * normals[1]
                add(joint.x + radius * normal.x / normal.length)
            }
            let slopes = (before.y / before.x, after.y / after.x)
            guard slopes.0 != slopes.1 else { continue }
            func height(_ slope: Double) -> Double { radius * (1 + slope * slope).squareRoot() }
            let crossing = (height(slopes.1) - height(slopes.0)) / (slopes.0 - slopes.1)
            if abs(crossing) < length { add(joint.x + crossing) }
        }
        places.sort()
        var distinct = [0.0]
        for place in places where place - distinct[distinct.count - 1] > 1e-9 * length && place < length * (1 - 1e-9) {
            distinct.append(place)
        }
        return distinct + [length]
    }

    /// The highest position of a disc on the wave that touches the line across at `place`.
    private func upper(_ place: Double) -> Double {
        // One wave further away there is nothing higher.
        let reach = min(radius, length)
        let first = Int(((place - reach) / step).rounded(.down)) - 1
        let last = Int(((place + reach) / step).rounded(.up))
        var upper = -Double.infinity
        for index in first...last {
            let (a, b) = (vertex(index), vertex(index + 1))
            guard a.x <= place + reach, b.x >= place - reach else { continue }
            let slope = (b.y - a.y) / (b.x - a.x)
            let sine = slope / (1 + slope * slope).squareRoot()
            // The disc's edge touches the line at this point of the wave, or at the nearest one.
            let touching = place + radius * (sine.isFinite ? sine : slope < 0 ? -1 : 1)
            let t = min(max(touching, a.x, place - radius), min(b.x, place + radius))
            let half = max(radius * radius - (t - place) * (t - place), 0).squareRoot()
            upper = max(upper, a.y + (t - a.x) * slope + half)
        }
        return upper
    }

    /// Leaves out sections that lie, within the tolerance, on the straight lines between their neighbours.
    private static func simplify(_ sections: inout [Section], tolerance: Double) {
        let all = sections
        sections = [all[0]]
        var start = 0
        while start + 1 < all.count {
            var end = start + 1
            while end + 1 < all.count, end - start < 40, isStraight(all, start, end + 1, tolerance) { end += 1 }
            sections.append(all[end])
            start = end
        }
    }

    private static func isStraight(_ all: [Section], _ start: Int, _ end: Int, _ tolerance: Double) -> Bool {
        let (a, b) = (all[start], all[end])
        return all[(start + 1)..<end].allSatisfy { section in
            let share = (section.place - a.place) / (b.place - a.place)
            return abs(a.lower + share * (b.lower - a.lower) - section.lower) <= tolerance
                && abs(a.upper + share * (b.upper - a.upper) - section.upper) <= tolerance
        }
    }
}
