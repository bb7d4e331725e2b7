import InkEngine

/// The borders of a region as smooth curves with corners, in pixels of the picture.
///
/// A border runs between pixels. Where the picture is anti-aliased, the colours beside it say how far it lies from there,
/// to a fraction of a pixel.
struct RegionOutline {
    private let map: RegionMap
    /// The colours of the picture and of its regions; nil: borders lie in the middle between pixels.
    private let colors: (picture: FlatPicture, regions: [FlatColor])?
    private let number: Int32
    private let box: PixelRect

    /// - Parameter box: round the region's pixels.
    init(
        of number: Int, in map: RegionMap, colors: (picture: FlatPicture, regions: [FlatColor])? = nil, box: PixelRect
    ) {
        self.map = map
        self.box = box
        self.colors = colors
        self.number = Int32(number)
    }

    /// Closed subpaths, to be filled by the even-odd rule.
    ///
    /// - Complexity: linear in the pixels of the region's box.
    func path() -> ShapePath {
        var path = ShapePath()
        for loop in loops() { Self.add(loop.map(\.place), to: &path) }
        return path
    }

    /// The length that a border may lie from the middle between its pixels without being seen, pixels.
    private static let tolerance = 0.35

    // MARK: - Borders

    /// The pieces of a border between two pixels, with the region on the right of the way.
    private enum Way: Int {
        case right = 0
        case down = 1
        case left = 2
        case up = 3

        var step: (x: Int, y: Int) {
            switch self {
            case .right: (1, 0)
            case .down: (0, 1)
            case .left: (-1, 0)
            case .up: (0, -1)
            }
        }

        func turned(by quarters: Int) -> Way { Way(rawValue: (rawValue + quarters + 4) % 4) ?? self }
    }

    /// A piece of a border.
    struct Piece {
        /// Where the border is in the middle of it.
        var place: Point
        /// What lies on the other side: the number of a region, below 0 for nothing; nil: the picture ends there.
        var other: Int32?
    }

    private func number(_ x: Int, _ y: Int) -> Int32? {
        guard x >= 0, y >= 0, x < map.size.width, y < map.size.height else { return nil }
        return map.numbers[y * map.size.width + x]
    }

    private func isInside(_ x: Int, _ y: Int) -> Bool { number(x, y) == number }

    /// The pixel on the right of a piece that begins at a corner of pixels.
    private func pixel(rightOf way: Way, _ x: Int, _ y: Int) -> (x: Int, y: Int) {
        switch way {
        case .right: (x, y)
        case .down: (x - 1, y)
        case .left: (x - 1, y - 1)
        case .up: (x, y - 1)
        }
    }

    /// The borders, each from piece to piece round the region.
    func loops() -> [[Piece]] {
        var isDone = [Bool](repeating: false, count: box.width * box.height)
        var loops: [[Piece]] = []
        for y in box.rows {
            for x in box.columns where isInside(x, y) && !isInside(x, y - 1) {
                if !isDone[(y - box.y) * box.width + x - box.x] { loops.append(loop(x, y, &isDone)) }
            }
        }
        return loops
    }

    /// Follows a border from the upper side of a pixel on.
    private func loop(_ startX: Int, _ startY: Int, _ isDone: inout [Bool]) -> [Piece] {
        var pieces: [Piece] = []
        var (x, y, way) = (startX, startY, Way.right)
        repeat {
            if way == .right { isDone[(y - box.y) * box.width + x - box.x] = true }
            pieces.append(piece(way, x, y))
            x += way.step.x
            y += way.step.y
            // Pixels that touch at a corner alone do not belong together.
            for turn in [1, 0, -1, 2] {
                let next = way.turned(by: turn)
                let inner = pixel(rightOf: next, x, y)
                let outer = pixel(rightOf: next.turned(by: 2), x + next.step.x, y + next.step.y)
                if isInside(inner.x, inner.y), !isInside(outer.x, outer.y) {
                    way = next
                    break
                }
            }
        } while (x, y, way) != (startX, startY, .right)
        return pieces
    }

    /// A piece with the place that the two pixels on either side show.
    private func piece(_ way: Way, _ x: Int, _ y: Int) -> Piece {
        let outward = way.turned(by: -1).step
        let inner = self.pixel(rightOf: way, x, y)
        func pixel(_ distance: Int) -> (x: Int, y: Int) {
            (inner.x + distance * outward.x, inner.y + distance * outward.y)
        }
        let beside = number(pixel(1).x, pixel(1).y)
        let middle = Point(x: Double(x) + Double(way.step.x) / 2, y: Double(y) + Double(way.step.y) / 2)
        guard let colors, let beside else { return Piece(place: middle, other: beside) }
        let own = colors.regions[Int(number)]
        let other = beside >= 0 ? colors.regions[Int(beside)] : FlatColor.nothing
        var covered = 0.0
        for distance in -1...2 {
            let (x, y) = pixel(distance)
            // Beyond the two regions the colours say nothing.
            if let found = number(x, y), found == (distance <= 0 ? number : beside),
                let share = colors.picture.pixels[y * map.size.width + x].share(of: own, against: other)
            {
                covered += share
            } else if distance <= 0 {
                covered += 1
            }
        }
        let shift = min(max(covered - 2, -1), 1)
        return Piece(place: middle + shift * Point(x: Double(outward.x), y: Double(outward.y)), other: beside)
    }

    // MARK: - Curves

    private static func add(_ loop: [Point], to path: inout ShapePath) {
        let corners = corners(of: loop)
        guard let first = corners.first else {
            // Round all over: it begins anywhere, in the direction that it has there.
            let reach = min(CurveFit.tangentReach, (loop.count - 1) / 2)
            let tangent = CurveFit.unit(loop[reach] - loop[loop.count - reach])
            path.move(to: loop[0])
            add(loop + [loop[0]], start: tangent, end: -1 * tangent, to: &path)
            return path.close()
        }
        path.move(to: first.place)
        for (corner, next) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
            var points = [corner.place]
            var index = (corner.index + 1) % loop.count
            while index != next.index {
                points.append(loop[index])
                index = (index + 1) % loop.count
            }
            points.append(next.place)
            // What lies beside a corner is cut off by its pixels.
            if points.count > 5 {
                points.remove(at: points.count - 2)
                points.remove(at: 1)
            }
            add(points, start: nil, end: nil, to: &path)
        }
        path.close()
    }

    private static func add(_ points: [Point], start: Point?, end: Point?, to path: inout ShapePath) {
        var distinct: [Point] = []
        for point in points where distinct.last != point { distinct.append(point) }
        guard distinct.count > 1 else { return }
        if isStraight(distinct) {
            path.line(to: distinct[distinct.count - 1])
            return
        }
        for curve in CurveFit(distinct, start: start, end: end, tolerance: tolerance).curves {
            path.cubic(curve.first, curve.second, to: curve.end)
        }
    }

    private static func isStraight(_ points: [Point]) -> Bool {
        let (first, last) = (points[0], points[points.count - 1])
        let chord = last - first
        let length = chord.length
        guard length > 0 else { return false }
        return points.allSatisfy { point in
            let way = point - first
            return abs(way.x * chord.y - way.y * chord.x) <= tolerance * length
        }
    }

    /// A corner of a border: the piece that it lies on, and its place.
    private struct Corner {
        var index: Int
        var place: Point
    }

    /// How far from a corner a border shows its directions, pieces.
    private static let cornerReach = 6
    /// The cosine of the least turn of a corner, 50 degrees.
    private static let cornerCosine = 0.643

    /// That of the least turn over half the way, 35 degrees.
    private static let bendCosine = 0.82

    private static func corners(of loop: [Point]) -> [Corner] {
        let count = loop.count
        guard count > 2 * cornerReach else { return smallCorners(of: loop) }
        func at(_ index: Int) -> Point { loop[((index % count) + count) % count] }
        /// The cosine of the turn at a piece; 1 for none.
        func cosine(_ index: Int, _ reach: Int) -> Double {
            let (before, after) = (
                CurveFit.unit(at(index) - at(index - reach)), CurveFit.unit(at(index + reach) - at(index))
            )
            return before.x * after.x + before.y * after.y
        }
        let turns = loop.indices.map { cosine($0, cornerReach) }
        func turn(_ index: Int) -> Double { turns[((index % count) + count) % count] }
        var corners: [Corner] = []
        for index in loop.indices where turns[index] < cornerCosine {
            // The sharpest of those around, the first of equal ones.
            let isSharpest = (1...cornerReach).allSatisfy {
                turn(index - $0) > turns[index] && turn(index + $0) >= turns[index]
            }
            // A narrow bend does not turn as much at once.
            guard isSharpest, cosine(index, cornerReach / 2) < bendCosine else { continue }
            corners.append(Corner(index: index, place: cornerPlace(at, index)))
        }
        return corners
    }

    /// Where the lines on both sides of a corner meet.
    private static func cornerPlace(_ at: (Int) -> Point, _ index: Int) -> Point {
        let own = at(index)
        func line(_ sign: Int) -> (point: Point, way: Point) {
            let (near, far) = (at(index + 2 * sign), at(index + cornerReach * sign))
            return (near, CurveFit.unit(far - near))
        }
        let (before, after) = (line(-1), line(1))
        let cross = before.way.x * after.way.y - before.way.y * after.way.x
        guard abs(cross) > 0.2 else { return own }
        let between = after.point - before.point
        let distance = (between.x * after.way.y - between.y * after.way.x) / cross
        let met = before.point + distance * before.way
        return (met - own).length <= 2 ? met : own
    }

    /// A spot of few pixels keeps its shape as it is.
    private static func smallCorners(of loop: [Point]) -> [Corner] {
        loop.count < 8 ? loop.indices.map { Corner(index: $0, place: loop[$0]) } : []
    }
}

extension FlatColor {
    /// How much of one colour is mixed with another, 0...1; nil where the two hardly differ.
    fileprivate func share(of one: FlatColor, against other: FlatColor) -> Double? {
        let whole = one.squares(other)
        guard whole > 3 * 24 * 24 else { return nil }
        var sum = 0
        for index: UInt32 in 0..<4 {
            sum += (channel(index) - other.channel(index)) * (one.channel(index) - other.channel(index))
        }
        return min(max(Double(sum) / Double(whole), 0), 1)
    }
}
