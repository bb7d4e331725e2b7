/// A length in staff spaces, the distance of two lines of a staff, in steps of 1/1024: sums are exact, so that a page is the
/// same on every machine.
struct Spaces: Hashable, Comparable, Sendable, AdditiveArithmetic, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral
{
    var steps: Int

    static let stepsPerSpace = 1024

    init(steps: Int) { self.steps = steps }

    /// The nearest step; lengths beyond a million spaces, and what is no number, count as a million.
    init(_ value: Double) {
        steps = Int((min(max(value.isNaN ? 1e6 : value, -1e6), 1e6) * Double(Self.stepsPerSpace)).rounded())
    }

    init(floatLiteral value: Double) { self.init(value) }
    init(integerLiteral value: Int) { steps = value * Self.stepsPerSpace }

    var value: Double { Double(steps) / Double(Self.stepsPerSpace) }
    var half: Spaces { Spaces(steps: steps / 2) }

    static let zero = Spaces(steps: 0)

    static func < (a: Spaces, b: Spaces) -> Bool { a.steps < b.steps }
    static func + (a: Spaces, b: Spaces) -> Spaces { Spaces(steps: a.steps + b.steps) }
    static func - (a: Spaces, b: Spaces) -> Spaces { Spaces(steps: a.steps - b.steps) }
    static prefix func - (a: Spaces) -> Spaces { Spaces(steps: -a.steps) }
    static func * (a: Spaces, factor: Int) -> Spaces { Spaces(steps: a.steps * factor) }
    static func * (a: Spaces, factor: Double) -> Spaces { Spaces(a.value * factor) }
}

/// A place on a staff: x from the left end of the line; y upwards from the bottom line of the staff.
struct StaffPoint: Hashable, Sendable {
    var x: Spaces
    var y: Spaces
}

/// A rectangle on a staff, with sides that are straight up and across.
struct StaffBox: Hashable, Sendable {
    var minX: Spaces
    var minY: Spaces
    var maxX: Spaces
    var maxY: Spaces

    init(minX: Spaces, minY: Spaces, maxX: Spaces, maxY: Spaces) {
        (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
    }

    /// The box of a vertical line.
    init(stemAt x: Spaces, from y0: Spaces, to y1: Spaces, thick: Spaces) {
        self.init(minX: x - thick.half, minY: min(y0, y1), maxX: x - thick.half + thick, maxY: max(y0, y1))
    }

    var width: Spaces { maxX - minX }

    func moved(x: Spaces = 0, y: Spaces = 0) -> StaffBox {
        StaffBox(minX: minX + x, minY: minY + y, maxX: maxX + x, maxY: maxY + y)
    }

    func union(_ other: StaffBox) -> StaffBox {
        StaffBox(
            minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX),
            maxY: max(maxY, other.maxY))
    }

    /// Whether the boxes have an area in common when each is grown by half a gap.
    func overlaps(_ other: StaffBox, gap: Spaces = 0) -> Bool {
        minX < other.maxX + gap && other.minX < maxX + gap && minY < other.maxY + gap && other.minY < maxY + gap
    }
}
