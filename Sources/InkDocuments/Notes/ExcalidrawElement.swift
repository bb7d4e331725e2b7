import Glibc
import InkEngine

/// What elements of a drawing share.
struct ExcalidrawElement {
    let object: JSONObject
    let type: String
    let x: Double
    let y: Double
    let width: Double
    let height: Double
    /// Radians, clockwise.
    let angle: Double
    let isDeleted: Bool
    /// 0...1
    var opacity: Double
    let strokeWidth: Double
    /// The points of a line, seen from `x` and `y`, not turned.
    let points: [Point]

    /// nil without a type and a place.
    init?(_ object: JSONObject) {
        let value = object.value
        guard let type = value.field("type")?.string, let x = value.field("x")?.number, let y = value.field("y")?.number
        else { return nil }
        self.object = object
        self.type = type
        (self.x, self.y) = (x, y)
        width = value.field("width")?.number ?? 0
        height = value.field("height")?.number ?? 0
        angle = value.field("angle")?.number ?? 0
        isDeleted = value.field("isDeleted")?.bool ?? false
        opacity = min(max((value.field("opacity")?.number ?? 100) / 100, 0), 1)
        strokeWidth = min(max(value.field("strokeWidth")?.number ?? 1, 0.01), 1e4)
        points =
            value.field("points")?.elements.compactMap { point in
                let numbers = point.elements.prefix(2).compactMap(\.number)
                return numbers.count == 2 ? Point(x: numbers[0], y: numbers[1]) : nil
            } ?? []
    }

    /// Whether it is small enough to be drawn.
    var isInReach: Bool {
        ([x, y, width, height] + points.flatMap { [$0.x, $0.y] }).allSatisfy { abs($0) <= Limits.worldCoordinate }
    }

    var center: Point { Point(x: x + width / 2, y: y + height / 2) }

    /// A point of the drawing, turned with the element.
    func turned(_ point: Point) -> Point { turned(point, about: center) }

    /// A point of the element in the drawing; the element turns about its own point `middle`.
    func placed(_ point: Point, about middle: Point) -> Point {
        let origin = Point(x: x, y: y)
        return turned(origin + point, about: origin + middle)
    }

    private func turned(_ point: Point, about middle: Point) -> Point {
        guard angle != 0 else { return point }
        let (sine, cosine) = sinCos(degrees: angle * 180 / .pi)
        let arm = point - middle
        return middle + Point(x: cosine * arm.x - sine * arm.y, y: sine * arm.x + cosine * arm.y)
    }

    var middleOfPoints: Point { Self.middle(points) }

    /// Where the label of a line lies, in the drawing: at the middle point, or in the middle of the middle piece.
    var middleOfLine: Point? {
        guard points.count > 1 else { return nil }
        let index = (points.count - 1) / 2
        let (b, c) = (points[index], points[index + 1])
        var middle = b
        if points.count % 2 == 0 {
            middle = 0.5 * (b + c)
            if roundness != nil {
                let (a, d) = (index > 0 ? points[index - 1] : b, index + 2 < points.count ? points[index + 2] : c)
                middle = middle + (1.0 / 16) * (b + c - a - d)
            }
        }
        return placed(middle, about: middleOfPoints)
    }

    static func middle(_ points: [Point]) -> Point {
        var box = Rect.empty
        for point in points { box.formUnion(point) }
        return box.isEmpty ? Point(x: 0, y: 0) : Point(x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2)
    }

    /// What it covers, without the wobble.
    var bounds: Rect? {
        guard !isDeleted else { return nil }
        var box = Rect.empty
        let corners = [(0, 0), (width, 0), (width, height), (0, height)].map { Point(x: $0.0, y: $0.1) }
        let all = points.isEmpty ? corners : points
        let middle = Self.middle(all)
        for point in all { box.formUnion(placed(point, about: middle)) }
        return box
    }

    // MARK: - Looks

    private func color(_ key: StaticString) -> RGBA8? {
        guard var color = object.value.field(key)?.string.flatMap({ CSSColor.parse($0) }), color.alpha > 0 else {
            return nil
        }
        color.alpha = UInt8((Double(color.alpha) * opacity).rounded())
        return color
    }

    var stroke: RGBA8? { color("strokeColor") }

    var isLine: Bool { ["line", "arrow", "draw"].contains(type) }

    /// The fill, where the element surrounds an area.
    var fill: RGBA8? { surrounds ? color("backgroundColor") : nil }

    /// Whether it has an inside: lines do that end where they begin.
    private var surrounds: Bool {
        switch type {
        case "arrow": false
        case "line", "draw", "freedraw": points.count > 2 && (points[0] - points[points.count - 1]).length <= 8
        default: true
        }
    }

    var fillStyle: RoughSketch.Fill {
        switch object.value.field("fillStyle")?.string {
        case "solid": .area
        case "cross-hatch": .hatching(.crossed)
        case "zigzag": .hatching(.zigzag)
        default: .hatching(.lines)
        }
    }

    private var isSolid: Bool { !["dashed", "dotted"].contains(object.value.field("strokeStyle")?.string ?? "solid") }

    /// Lines that are not solid are drawn once, and a little wider.
    var lineWidth: Double { isSolid ? strokeWidth : strokeWidth + 0.5 }

    var dashes: [Double] {
        switch object.value.field("strokeStyle")?.string {
        case "dashed": [8, 8 + strokeWidth]
        case "dotted": [1.5, 6 + strokeWidth]
        default: []
        }
    }

    /// The dashes of lines at the heads of arrows.
    var headDashes: [Double] {
        object.value.field("strokeStyle")?.string == "dotted" ? [1.5, 4 + strokeWidth] : []
    }

    /// The seed of its random numbers.
    var seed: Int32 {
        let number = object.value.field("seed")?.number.flatMap { Int(exactly: $0.rounded(.towardZero)) }
        return Int32(truncatingIfNeeded: number ?? 1)
    }

    /// Whether it was drawn before November 2023, when small shapes got calmer and lines began to meet in the corners.
    var isEarly: Bool {
        let value = object.value
        return value.field("updated")?.number.map { $0 < 1.6988e12 } ?? (value.field("strokeSharpness") != nil)
    }

    /// How it is sketched.
    ///
    /// - Parameter isContinuous: for outlines with rounded corners.
    func style(isContinuous: Bool) -> RoughStyle {
        let value = object.value
        let given = min(max(value.field("roughness")?.number ?? 1, 0), 100)
        var style = RoughStyle(roughness: given, isSingle: !isSolid, gap: 4 * strokeWidth)
        style.keepsCorners = isContinuous || !isEarly && given < 2
        style.hatchesEvenly = isEarly
        let (most, least) = (max(width, height), min(width, height))
        let isLarge =
            least >= 20 && most >= 50 || least >= 15 && roundness != nil && !["ellipse", "freedraw"].contains(type)
            || isLine && most >= 50
        if !isEarly, !isLarge { style.roughness = min(given / (most < 10 ? 3 : 2), 2.5) }
        return style
    }

    /// The kind of rounded corners; nil: corners are sharp.
    var roundness: Int? {
        if let roundness = object.value.field("roundness")?.field("type")?.number {
            return Int(exactly: roundness) ?? 0
        }
        // The first kind, as files before 2023 have it.
        return object.value.field("strokeSharpness")?.string == "round" ? 1 : nil
    }

    /// How far from a corner its rounding begins, where the shorter of its sides is this long.
    func cornerRadius(_ side: Double) -> Double {
        guard roundness == 3 else { return 0.25 * side }
        let most = object.value.field("roundness")?.field("value")?.number ?? 32
        return min(0.25 * side, most)
    }

    // MARK: - Frames and pictures

    var isFrame: Bool { type == "frame" || type == "magicframe" }

    /// What only shows inside of a frame has the frame's identifier.
    var frameID: String? { object.value.field("frameId")?.string }

    private func pair(_ key: StaticString) -> (Double, Double)? {
        let numbers = object.value.field(key)?.elements.prefix(2).compactMap(\.number) ?? []
        return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
    }

    /// A picture is cut, then mirrored.
    var picture: NotePicture {
        var picture = NotePicture(
            place: Placement(x: x, y: y, width: width, height: height, rotation: angle * 180 / .pi), opacity: opacity)
        let (scaleX, scaleY) = pair("scale") ?? (1, 1)
        (picture.isMirroredAcross, picture.isMirroredDown) = (scaleX < 0, scaleY < 0)
        if let crop = object.value.field("crop"), crop.kind == .object {
            /// As shares of the picture, seen from the edge that is the left or upper one when it is mirrored.
            func range(
                _ start: StaticString, _ length: StaticString, _ whole: StaticString, _ isMirrored: Bool
            ) -> (Double, Double) {
                guard let all = crop.field(whole)?.number, all > 0, let size = crop.field(length)?.number, size > 0
                else { return (0, 1) }
                let from = min(max((crop.field(start)?.number ?? 0) / all, 0), 1)
                let to = min(from + size / all, 1)
                guard to - from > 1e-6 else { return (0, 1) }
                return isMirrored ? (1 - to, 1 - from) : (from, to)
            }
            let (left, right) = range("x", "width", "naturalWidth", picture.isMirroredAcross)
            let (top, bottom) = range("y", "height", "naturalHeight", picture.isMirroredDown)
            picture.part = Rect(minX: left, minY: top, maxX: right, maxY: bottom)
        }
        if roundness != nil { picture.outline = .rounded(cornerRadius(min(width, height))) }
        return picture
    }

    // MARK: - What is not read

    private static let read: [StaticString] = [
        "type", "x", "y", "width", "height", "angle", "isDeleted", "opacity", "points", "id", "frameId", "strokeColor",
        "strokeWidth", "strokeStyle", "strokeSharpness", "backgroundColor", "fillStyle", "roughness", "roundness",
        "seed", "updated", "text", "fontSize", "lineHeight", "textAlign", "containerId", "fileId", "scale", "crop",
        "pressures", "simulatePressure", "elbowed", "startArrowhead", "endArrowhead", "name",
    ]

    /// What changes no picture. Documents say that text has a font of its own here; where labels and arrows are tied is in
    /// their places.
    private static let harmless: Set<String> = [
        "version", "versionNonce", "index", "locked", "link", "groupIds", "boundElements", "boundElementIds",
        "customData", "lastCommittedPoint", "startBinding", "endBinding", "fixedSegments", "startIsSpecial",
        "endIsSpecial", "polygon", "fontFamily", "originalText", "autoResize", "baseline", "verticalAlign", "rawText",
        "status", "created", "frameRole",
    ]

    /// What of it its reader does not use, and how messages name it.
    var unused: (holder: ReadObject, known: UnreadProperties) {
        (
            ReadObject(object.value, reading: Self.read),
            UnreadProperties(of: "a \(shownText(type, limit: 40))", harmless: Self.harmless)
        )
    }

    // MARK: - Heads of arrows

    /// The head at the beginning of an arrow; nil: none.
    var startHead: String? { object.value.field("startArrowhead")?.string }
    /// The head at the end of an arrow; nil: none, which new files say with a null.
    var endHead: String? {
        let key = "endArrowhead"
        return object.value.keys.contains(key) ? object.value.member(named: key)?.string : "arrow"
    }
}
