import InkEngine

/// The data of a path in SVG.
struct SVGPathText {
    private(set) var text = ""

    mutating func add(_ command: String, _ points: Point...) {
        text += command
        for (index, point) in points.enumerated() {
            text += "\(index == 0 ? "" : " ")\(Self.number(point.x)) \(Self.number(point.y))"
        }
    }

    mutating func close() { text += "Z" }

    /// To a thousandth of a unit.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}
