import InkCodecs
import InkEngine

/// Collects the layers of a page of a note, from the bottom to the top: strokes, filled shapes and pictures in their order.
///
/// A project's layer shows shapes below its strokes. So strokes and shapes share a layer where the order lets them.
struct NotePage {
    /// What lies upper left of the page, world coordinates.
    let origin: Point
    private(set) var tree: DocumentTree
    private(set) var layers: [Layer] = []
    /// What all pages up to here have.
    private(set) var counts: Counts

    /// What the strokes of the last layer cover.
    private var inked = Rect.empty
    private var isOpen = false
    /// Beyond it nothing shows, in the page's coordinates; nil: everything does.
    private var clip: Rect?
    /// Groups around.
    private var depth = 1

    /// What is limited in a document as a whole.
    struct Counts {
        var (strokes, points) = (0, 0)
        var (shapes, segments) = (0, 0)
        /// Comparisons of `StrewnDashes`.
        var comparisons = 0
    }

    /// - Parameter counts: of the pages before.
    init(origin: Point, _ tree: DocumentTree, counts: Counts = Counts()) {
        self.origin = origin
        self.tree = tree
        self.counts = counts
    }

    mutating func leaveOut(_ what: String, at path: String?) { tree.leaveOut(what, at: path) }

    mutating func leaveOutUnused(of holder: some PropertyHolder, _ known: UnreadProperties, at path: String?) {
        tree.leaveOutUnused(of: holder, known, at: path)
    }

    /// Ends the last layer; what comes next lies above it.
    mutating func close() { (inked, isOpen) = (.empty, false) }

    /// Ends the last layer as one of the paper's, whose lines keep their brush.
    mutating func closePaper() {
        if isOpen { layers[layers.count - 1].id = BrushChange.paperMark + String(layers.count) }
        close()
    }

    /// Puts what `draw` adds into a group of which only what lies inside of an outline shows. What lies beyond for sure is not
    /// in the project at all, so that no picture is larger for it.
    ///
    /// - Parameter place: the outline's rectangle, in the page's coordinates.
    mutating func addClipped(
        to outline: NoteOutline, _ place: Placement, name: String,
        _ draw: (inout NotePage) throws(EngineError) -> Void
    ) throws(EngineError) {
        guard depth < Limits.treeDepth - 1 else {
            return leaveOut("what lies more than \(Limits.treeDepth - 2) frames deep", at: nil)
        }
        close()
        var box = Rect.empty
        for corner in place.corners { box.formUnion(corner) }
        let isSound =
            place.width > 0 && place.height > 0 && place.rotation.isFinite
            && [box.minX, box.minY, box.maxX, box.maxY].allSatisfy { abs($0) <= Limits.worldCoordinate }
        let outside = (layers: layers, clip: clip)
        layers = []
        // Nothing lies inside of a rectangle without an area.
        clip = isSound ? clip.map { $0.intersection(box) } ?? box : .empty
        depth += 1
        try draw(&self)
        close()
        let inside = layers
        (layers, clip) = outside
        depth -= 1
        guard isSound, !inside.isEmpty else { return }
        try tree.count(depth: depth)
        var group = Layer(id: "layer-\(layers.count + 1)", name: name, order: Double(layers.count))
        group.kind = .group(inside, isPassThrough: true)
        group.maskShapes = [outline.shape(in: moved(place))]
        layers.append(group)
    }

    /// From the page's coordinates to the world's.
    private func moved(_ place: Placement) -> Placement {
        var place = place
        place.x += origin.x
        place.y += origin.y
        return place
    }

    private mutating func open(_ mode: BlendMode, opacity: Double = 1, name: String) throws(EngineError) {
        if isOpen, layers.last?.blendMode == mode, layers.last?.opacity == opacity { return }
        close()
        try tree.count(depth: depth)
        layers.append(
            Layer(
                id: "layer-\(layers.count + 1)", name: name, order: Double(layers.count), opacity: opacity,
                blendMode: mode))
        isOpen = true
    }

    // MARK: - Strokes

    /// A point of a line, in the page's coordinates, and how wide the line is there.
    struct WidePoint: Equatable {
        var x: Double
        var y: Double
        var width: Double
        /// Milliseconds.
        var time = 0.0
        var altitude = 90.0
        var azimuth = 0.0
    }

    /// Adds a line of changing width, with round ends.
    ///
    /// - Parameter isFreehand: whether the line is a curve through its points, as strokes are drawn; else it is straight
    ///   between them.
    /// - Throws: `overLimit` for the numbers of strokes and points, `badInput` for coordinates that are none.
    mutating func addLine(
        _ points: [WidePoint], color: RGBA8, mode: BlendMode = .normal, layerOpacity: Double = 1,
        name: String = "Strokes",
        isFreehand: Bool = false
    ) throws(EngineError) {
        guard let first = points.first else { return }
        let reach = Limits.worldCoordinate - max(abs(origin.x), abs(origin.y))
        for point in points {
            guard max(abs(point.x), abs(point.y)) <= reach, point.width >= 0, point.width <= reach else {
                throw .badInput(tree.place, reason: "\(tree.what) has a point beyond 10^9, or none")
            }
        }
        if let clip {
            let widest = points.reduce(0) { max($0, $1.width) }
            let parts = Self.parts(of: points, inside: clip.expanded(by: widest + 1))
            guard parts == [points] else {
                self.clip = nil
                defer { self.clip = clip }
                for part in parts {
                    try addLine(
                        part, color: color, mode: mode, layerOpacity: layerOpacity, name: name,
                        isFreehand: isFreehand)
                }
                return
            }
        }
        try open(mode, opacity: layerOpacity, name: name)
        let last = layers.count - 1
        let line = points.count == 1 ? [first, first] : points
        let most = max(tree.limits.pointsPerStroke, 2)
        // Parts of a line that is too long for one stroke share their ends.
        for start in stride(from: 0, to: max(line.count - 1, 1), by: most - 1) {
            let run = line[start..<min(start + most, line.count)]
            try count(strokes: 1, points: run.count)
            let widest = max(run.reduce(0) { max($0, $1.width) }, 1e-3)
            var brush = Brush(type: .solid, opacity: Double(color.alpha) / 255, lineWidth: widest)
            brush.color = RGBA8(red: color.red, green: color.green, blue: color.blue)
            if run.contains(where: { $0.width != widest }) {
                brush.dynamics.pressureAffectsSize = true
                brush.dynamics.minimumSize = 0
            }
            var stroke = Stroke(
                brush: brush,
                points: run.map { point in
                    StrokePoint(
                        x: origin.x + point.x, y: origin.y + point.y, pressure: min(point.width / widest, 1),
                        timestamp: point.time, altitude: point.altitude, azimuth: point.azimuth)
                })
            if !isFreehand { stroke.smoothing = .none }
            layers[last].strokes.append(stroke)
            for point in run {
                inked.formUnion(Point(x: point.x - widest, y: point.y - widest))
                inked.formUnion(Point(x: point.x + widest, y: point.y + widest))
            }
        }
    }

    /// Adds a stroke as it is, in the page's coordinates; one of too many points as several that share their ends.
    ///
    /// - Throws: as `addLine`.
    mutating func addStroke(_ points: [StrokePoint], _ brush: Brush, name: String = "Strokes") throws(EngineError) {
        guard !points.isEmpty else { return }
        let reach = Limits.worldCoordinate - max(abs(origin.x), abs(origin.y))
        guard points.allSatisfy({ max(abs($0.x), abs($0.y)) <= reach }) else {
            throw .badInput(tree.place, reason: "\(tree.what) has a point beyond 10^9, or none")
        }
        try open(.normal, name: name)
        let most = tree.limits.pointsPerStroke
        for start in stride(from: 0, to: max(points.count - 1, 1), by: max(most - 1, 1)) {
            let part = points[start..<min(start + most, points.count)]
            try count(strokes: 1, points: part.count)
            layers[layers.count - 1].strokes.append(
                Stroke(
                    brush: brush,
                    points: part.map { point in
                        var point = point
                        (point.x, point.y) = (origin.x + point.x, origin.y + point.y)
                        return point
                    }))
        }
        for point in points { inked.formUnion(Point(x: point.x, y: point.y)) }
    }

    private mutating func count(strokes: Int, points: Int) throws(EngineError) {
        counts.strokes += strokes
        counts.points += points
        guard counts.strokes <= tree.limits.strokes, counts.points <= tree.limits.points else {
            throw .overLimit(
                tree.place, what: "the drawing", found: "\(counts.strokes) strokes of \(counts.points) points",
                limit: "\(tree.limits.strokes) strokes, \(tree.limits.points) points")
        }
    }

    // MARK: - Shapes and pictures

    /// Adds a filled shape, in the page's coordinates.
    ///
    /// - Parameters:
    ///   - dashes: the colour of short lines that are strewn over it.
    ///   - text: what the shape says.
    mutating func addShape(
        _ outlines: [[Point]], rule: FillRule = .evenodd, color: RGBA8, dashes: RGBA8? = nil, text: String? = nil,
        mode: BlendMode = .normal, layerOpacity: Double = 1
    ) throws(EngineError) {
        var (path, box) = (ShapePath(), Rect.empty)
        for whole in outlines {
            let outline = clip.map { Self.cut(polygon: whole, to: $0.expanded(by: 1)) } ?? whole
            guard outline.count > 2 else { continue }
            for (index, point) in outline.enumerated() {
                box.formUnion(point)
                index == 0 ? path.move(to: point) : path.line(to: point)
            }
            path.close()
        }
        try addShape(path, box, rule: rule, color: color, text: text, mode: mode, layerOpacity: layerOpacity)
        guard let dashes, !box.isEmpty else { return }
        let covered = box.intersection(clip ?? box)
        guard !covered.isEmpty else { return }
        let strewn = StrewnDashes(inside: outlines, covered)
        counts.comparisons += strewn.comparisonCount
        guard counts.comparisons <= StrewnDashes.comparisonsMax else {
            throw .overLimit(
                tree.place, what: "the drawing's pattern fills",
                found: "\(counts.comparisons) rows of dashes times corners around them",
                limit: "\(StrewnDashes.comparisonsMax)")
        }
        for (path, box) in strewn.shapes() {
            try addShape(path, box, rule: .nonzero, color: dashes, mode: mode, layerOpacity: layerOpacity)
        }
    }

    /// Adds a filled path, in the page's coordinates.
    ///
    /// - Parameters:
    ///   - box: around the path.
    ///   - name: of a layer that begins with it.
    mutating func addShape(
        _ path: ShapePath, _ box: Rect, rule: FillRule, color: RGBA8, text: String? = nil, mode: BlendMode = .normal,
        layerOpacity: Double = 1, name: String = "Shapes"
    ) throws(EngineError) {
        guard !box.isEmpty, box.maxX > box.minX, box.maxY > box.minY, color.alpha > 0 else { return }
        guard [box.minX, box.minY, box.maxX, box.maxY].allSatisfy({ abs($0) <= Limits.worldCoordinate }) else {
            throw .badInput(tree.place, reason: "\(tree.what) has a shape beyond 10^9, or none")
        }
        var box = box
        if let clip {
            box = box.intersection(clip.expanded(by: 1))
            guard box.maxX > box.minX, box.maxY > box.minY else { return }
        }
        counts.shapes += 1
        counts.segments += path.segmentCount
        guard counts.shapes <= tree.limits.shapes, counts.segments <= tree.limits.segments,
            path.segmentCount <= tree.limits.pathSegments
        else {
            throw .overLimit(
                tree.place, what: "the drawing",
                found: "\(counts.shapes) shapes of \(counts.segments) segments, one of \(path.segmentCount)",
                limit: "\(tree.limits.shapes) shapes, \(tree.limits.segments) segments, "
                    + "\(tree.limits.pathSegments) in one")
        }
        let overlaps =
            !inked.isEmpty && box.minX < inked.maxX && inked.minX < box.maxX && box.minY < inked.maxY
            && inked.minY < box.maxY
        if overlaps { close() }
        try open(mode, opacity: layerOpacity, name: name)
        layers[layers.count - 1].shapes.append(
            Shape(
                path: path, transform: AffineMap(x: origin.x, y: origin.y), rule: rule, fill: .color(color),
                text: text))
    }

    // MARK: - Text

    /// Adds lines of text as outlines, the first baseline at `y`.
    ///
    /// - Parameters:
    ///   - size: of an em.
    ///   - lineHeight: from baseline to baseline.
    ///   - align: 0 left, 0.5 centred, 1 right of x.
    ///   - width: of the widest line in the font that the text was written in; letters are narrower where ours would be
    ///     wider.
    ///   - turned: what a point of the text becomes; nil: itself.
    ///
    /// - Returns: what the text covers.
    @discardableResult
    mutating func addText(
        _ text: String, x: Double, y: Double, size: Double, lineHeight: Double, align: Double = 0, width: Double? = nil,
        color: RGBA8, turned: ((Point) -> Point)? = nil, path: String
    ) throws(EngineError) -> Rect {
        guard size > 0, size <= 1e6 else {
            leaveOut("text without a size", at: path)
            return .empty
        }
        guard let font = NoteFont.sans else {
            leaveOut("text, since the font DejaVu Sans is not installed (package fonts-dejavu-core)", at: path)
            return .empty
        }
        var lines: [(index: Int, line: TextLine)] = []
        let texts = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, content) in texts.prefix(10_000).enumerated() {
            let shown = String(content.map { $0 == "\t" ? " " : $0 })
            guard shown.contains(where: { !$0.isWhitespace }) else { continue }
            do throws(EngineError) {
                lines.append((index, try TextLine(shown, fonts: [font], place: tree.place)))
            } catch {
                guard case .badInput(_, let reason) = error else { throw error }
                leaveOut("text: \(reason)", at: path)
            }
        }
        let widest = lines.reduce(0) { max($0, $1.line.advance) } * size
        let narrowing = width.map { $0 > 0 && $0 < widest ? max($0 / widest, 0.5) : 1 } ?? 1
        var all = Rect.empty
        for (index, line) in lines {
            var (outline, box) = (ShapePath(), Rect.empty)
            let left = x - align * line.advance * size * narrowing
            let baseline = y + Double(index) * lineHeight
            for glyph in line.glyphs {
                let em = glyph.font.unitsPerEm
                outline.add(try glyph.font.outline(glyph.number)) { (point: Point) in
                    let flat = Point(
                        x: left + (glyph.place.x + point.x / em) * size * narrowing,
                        y: baseline - (glyph.place.y + point.y / em) * size)
                    let place = turned?(flat) ?? flat
                    box.formUnion(place)
                    return place
                }
            }
            let said = String(texts[index])
            if let clip, box != box.intersection(clip) {
                try addShape(Self.polygons(of: outline), rule: .nonzero, color: color, text: said)
            } else {
                try addShape(outline, box, rule: .nonzero, color: color, text: said)
            }
            all.formUnion(box)
        }
        return all
    }

    /// Adds a picture, in the page's coordinates. One that cannot be read is left out with a warning.
    mutating func addPicture(
        _ bytes: [UInt8], _ placement: Placement, opacity: Double = 1, path: String
    ) throws(EngineError) {
        try addPicture(bytes, NotePicture(place: placement, opacity: opacity), path: path)
    }

    /// Adds a part of a picture that a document has as a URL of its bytes.
    ///
    /// - Parameter dataURL: nil where the document does not have it.
    mutating func addPicture(dataURL: String?, _ picture: NotePicture, path: String) throws(EngineError) {
        guard let dataURL, let comma = dataURL.utf8.firstIndex(of: UInt8(ascii: ",")) else {
            return leaveOut("a picture that is not in the file", at: path)
        }
        guard let bytes = Base64.bytes(of: Array(dataURL.utf8[dataURL.utf8.index(after: comma)...])) else {
            return leaveOut("a damaged picture", at: path)
        }
        try addPicture(bytes, picture, path: path)
    }

    /// Adds a part of a picture, in the page's coordinates. One that cannot be read, or is too large, is left out with a
    /// warning.
    mutating func addPicture(_ bytes: [UInt8], _ picture: NotePicture, path: String) throws(EngineError) {
        var picture = picture
        let placement = picture.place
        guard placement.width > 0, placement.height > 0,
            [placement.x, placement.y, placement.width, placement.height, placement.rotation].allSatisfy({
                abs($0) <= Limits.worldCoordinate
            })
        else { return leaveOut("a picture without a place", at: path) }
        if let clip {
            var box = Rect.empty
            for corner in placement.corners { box.formUnion(corner) }
            let seen = box.intersection(clip)
            guard seen.maxX > seen.minX, seen.maxY > seen.minY else { return }
            if seen != box { picture.cut(to: clip) }
        }
        let shown: (image: EncodedImage, placement: Placement, needsMask: Bool)
        do throws(EngineError) {
            let place = Place(file: tree.place.file, path: path)
            shown = try tree.image(bytes, path).shown(as: picture, place: place, limits: tree.limits)
        } catch {
            guard let reason = error.leftOutReason else { throw error }
            return leaveOut("a picture: \(reason)", at: path)
        }
        let measures = [shown.placement.x, shown.placement.y, shown.placement.width, shown.placement.height]
        guard measures.allSatisfy({ abs($0) <= Limits.worldCoordinate }) else {
            return leaveOut("a picture without a place", at: path)
        }
        close()
        try open(.normal, opacity: picture.opacity, name: "Picture")
        let last = layers.count - 1
        layers[last].contentImage = shown.image
        layers[last].contentPlacement = moved(shown.placement)
        if shown.needsMask || picture.outline != .rectangle {
            layers[last].maskShapes = [picture.outline.shape(in: moved(picture.place))]
        }
        close()
    }

    /// A rectangle of one colour below all that follows.
    mutating func addGround(_ color: RGBA8, _ box: Rect) throws(EngineError) {
        let corners = [(box.minX, box.minY), (box.maxX, box.minY), (box.maxX, box.maxY), (box.minX, box.maxY)]
        try addShape([corners.map { Point(x: $0.0, y: $0.1) }], color: color)
        close()
    }
}
