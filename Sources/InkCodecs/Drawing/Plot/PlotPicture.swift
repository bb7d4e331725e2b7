import InkEngine

/// Writes what a pen plotter draws of a picture: an SVG file in millimetres with flat lines, and a layer for each pen.
///
/// Pens know neither opacity nor areas nor blend modes, so a line is drawn or not; masks, what clips and what erases cut
/// lines where they hide half of them. Areas, which shapes and wide strokes are, are drawn as their outlines; what is
/// opaque hides the lines below it. Lines hide nothing, and neither do pictures, which a pen cannot plot.
struct PlotPicture {
    let scene: VectorScene
    private let marks: VectorMarks
    /// Whether only images and warnings are wanted.
    private let isSurvey: Bool
    private var warnings: [ReadingWarning] = []
    private(set) var pens: [Pen] = []
    private var numbers: [RGBA8: Int] = [:]
    /// Marks so far.
    private var depth = 0
    /// The place of the warning of wide strokes, and the width of the widest of them, in millimetres.
    private var wide: (index: Int, width: Double)?
    /// The size of a canvas pixel, in millimetres.
    let millimetres: Point

    struct Pen {
        var color: RGBA8
        /// The names of the layers that use it.
        var names: [String] = []
        /// Whether a mark of its colour lies on the page.
        var isSeen = false
        var lines = PlotLines()
    }

    /// The resolution of pages that give none, as CSS has it.
    static let standardDotsPerInch = 96.0
    /// How far lines may be from the curves that they stand for, in millimetres.
    private static let curveTolerance = 0.01
    /// Solid strokes up to this width are as wide as a pen, in millimetres; others are areas.
    private static let penWidthMax = 2.0
    /// More pens than anybody changes.
    private static let pensWithoutWarning = 24

    init(_ scene: VectorScene, isSurvey: Bool = false) {
        self.scene = scene
        self.isSurvey = isSurvey
        marks = VectorMarks(scene)
        let inch = 25.4 / (scene.picture.dotsPerInch ?? PlotPicture.standardDotsPerInch)
        millimetres = Point(x: scene.scale.x * inch, y: scene.scale.y * inch)
    }

    private var settings: PlotSettings { scene.picture.encoding.plot }

    /// Canvas pixels in a millimetre.
    private var unit: Double { 1 / max(millimetres.x, millimetres.y) }

    /// The colour of what lies under everything, where hidden lines are removed.
    private var paper: RGBA8? {
        let background = scene.picture.background
        return settings.keepsHidden || !background.isOpaque ? nil : background
    }

    /// - Returns: What cannot be plotted.
    mutating func write() throws(EngineError) -> [ReadingWarning] {
        if scene.picture.hasBaseImage {
            warnings.append(ReadingWarning(.other, at: "baseImage", "a pen cannot plot the base image"))
        }
        var drawing = try self.drawing(of: scene.picture.elements)
        // Nobody sees marks in the colour of the paper, but what they hide.
        let count = pens.count { $0.isSeen && $0.color != paper }
        if settings.pens == nil, count > PlotPicture.pensWithoutWarning {
            warnings.append(
                ReadingWarning(
                    .other, at: "layers",
                    "there are \(count) colours, and a pen for each of them; --pens N joins those that are alike"))
        }
        if isSurvey { return warnings }
        drawing.cut(to: PlotCut(area: scene.page))
        drawing.hide(page: scene.page, paper: paper) { [pens] in pens[$0].color }
        for (pen, ink) in drawing.inks { pens[pen].lines = ink.lines }
        pens = pens.filter { !$0.lines.isEmpty && $0.color != paper }
        joinPens()
        try writeFile()
        return warnings
    }

    /// Lets no more pens draw than there are to be.
    private mutating func joinPens() {
        guard let count = settings.pens, count < pens.count else { return }
        let palette = PlotPalette(pens.map(\.color), lengths: pens.map(\.lines.length), count: count)
        for (index, own) in palette.pens.enumerated() where own != index {
            pens[own].lines.add(pens[index].lines)
            for name in pens[index].names where !pens[own].names.contains(name) { pens[own].names.append(name) }
        }
        pens = pens.indices.filter { palette.pens[$0] == $0 }.map { pens[$0] }
    }

    /// Adds a warning, or a place to the one of the same kind.
    private mutating func warn(_ element: DrawnTree.Element, _ reason: String) {
        if let index = warnings.firstIndex(where: { $0.reason == reason }) {
            warnings[index].count += 1
        } else {
            warnings.append(ReadingWarning(.other, at: element.path, reason))
        }
    }

    /// - Parameter width: in millimetres.
    private mutating func warn(_ element: DrawnTree.Element, ofWidth width: Double) {
        let widest = max(width, wide?.width ?? 0)
        var text: [UInt8] = []
        text.add(widest, decimals: 1)
        let reason =
            "solid strokes of up to \(String(decoding: text, as: UTF8.self)) mm are plotted as the lines in the middle "
            + "of them"
        if let wide {
            warnings[wide.index].reason = reason
            warnings[wide.index].count += 1
        } else {
            warnings.append(ReadingWarning(.other, at: element.path, reason))
        }
        wide = (wide?.index ?? warnings.count - 1, widest)
    }

    // MARK: Elements

    private mutating func drawing(of elements: [DrawnTree.Element]) throws(EngineError) -> PlotDrawing {
        var all = PlotDrawing()
        for element in elements { all.add(try drawing(of: element)) }
        return all
    }

    private mutating func drawing(of element: DrawnTree.Element) throws(EngineError) -> PlotDrawing {
        var drawing = PlotDrawing()
        switch element.layer.kind {
        case .fill(let paint):
            warn(element, "a pen cannot plot a fill")
            depth += 1
            if !settings.keepsHidden, VectorShape(filling: paint, scene: scene).fill.isOpaque {
                drawing.covers = [PlotCover(color: paint.plotted, depth: depth, cuts: [], box: scene.page)]
            }
        case .group: drawing = try self.drawing(of: element.children)
        case .layer: drawing = try marks(of: element)
        }
        if element.layer.isMasked, !drawing.isEmpty { try cut(&drawing, toMaskOf: element.layer) }
        if !element.clipped.isEmpty {
            var inside = try self.drawing(of: element.clipped)
            if !inside.isEmpty {
                var base = element.unblended
                base.clipped = []
                try cut(&inside, to: base.layers, background: .transparent)
                drawing.add(inside)
            }
        }
        if !element.isPassThrough, element.layer.blendMode != .normal || element.layer.opacity < 1 {
            // What is below shines through all of it.
            drawing.hide(page: scene.page, paper: nil) { [pens] in pens[$0].color }
        } else if element.layer.opacity < 1 {
            drawing.covers = []
        }
        return drawing
    }

    private func cut(_ drawing: inout PlotDrawing, toMaskOf layer: Layer) throws(EngineError) {
        var image = layer.shownMask
        if let shapes = layer.maskShapes, let sum = sum(of: shapes) {
            if !isSurvey { drawing.cut(to: PlotCut(area: sum)) }
            image.maskShapes = nil
        }
        if image.isMasked { try cut(&drawing, to: [image], background: .black) }
    }

    /// The area of shapes that are opaque or erase all; nil if there are others.
    private func sum(of shapes: [Shape]) -> PlotSum? {
        var terms: [(area: PlotRegion, adds: Bool)] = []
        let pen = PlotPen(scene, tolerance: PlotPicture.curveTolerance * unit)
        for shape in shapes {
            guard case .color(_, alpha: 1) = VectorShape(shape, scene: scene).fill else { return nil }
            let own = VectorShape(shape, scene: scene)
            guard marks.fault(own) == nil else { return nil }
            if own.isEmpty { continue }
            if !isSurvey, let region = pen.region(of: own) { terms.append((region, shape.mode == .paint)) }
        }
        return PlotSum(terms, page: scene.page)
    }

    /// Cuts lines to where an image shows them.
    private func cut(_ drawing: inout PlotDrawing, to layers: [Layer], background: RGBA8) throws(EngineError) {
        var image = VectorImage(layers: layers, background: background, includesBaseImage: false, format: .png)
        image.size = PlotPicture.maskSize(scene.output)
        let png = try scene.tools.image(image)
        if isSurvey { return }
        drawing.cut(to: PlotCut(area: try PlotMask(png, canvas: scene.canvas, isAlpha: background.alpha == 0)))
    }

    /// Fine enough for a plot of any size, and not larger.
    private static func maskSize(_ size: PixelSize) -> PixelSize {
        let factor = Double(VectorImage.maskEdge) / Double(size.longestEdge)
        func edge(_ value: Int) -> Int { max(Int((Double(value) * factor).rounded()), 1) }
        return PixelSize(width: edge(size.width), height: edge(size.height))
    }

    // MARK: Marks

    private mutating func marks(of element: DrawnTree.Element) throws(EngineError) -> PlotDrawing {
        let layer = element.layer
        if layer.contentImage != nil { warn(element, "a pen cannot plot the layer's image") }
        var pen = PlotPen(scene, tolerance: PlotPicture.curveTolerance * unit)
        if let fill = scene.suggestedFill(layer) {
            if let fault = marks.fault(fill) {
                warn(element, "\(fault): the layer is not plotted")
            } else {
                try use(&pen, fill.color, element)
                pens[pen.number].isSeen = true
                try marks.write(fill: fill, to: &pen)
            }
            if pen.hasFills { warn(element, "a pen cannot plot a fill") }
        }
        var widest = 0.0
        var stamps = 0
        for run in layer.runs {
            if run.areShapes {
                if run.mode == .erase {
                    try erase(layer.shapes[run.range], element, with: &pen)
                } else {
                    for shape in layer.shapes[run.range] { try plot(shape, element, with: &pen) }
                }
                continue
            }
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
                if let fault = marks.partsFault(prepared) {
                    warn(element, "\(fault): a stroke is not plotted")
                    continue
                }
                try use(&pen, stroke.brush.color, element)
                pen.begin(width: prepared.brush.lineWidth * prepared.brush.scale)
                if !marks.isHidden(prepared.bounds) { pens[pen.number].isSeen = true }
                if case .solid(let path, let alpha) = prepared.marks {
                    let width = 2 * (path.discs.map(\.radius).max() ?? 0) / unit
                    if width > PlotPicture.penWidthMax, !settings.keepsHidden {
                        if try plot(
                            area: path, isOpaque: alpha >= 1 && prepared.fadingLine == nil, stroke.brush.color,
                            with: &pen)
                        {
                            continue
                        }
                    }
                    widest = max(widest, width)
                }
                if !isSurvey { try marks.write(prepared, color: stroke.brush.color, to: &pen) }
            }
        }
        if widest > PlotPicture.penWidthMax { warn(element, ofWidth: widest) }
        return pen.drawing
    }

    /// Plots a stroke as an area.
    ///
    /// - Returns: Whether it has an outline.
    private func plot(
        area path: SolidPath, isOpaque: Bool, _ color: RGBA8, with pen: inout PlotPen
    ) throws(EngineError) -> Bool {
        guard path.outline(scene.scale)?.isOfUse == true else { return false }
        if isSurvey { return true }
        var outline = pen.path(nil)
        VectorFootprint.stroke(path).write(to: &outline, scale: scene.scale)
        let region = PlotRegion(
            outline.takeLines(), rule: .nonzero, page: scene.page, slack: PlotPicture.tolerance * unit)
        try plot(region, isOpaque: isOpaque, color, with: &pen)
        return true
    }

    /// Cuts away what shapes erase: as masks do, where they hide at least half.
    private mutating func erase(
        _ shapes: ArraySlice<Shape>, _ element: DrawnTree.Element, with pen: inout PlotPen
    ) throws(EngineError) {
        var terms: [(area: PlotRegion, adds: Bool)] = []
        var patterns = Layer()
        for shape in shapes where shape.opacity >= 0.5 {
            let own = VectorShape(shape, scene: scene)
            if own.isEmpty || marks.isHidden(own.box) { continue }
            if let fault = marks.fault(own) {
                warn(element, "\(fault): a shape is not plotted")
            } else if case .pattern(let brush) = shape.fill {
                var painted = shape
                (painted.mode, painted.fill) = (.paint, .pattern(brush.erasing))
                patterns.shapes.append(painted)
            } else if !isSurvey, let region = pen.region(of: own) {
                terms.append((region, true))
            }
        }
        if !terms.isEmpty { pen.drawing.cut(to: PlotCut(area: PlotSum(terms, page: scene.page), isInside: false)) }
        if !patterns.shapes.isEmpty, !pen.drawing.isEmpty {
            try cut(&pen.drawing, to: [patterns], background: .white)
        }
    }

    private mutating func plot(
        _ shape: Shape, _ element: DrawnTree.Element, with pen: inout PlotPen
    ) throws(EngineError) {
        let own = VectorShape(shape, scene: scene)
        if own.isEmpty || marks.isHidden(own.box) { return }
        if let fault = marks.fault(own) { return warn(element, "\(fault): a shape is not plotted") }
        let color = shape.fill.plotted
        try use(&pen, color, element)
        pens[pen.number].isSeen = true
        pen.begin()
        if isSurvey { return }
        if case .pattern(let brush, let alpha) = own.fill {
            try marks.writePattern(of: own, brush, alpha: alpha, to: &pen)
        }
        let region = pen.region(of: own, slack: PlotPicture.tolerance * unit)
        try plot(region, isOpaque: own.fill.isOpaque, color, with: &pen)
    }

    /// Plots the outline of an area, and what is to fill it.
    private func plot(
        _ region: PlotRegion?, isOpaque: Bool, _ color: RGBA8, with pen: inout PlotPen
    ) throws(EngineError) {
        guard let region else { return }
        try pen.add(borders: region.outline())
        if region.isTangled { return }
        if let hatch = settings.hatch {
            let turn = sinCos(degrees: Double(hatch.angle))
            let spacing = Double(hatch.spacing) / 1000
            let step = Point(x: -turn.sin * spacing / millimetres.x, y: turn.cos * spacing / millimetres.y)
            try pen.hatch(region, step: step)
        }
        if isOpaque, !settings.keepsHidden {
            pen.drawing.covers.append(
                PlotCover(color: color, depth: depth, cuts: [PlotCut(area: region)], box: region.box))
        }
    }

    /// Lets the next lines be drawn with the pen of a colour, as those of the next mark.
    private mutating func use(_ pen: inout PlotPen, _ color: RGBA8, _ element: DrawnTree.Element) throws(EngineError) {
        if scene.tools.isCancelled() { throw .cancelled }
        var color = color
        color.alpha = 255
        let number = numbers[color] ?? pens.count
        if number == pens.count {
            pens.append(Pen(color: color))
            numbers[color] = number
        }
        depth += 1
        (pen.number, pen.depth) = (number, depth)
        let name = element.layer.name.isEmpty ? element.layer.id : element.layer.name
        // Only as many as a label holds.
        if !name.isEmpty, pens[number].names.count < 64, !pens[number].names.contains(name) {
            pens[number].names.append(name)
        }
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
}

extension Paint {
    /// The one colour of a pen that stands for it.
    fileprivate var plotted: RGBA8 {
        switch self {
        case .color(let color): return RGBA8(red: color.red, green: color.green, blue: color.blue)
        case .pattern(let brush): return brush.color
        case .gradient(let gradient):
            let weight = gradient.stops.reduce(0) { $0 + Int($1.color.alpha) }
            func mean(_ channel: (RGBA8) -> UInt8) -> UInt8 {
                let sum = gradient.stops.reduce(0) { $0 + Int(channel($1.color)) * Int($1.color.alpha) }
                return weight == 0 ? 0 : UInt8(sum / weight)
            }
            return RGBA8(red: mean(\.red), green: mean(\.green), blue: mean(\.blue))
        }
    }
}
