import Glibc
import InkEngine

/// The lines and areas of an element as Excalidraw draws them, from the bottom to the top, in the element's coordinates.
struct ExcalidrawSketch {
    struct Part {
        var steps: [RoughSketch.Step]
        /// The width of a line; nil: it is an area.
        var lineWidth: Double?
        var dashes: [Double] = []
        var color: RGBA8
        /// The fill rule of an area.
        var rule = FillRule.evenodd
        var name = "Strokes"
    }

    private(set) var parts: [Part] = []
    /// A hatching is left out, since it would have too many lines.
    private(set) var isTooDense = false
    /// About which the element turns.
    private(set) var middle: Point
    let element: ExcalidrawElement

    init(_ element: ExcalidrawElement, background: RGBA8) {
        self.element = element
        let isFreehand = element.type == "freedraw"
        middle = isFreehand ? element.middleOfPoints : Point(x: element.width / 2, y: element.height / 2)
        guard let shape else { return }
        let drawn = draw(
            shape.outline, element.style(isContinuous: shape.isContinuous), fill: element.fill, element.fillStyle,
            stroke: isFreehand ? nil : element.stroke, dashes: element.dashes)
        parts = drawn.parts
        isTooDense = drawn.isTooDense
        guard element.isLine else { return }
        // Lines turn about the middle of what they cover, with their wobble.
        middle = ExcalidrawElement.middle(RoughSketch.pieces(drawn.outline).flatMap { $0 })
        guard element.type == "arrow", let color = element.stroke else { return }
        for (name, isAtStart) in [(element.startHead, true), (element.endHead, false)] {
            guard let name else { continue }
            parts += head(name, isAtStart: isAtStart, of: drawn.outline, color, background)
        }
    }

    /// Sketches a shape with random numbers from their beginning, as each is.
    func draw(
        _ shape: RoughSketch.Shape, _ style: RoughStyle, fill: RGBA8?, _ fillStyle: RoughSketch.Fill = .area,
        stroke: RGBA8?, dashes: [Double] = []
    ) -> (outline: [RoughSketch.Step], parts: [Part], isTooDense: Bool) {
        var sketch = RoughSketch(style, seed: element.seed)
        let (outline, filling) = sketch.draw(shape, fill: fill == nil ? nil : fillStyle)
        var parts: [Part] = []
        if let fill {
            var part = Part(steps: filling ?? [], color: fill)
            if case .hatching = fillStyle { (part.lineWidth, part.name) = (element.strokeWidth / 2, "Fill") }
            if case .ellipse = shape { part.rule = .nonzero }
            parts.append(part)
        }
        if let stroke {
            parts.append(Part(steps: outline, lineWidth: element.lineWidth, dashes: dashes, color: stroke))
        }
        return (outline, parts, filling == nil)
    }

    // MARK: - Outlines

    private var shape: (outline: RoughSketch.Shape, isContinuous: Bool)? {
        let (width, height) = (element.width, element.height)
        let isRound = element.roundness != nil
        switch element.type {
        case "ellipse": return (.ellipse(width: width, height: height), false)
        case "rectangle":
            let corners = [(0, 0), (width, 0), (width, height), (0, height)].map { Point(x: $0.0, y: $0.1) }
            guard isRound else { return (.lines(corners, isClosed: true), false) }
            return (.path(rounded(rectangle: corners)), true)
        case "diamond":
            let (x, y) = ((width / 2).rounded(.down) + 1, (height / 2).rounded(.down) + 1)
            let corners = [(x, 0), (width, y), (x, height), (0, y)].map { Point(x: $0.0, y: $0.1) }
            guard isRound else { return (.lines(corners, isClosed: true), false) }
            return (.path(rounded(diamond: corners)), true)
        case "freedraw":
            guard element.fill != nil else { return nil }
            return (.curve(RoughSketch.simplified(element.points, by: 0.75)), false)
        default:
            guard !element.points.isEmpty else { return nil }
            if element.type == "arrow", element.object.value.field("elbowed")?.bool == true {
                return (.path(Self.elbows(element.points)), true)
            }
            return isRound
                ? (.curve(element.points), false) : (.lines(element.points, isClosed: element.fill != nil), false)
        }
    }

    private func rounded(rectangle corners: [Point]) -> [RoughSketch.Step] {
        let radius = element.cornerRadius(min(element.width, element.height))
        var path: [RoughSketch.Step] = []
        let sides = [Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: -1, y: 0), Point(x: 0, y: -1)]
        var current = corners[0] + radius * sides[0]
        path.append(.move(current))
        for index in 0..<4 {
            let corner = corners[(index + 1) % 4]
            path.append(.line(corner - radius * sides[index]))
            current = corner + radius * sides[(index + 1) % 4]
            path.append(Self.quadratic(path[path.count - 1].end, corner, current))
        }
        return path
    }

    private func rounded(diamond corners: [Point]) -> [RoughSketch.Step] {
        let (top, right, bottom, left) = (corners[0], corners[1], corners[2], corners[3])
        let x = element.cornerRadius(abs(top.x - left.x))
        let y = element.cornerRadius(abs(right.y - top.y))
        func arm(_ signX: Double, _ signY: Double) -> Point { Point(x: signX * x, y: signY * y) }
        return [
            .move(top + arm(1, 1)), .line(right + arm(-1, -1)), .curve(right, right, right + arm(-1, 1)),
            .line(bottom + arm(1, -1)), .curve(bottom, bottom, bottom + arm(-1, -1)), .line(left + arm(1, 1)),
            .curve(left, left, left + arm(1, -1)), .line(top + arm(-1, 1)), .curve(top, top, top + arm(1, 1)),
        ]
    }

    /// An arrow of level and upright pieces, whose corners are rounded.
    private static func elbows(_ points: [Point]) -> [RoughSketch.Step] {
        var path = [RoughSketch.Step.move(points[0])]
        for (index, corner) in points.enumerated().dropFirst().dropLast() {
            let (before, after) = (points[index - 1] - corner, points[index + 1] - corner)
            let radius = min(16, before.length / 2, after.length / 2)
            guard radius > 0 else { continue }
            path.append(.line(corner + (radius / before.length) * before))
            path.append(quadratic(path[path.count - 1].end, corner, corner + (radius / after.length) * after))
        }
        return path + [.line(points[points.count - 1])]
    }

    private static func quadratic(_ from: Point, _ control: Point, _ to: Point) -> RoughSketch.Step {
        .curve(from + (2.0 / 3) * (control - from), to + (2.0 / 3) * (control - to), to)
    }
}
