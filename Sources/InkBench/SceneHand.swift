import InkEngine

/// Draws lines as a hand might: slow at both ends, bending this way and that, turning away from the paper's edge, with a
/// pressure that rises, wavers and falls.
struct SceneHand {
    /// Pixels of the square canvas.
    let edge: Double
    private var numbers: SceneNumbers

    /// The lengths of a tenth, two tenths, ... of all lines, canvas pixels: many short ones, few long ones.
    private static let lengths = [200.0, 235, 275, 326, 380, 460, 554, 682, 850, 1078, 1500]
    /// How close to the edge a line may come before it turns, canvas pixels.
    private static let margin = 90.0
    /// The tangent of half the angle that a line turns by at most, for a pixel of its length.
    private static let bendMax = 0.006

    init(edge: Double, seed: UInt64) {
        self.edge = edge
        numbers = SceneNumbers(seed: seed)
    }

    /// A line of 80 to 120 points; coordinates have two decimals, pressures three.
    mutating func line() -> [StrokePoint] {
        let count = numbers.integer(in: 80...120)
        let steps = steps(count: count - 1, length: length())
        var place = Point(
            x: numbers.number(in: Self.margin..<(edge - Self.margin)),
            y: numbers.number(in: Self.margin..<(edge - Self.margin)))
        var heading = Self.turned(Point(x: numbers.next() & 1 == 0 ? 1 : -1, y: 0), numbers.number(in: -1..<1))
        var bend = numbers.number(in: -Self.bendMax..<Self.bendMax) / 2
        var force = 0.9
        var points: [StrokePoint] = []
        points.reserveCapacity(count)
        for index in 0..<count {
            force = min(1, max(0.4, force + numbers.number(in: -0.04..<0.035)))
            let ends = 8 * Double(min(index, count - 1 - index)) / Double(count)
            points.append(
                StrokePoint(
                    x: Self.rounded(place.x, to: 100), y: Self.rounded(place.y, to: 100),
                    pressure: Self.rounded(max(0.05, force * min(1, ends)), to: 1000)))
            guard index < steps.count else { break }
            bend += numbers.number(in: -Self.bendMax..<Self.bendMax) / 5
            bend = min(Self.bendMax, max(-Self.bendMax, bend))
            if isNearEdge(place) { bend = turnToMiddle(from: place, heading) }
            heading = Self.turned(heading, bend * steps[index])
            place = Point(x: place.x + steps[index] * heading.x, y: place.y + steps[index] * heading.y)
        }
        return points
    }

    private mutating func length() -> Double {
        let part = numbers.integer(in: 0...(Self.lengths.count - 2))
        return numbers.number(in: Self.lengths[part]..<Self.lengths[part + 1])
    }

    /// The distances between the points, which add up to `length`: three times as long in the middle as at the ends.
    private func steps(count: Int, length: Double) -> [Double] {
        let speeds = (0..<count).map { index in
            let place = (Double(index) + 0.5) / Double(count)
            return 0.5 + 4 * place * (1 - place)
        }
        let sum = speeds.reduce(0, +)
        return speeds.map { $0 * length / sum }
    }

    private func isNearEdge(_ place: Point) -> Bool {
        let free = Self.margin..<(edge - Self.margin)
        return !free.contains(place.x) || !free.contains(place.y)
    }

    private func turnToMiddle(from place: Point, _ heading: Point) -> Double {
        let side = heading.x * (edge / 2 - place.y) - heading.y * (edge / 2 - place.x)
        return side < 0 ? -Self.bendMax : Self.bendMax
    }

    /// The direction turned by the angle whose half has this tangent; no sine is needed, nor a cosine.
    private static func turned(_ direction: Point, _ tangent: Double) -> Point {
        let square = tangent * tangent
        let (cosine, sine) = ((1 - square) / (1 + square), 2 * tangent / (1 + square))
        return Point(
            x: direction.x * cosine - direction.y * sine, y: direction.x * sine + direction.y * cosine)
    }

    private static func rounded(_ value: Double, to units: Double) -> Double { (value * units).rounded() / units }
}
