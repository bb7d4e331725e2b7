import InkEngine

/// Writes what a pen plotter draws of a picture: an SVG file in millimetres with flat lines, and a layer for each pen.
///
/// Pens know neither opacity nor areas nor blend modes, so a line is drawn or not; masks, what clips and what erases cut
/// lines where they hide half of them.
struct PlotPicture {
    private let scene: VectorScene
    private let marks: VectorMarks
    /// Whether only images and warnings are wanted.
    private let isSurvey: Bool
    private var warnings: [ReadingWarning] = []
    private var pens: [Pen] = []
    /// The size of a canvas pixel, in millimetres.
    private let millimetres: Point

    private struct Pen {
        var color: RGBA8
        /// The names of the layers that use it.
        var names: [String] = []
        /// Whether a stroke of its colour lies on the page.
        var isSeen = false
        var lines = PlotLines()
    }

    /// Lines by the numbers of their pens; empty ones too, so that what is asked for does not depend on masks.
    typealias Drawing = [Int: PlotLines]

    /// The resolution of pages that give none, as CSS has it.
    static let standardDotsPerInch = 96.0
    /// How far lines may be moved to be joined, in millimetres: a fraction of the width of any pen.
    private static let tolerance = 0.05
    /// Lines that are shorter are left out, in millimetres.
    private static let shortest = 0.02
    /// The length of the line that a dot is, in millimetres.
    private static let dotLength = 0.1
    /// Solid strokes up to this width are as wide as a pen, in millimetres.
    private static let penWidthMax = 2.0
    private static let shownPenWidth = "0.3"
    /// More pens than anybody changes.
    private static let pensWithoutWarning = 24

    init(_ scene: VectorScene, isSurvey: Bool = false) {
        self.scene = scene
        self.isSurvey = isSurvey
        marks = VectorMarks(scene)
        let inch = 25.4 / (scene.picture.dotsPerInch ?? PlotPicture.standardDotsPerInch)
        millimetres = Point(x: scene.scale.x * inch, y: scene.scale.y * inch)
    }

    /// - Returns: What cannot be plotted.
    mutating func write() throws(EngineError) -> [ReadingWarning] {
        if scene.picture.hasBaseImage {
            warnings.append(ReadingWarning(.other, at: "baseImage", "a pen cannot plot the base image"))
        }
        let drawing = try self.drawing(of: scene.picture.elements)
        let page = Rect(minX: 0, minY: 0, maxX: scene.canvas.width, maxY: scene.canvas.height)
        for (pen, lines) in drawing { pens[pen].lines = lines.cut(to: page) }
        pens.removeAll { isSurvey ? !$0.isSeen : $0.lines.isEmpty }
        if pens.count > PlotPicture.pensWithoutWarning {
            warnings.append(
                ReadingWarning(.other, at: "layers", "there are \(pens.count) colours, and a pen for each of them"))
        }
        if !isSurvey { try writeFile() }
        return warnings
    }

    private mutating func warn(_ element: DrawnTree.Element, _ reason: String) {
        warnings.append(ReadingWarning(.other, at: element.path, reason))
    }

    // MARK: Elements

    private mutating func drawing(of elements: [DrawnTree.Element]) throws(EngineError) -> Drawing {
        var all: Drawing = [:]
        for element in elements { all.add(try drawing(of: element)) }
        return all
    }

    private mutating func drawing(of element: DrawnTree.Element) throws(EngineError) -> Drawing {
        var drawing: Drawing = [:]
        switch element.layer.kind {
        case .fill: warn(element, "a pen cannot plot a fill")
        case .group: drawing = try self.drawing(of: element.children)
        case .layer: drawing = try marks(of: element)
        }
        if element.layer.isMasked, !drawing.isEmpty {
            try cut(&drawing, to: [element.layer.shownMask], background: .black)
        }
        if element.clipped.isEmpty { return drawing }
        let clipped = try self.drawing(of: element.clipped)
        if clipped.isEmpty { return drawing }
        var base = element.unblended
        base.clipped = []
        var inside = clipped
        try cut(&inside, to: base.layers, background: .transparent)
        drawing.add(inside)
        return drawing
    }

    /// Cuts lines to where an image shows them.
    private func cut(_ drawing: inout Drawing, to layers: [Layer], background: RGBA8) throws(EngineError) {
        var image = VectorImage(layers: layers, background: background, includesBaseImage: false, format: .png)
        image.size = PlotPicture.maskSize(scene.output)
        let png = try scene.tools.image(image)
        if isSurvey { return }
        drawing.cut(to: try PlotMask(png, canvas: scene.canvas, isAlpha: background.alpha == 0))
    }

    /// Fine enough for a plot of any size, and not larger.
    private static func maskSize(_ size: PixelSize) -> PixelSize {
        let factor = Double(VectorImage.maskEdge) / Double(size.longestEdge)
        func edge(_ value: Int) -> Int { max(Int((Double(value) * factor).rounded()), 1) }
        return PixelSize(width: edge(size.width), height: edge(size.height))
    }

    // MARK: Marks

    private mutating func marks(of element: DrawnTree.Element) throws(EngineError) -> Drawing {
        let layer = element.layer
        if layer.contentImage != nil { warn(element, "a pen cannot plot the layer's image") }
        let isFilled = scene.suggestedFill(layer) != nil
        var pen = PlotPen(limit: scene.limits.plotLines, place: scene.place)
        if let fill = scene.suggestedFill(layer) {
            if let fault = marks.fault(fill) {
                warn(element, "\(fault): the layer is not plotted")
            } else {
                try use(&pen, fill.color, element)
                pens[pen.number].isSeen = true
                try marks.write(fill: fill, to: &pen)
            }
        }
        var widest = 0.0
        var stamps = 0
        for run in layer.runs where !run.areShapes {
            if run.mode == .erase {
                if !pen.drawing.isEmpty {
                    try cut(&pen.drawing, to: [Self.remains(of: layer.strokes[run.range])], background: .white)
                }
                continue
            }
            for stroke in layer.strokes[run.range] {
                let (sum, isTooMuch) = stamps.addingReportingOverflow(PreparedStroke.stampCount(of: stroke))
                guard !isTooMuch, sum <= scene.limits.plotLines else { throw pen.tooMany }
                stamps = sum
                let prepared = scene.prepared(stroke)
                if let fault = marks.patternFault(prepared) {
                    warn(element, "\(fault): a stroke is not plotted")
                    continue
                }
                if case .solid(let path, _) = prepared.marks {
                    widest = max(widest, 2 * (path.discs.map(\.radius).max() ?? 0))
                }
                try use(&pen, stroke.brush.color, element)
                pen.begin()
                if !marks.isHidden(prepared.bounds) { pens[pen.number].isSeen = true }
                if !isSurvey { try marks.write(prepared, color: stroke.brush.color, to: &pen) }
            }
        }
        if pen.hasFills, isFilled { warn(element, "a pen cannot plot a fill") }
        let width = widest * min(millimetres.x, millimetres.y)
        if width > PlotPicture.penWidthMax {
            var text: [UInt8] = []
            text.add(width, decimals: 1)
            warn(
                element,
                "solid strokes of up to \(String(decoding: text, as: UTF8.self)) mm are plotted as the lines in the "
                    + "middle of them")
        }
        return pen.drawing
    }

    /// Lets the next lines be drawn with the pen of a colour.
    private mutating func use(_ pen: inout PlotPen, _ color: RGBA8, _ element: DrawnTree.Element) throws(EngineError) {
        if scene.tools.isCancelled() { throw .cancelled }
        var color = color
        color.alpha = 255
        let number = pens.firstIndex { $0.color == color } ?? pens.count
        if number == pens.count { pens.append(Pen(color: color)) }
        pen.number = number
        let name = element.layer.name.isEmpty ? element.layer.id : element.layer.name
        if !name.isEmpty, !pens[number].names.contains(name) { pens[number].names.append(name) }
    }

    /// What strokes that erase leave, on white.
    private static func remains(of strokes: ArraySlice<Stroke>) -> Layer {
        var layer = Layer(strokes: Array(strokes))
        for index in layer.strokes.indices {
            layer.strokes[index].mode = .paint
            layer.strokes[index].brush.color = .black
        }
        return layer
    }

    // MARK: File

    private func writeFile() throws(EngineError) {
        var output = VectorOutput(scene)
        func text(_ value: Double) -> String {
            var text: [UInt8] = []
            text.add(value, decimals: 3)
            return String(decoding: text, as: UTF8.self)
        }
        let (width, height) = (text(scene.canvas.width * millimetres.x), text(scene.canvas.height * millimetres.y))
        var head = SVGHead.start(width: "\(width)mm", height: "\(height)mm")
        head.add("viewBox=\"0 0 \(width) \(height)\">\n")
        SVGHead.addText(scene.description.text, to: &head)
        try output.write(head)
        for (index, pen) in pens.enumerated() {
            var text: [UInt8] = []
            text.add("<g inkscape:groupmode=\"layer\" id=\"pen\(index + 1)\" inkscape:label=\"")
            text.add(label(of: pen, number: index + 1).xmlEscaped)
            text.add("\" fill=\"none\" stroke=\"\(pen.color.shortHex)\" stroke-width=\"\(PlotPicture.shownPenWidth)\"")
            text.add(" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n")
            let lines = ordered(pen.lines)
            for index in 0..<lines.count {
                var path = VectorPath(decimals: 2)
                for (number, point) in lines[index].enumerated() {
                    if number == 0 { path.move(to: point) } else { path.line(to: point) }
                }
                text.add("<path d=\"")
                text += path.text
                text.add("\"/>\n")
                if text.count > 1 << 16 {
                    try output.write(text)
                    text.removeAll(keepingCapacity: true)
                }
            }
            text.add("</g>\n")
            try output.write(text)
        }
        try SVGHead.end(&output, digest: scene.description.digest)
    }

    /// The lines of a pen in millimetres, as they are drawn.
    private func ordered(_ lines: PlotLines) -> PlotLines {
        let all = lines.map { Point(x: $0.x * millimetres.x, y: $0.y * millimetres.y) }
        let joined = all.joined(tolerance: PlotPicture.tolerance)
        let width = scene.canvas.width * millimetres.x
        var drawn = PlotLines()
        for index in 0..<joined.count {
            if joined.isDot(index) {
                // Inside the page also at its edges: plotters refuse what is not, or run against their stops.
                let dot = joined.start(index)
                let left = min(dot.x - PlotPicture.dotLength / 2, width - PlotPicture.dotLength)
                let start = Point(x: max(left, 0), y: dot.y)
                drawn.add([start, start + Point(x: PlotPicture.dotLength, y: 0)])
                continue
            }
            let box = joined[index].reduce(into: Rect.empty) { $0.formUnion($1) }
            if max(box.maxX - box.minX, box.maxY - box.minY) >= PlotPicture.shortest { drawn.add(joined[index]) }
        }
        return drawn.sorted()
    }

    /// The number by which plotters choose a layer, its colour, and whose it is. Signs that plotters read as orders are
    /// left out.
    private func label(of pen: Pen, number: Int) -> String {
        var names = ""
        for name in pen.names {
            let own = String(name.map { "+!%#".contains($0) ? "_" : $0 })
            if names.utf8.count + own.utf8.count > 60 {
                names += names.isEmpty ? String(own.prefix(20)) : ", ..."
                break
            }
            names += (names.isEmpty ? "" : ", ") + own
        }
        return "\(number) \(pen.color.shortHex)\(names.isEmpty ? "" : " \(names)")"
    }
}

extension [Int: PlotLines] {
    fileprivate mutating func add(_ other: [Int: PlotLines]) {
        for (pen, lines) in other { self[pen, default: PlotLines()].add(lines) }
    }

    fileprivate mutating func cut(to area: some PlotArea) {
        for (pen, lines) in self { self[pen] = lines.cut(to: area) }
    }
}

/// Draws marks as lines.
private struct PlotPen: VectorDrawing {
    static let hasAreas = false

    let limit: Int
    let place: Place
    /// The number of the pen that draws.
    var number = 0
    private(set) var hasFills = false
    var drawing: PlotPicture.Drawing = [:]
    private var footprint: PlotFootprint?
    private var shape = PlotPath()
    private var lineCount = 0

    init(limit: Int, place: Place) {
        self.limit = limit
        self.place = place
    }

    var tooMany: EngineError {
        .overLimit(place, what: "the plot", found: "more than \(limit) lines", limit: "\(limit) lines")
    }

    func path(_ line: LineStyle?) -> PlotPath { PlotPath() }

    /// Counts the pen that draws as used.
    mutating func begin() { drawing[number, default: PlotLines()].add(PlotLines()) }

    private mutating func add(_ lines: PlotLines) throws(EngineError) {
        lineCount += lines.count
        guard lineCount <= limit else { throw tooMany }
        drawing[number, default: PlotLines()].add(lines)
    }

    mutating func fill(_ color: RGBA8) { hasFills = true }

    mutating func begin(_ paint: VectorPaint, inside footprint: VectorFootprint?) {
        if case .stroke(let path) = footprint { self.footprint = PlotFootprint(path.discs) }
    }

    mutating func add(_ path: inout PlotPath) throws(EngineError) {
        let lines = path.takeLines()
        try add(footprint.map { lines.cut(to: $0) } ?? lines)
    }

    mutating func end(_ paint: VectorPaint) { footprint = nil }

    mutating func begin(_ stamps: VectorStamps) {
        shape = PlotPath()
        stamps.shape.write(to: &shape)
        shape.end()
    }

    mutating func add(_ stamp: Stamp, of stamps: VectorStamps) throws(EngineError) {
        let (center, along, across) = (stamp.center, stamp.size * stamp.along, stamp.size * stamp.across)
        if stamps.areAlike {
            try add(shape.lines.map { center + $0 })
        } else {
            try add(shape.lines.map { center + $0.x * along + $0.y * across })
        }
    }

    mutating func end(_ stamps: VectorStamps) {}
}

/// A path whose lines are kept.
private struct PlotPath: VectorPathText {
    private(set) var lines = PlotLines()
    static let tolerance = 0.01

    var isEmpty: Bool { lines.points.isEmpty }
    var byteCount: Int { lines.points.count * MemoryLayout<Point>.stride }

    mutating func takeLines() -> PlotLines {
        lines.end()
        defer { lines = PlotLines() }
        return lines
    }

    mutating func move(to point: Point) {
        lines.end()
        lines.add(point)
    }

    mutating func line(to point: Point) { lines.add(point) }

    mutating func quadratic(_ control: Point, to point: Point) {
        let start = lines.points.last ?? point
        cubic(start + (2.0 / 3) * (control - start), point + (2.0 / 3) * (control - point), to: point)
    }

    mutating func cubic(_ first: Point, _ second: Point, to point: Point) {
        let start = lines.points.last ?? first
        let bend = max((start - 2 * first + second).length, (first - 2 * second + point).length)
        let count = max((0.75 * bend / PlotPath.tolerance).squareRoot().rounded(.up), 1)
        for index in 1..<Int(min(count, 10_000)) {
            let t = Double(index) / min(count, 10_000)
            let s = 1 - t
            lines.add((s * s * s) * start + (3 * s * s * t) * first + (3 * s * t * t) * second + (t * t * t) * point)
        }
        lines.add(point)
    }

    mutating func close() {
        if let start = lines.openStart { lines.add(start) }
    }

    mutating func end() { lines.end() }

    mutating func polygon(_ points: some Sequence<Point>) {
        lines.end()
        lines.add(points)
    }
}
