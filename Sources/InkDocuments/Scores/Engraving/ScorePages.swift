import InkEngine

/// Makes the pages of a score: viewports of an infinite canvas whose unit is a point, 1/72 inch.
struct ScorePages {
    private(set) var project = Project(canvasSize: nil, background: .white)
    private var used: Set<ScoreGlyph> = []
    private let format: PageFormat

    /// The distance between pages.
    private static let gap = 72.0

    /// - Parameters:
    ///   - reading: a score with the problems of its tunes; those of the layout are added. A tune with an error gets a page that
    ///     cannot be drawn.
    ///   - format: of all pages.
    init(_ reading: inout ScoreReading, format: PageFormat) {
        self.format = format
        let document = reading.document
        let settings = document.documentLayout
        var tunes: [EngravedTune] = []
        var failed: [(tune: Int, problem: ScoreProblem)] = []
        for (index, tune) in document.tunes.enumerated() {
            if let problem = reading.error(ofTune: index) {
                failed.append((index, problem))
                continue
            }
            do throws(ScoreProblem) {
                let engraved = try Self.engrave(tune, index, document, format)
                reading.problems += engraved.problems
                tunes.append(engraved)
            } catch {
                reading.problems.append(error)
                failed.append((index, error))
            }
        }
        project.name = document.metadata.title
        project.createdAt = document.metadata.created
        project.modifiedAt = document.metadata.modified
        let authors = Set(document.tunes.compactMap(\.metadata.composer)).sorted()
        project.metadata.author = document.metadata.composer ?? (authors.count == 1 ? authors[0] : nil)
        project.hasPages = true
        project.metadata.unitsPerInch = 72
        let pages = Pagination(tunes, height: format.textHeight, fit: settings.fit)
        let digits = String(max(pages.pages.count + failed.count, 10)).count
        func name(_ number: Int) -> String {
            let text = String(number)
            return "p" + String(repeating: "0", count: max(digits - text.count, 0)) + text
        }
        for (index, sections) in pages.pages.enumerated() {
            add(
                pages, sections, name: name(index + 1), number: index,
                rules: EngravingRules(settings: settings, tuneType: .other))
        }
        for (tune, problem) in failed {
            addViewport(name: name(project.viewports.count + 1))
            let title = document.tunes[tune].metadata.title
            let which = title.isEmpty ? "tune \(tune + 1)" : "\"\(shownText(title, limit: 40))\""
            project.pageContents.append(PageContent(fault: "\(which) cannot be drawn: \(problem)"))
        }
        project.symbols = ScoreGlyph.allCases.filter { used.contains($0) }
            .map { Symbol(id: $0.rawValue, path: $0.outline.path) }
    }

    private static func engrave(
        _ tune: Tune, _ index: Int, _ document: ScoreDocument, _ format: PageFormat
    ) throws(ScoreProblem) -> EngravedTune {
        func engrave(_ scale: Double) throws(ScoreProblem) -> EngravedTune {
            try EngravedTune(
                tune, index: index, groups: document.noteGroups, settings: document.documentLayout,
                width: format.lineWidth, scaleMax: scale)
        }
        let whole = try engrave(1)
        func check(_ tune: EngravedTune) throws(ScoreProblem) -> EngravedTune {
            let highest = tune.lines.map { $0.heightMin * tune.scale }.max() ?? 0
            guard highest + tune.heading.height * tune.scale <= format.textHeight else {
                throw ScoreProblem(
                    code: .limit, tune: index,
                    reason:
                        "a line of music is higher than the page; choose larger paper, a smaller margin or a smaller "
                        + "staff")
            }
            return tune
        }
        guard document.documentLayout.fit == .page else { return try check(whole) }
        let least = whole.lines.reduce(whole.heading.height) { $0 + $1.heightMin } * whole.scale
        guard least > format.textHeight else { return try check(whole) }
        // A little less, since lengths are rounded.
        return try check(engrave(whole.scale * (format.textHeight.value / least.value) * 0.999))
    }

    // MARK: - Pages

    private var nextX: Double { Double(project.viewports.count) * (format.width + Self.gap) }

    private mutating func addViewport(name: String) {
        project.viewports.append(
            Viewport(
                name: name, center: Point(x: nextX + format.width / 2, y: format.height / 2),
                size: CanvasSize(width: format.width, height: format.height)))
    }

    private mutating func add(
        _ pages: Pagination, _ sections: [PageSection], name: String, number: Int, rules: EngravingRules
    ) {
        var layer = Layer(id: "page-\(number + 1)", name: name, order: Double(number))
        let (left, top) = (nextX + format.margins.left, format.margins.top)
        let digest = SHA256()
        digest.update(label: "score page", Array("\(format) \(number) \(project.name) \(project.metadata)".utf8))
        for placed in pages.placed(sections) {
            digest.update(label: "line", placed.bytes)
            let unit = format.staffSpace * placed.scale
            let origin = Point(x: left, y: top + placed.y.value * format.staffSpace)
            add(placed.items, at: origin, unit: unit, to: &layer)
        }
        let foot = foot(pages, sections, number: number, rules)
        digest.update(label: "foot", Pagination.Placed(items: foot, y: 0, scale: 1).bytes)
        // The middle of the lower margin has room.
        let baseline = format.height - format.margins.bottom * 0.55
        add(foot, at: Point(x: left, y: baseline), unit: format.staffSpace, to: &layer)
        project.pageContents.append(PageContent(layer: project.layers.count, digest: digest.finish()))
        project.layers.append(layer)
        addViewport(name: name)
    }

    /// The footers of the tunes that end on the page, and its number.
    private func foot(
        _ pages: Pagination, _ sections: [PageSection], number: Int, _ rules: EngravingRules
    ) -> [EngravedItem] {
        var footers: [String] = []
        for section in sections {
            let tune = pages.tunes[section.tune]
            guard section.lines.upperBound == tune.lines.count, let footer = tune.footer, !footer.isEmpty else {
                continue
            }
            if !footers.contains(footer) { footers.append(footer) }
        }
        let width = format.lineWidth
        var items: [EngravedItem] = []
        for (row, footer) in footers.enumerated() {
            let place = StaffPoint(x: 0, y: Spaces(-2.2) * row)
            items.append(
                .text(EngravedText(text: footer, face: rules.regular, size: 1.6, place: place).fitted(width * 0.85)))
        }
        if rules.settings.pageNumbers {
            var text = EngravedText(
                text: "\(number + 1)/\(pages.pages.count)", face: rules.regular, size: 1.6,
                place: StaffPoint(x: 0, y: 0))
            text.place.x = width - text.width
            items.append(.text(text))
        }
        return items
    }

    // MARK: - Shapes

    /// Adds items as shapes: symbols by reference, all lines of them as one path.
    ///
    /// - Parameters:
    ///   - origin: the place of 0, 0 of the items, points.
    ///   - unit: a staff space in points.
    private mutating func add(_ items: [EngravedItem], at origin: Point, unit: Double, to layer: inout Layer) {
        var (verbs, points): ([ShapePath.Verb], [Point]) = ([], [])
        func place(_ point: StaffPoint) -> Point {
            Point(x: origin.x + point.x.value * unit, y: origin.y - point.y.value * unit)
        }
        func addPolygon(_ corners: [StaffPoint]) {
            for (index, corner) in corners.enumerated() {
                verbs.append(index == 0 ? .move : .line)
                points.append(place(corner))
            }
            verbs.append(.close)
        }
        var shapes: [Shape] = []
        for item in items {
            switch item {
            case .glyph(let glyph, let at, let scale):
                used.insert(glyph)
                let corner = place(at)
                shapes.append(
                    Shape(
                        path: glyph.outline.path, symbol: glyph.rawValue,
                        transform: AffineMap(a: unit * scale, d: unit * scale, x: corner.x, y: corner.y)))
            case .box(let box):
                addPolygon([
                    StaffPoint(x: box.minX, y: box.minY), StaffPoint(x: box.minX, y: box.maxY),
                    StaffPoint(x: box.maxX, y: box.maxY), StaffPoint(x: box.maxX, y: box.minY),
                ])
            case .polygon(let corners): addPolygon(corners)
            case .tie(let from, let to, let height):
                shapes.append(Shape(path: Self.tie(place(from), place(to), height: height.value * unit, unit: unit)))
            case .text(let text):
                let (corner, size) = (place(text.place), text.size.value * unit)
                let path = text.face.letters.outline(
                    of: text.text, AffineMap(a: size, d: size, x: corner.x, y: corner.y))
                shapes.append(Shape(path: path, text: text.text))
            }
        }
        if let lines = ShapePath(verbs: verbs, points: points), !lines.isEmpty {
            layer.shapes.append(Shape(path: lines))
        }
        layer.shapes += shapes
    }

    /// A crescent above its ends, thicker in the middle.
    private static func tie(_ from: Point, _ to: Point, height: Double, unit: Double) -> ShapePath {
        let (tip, middle) = (0.1 * unit, 0.22 * unit)
        let width = to.x - from.x
        // A cubic reaches three quarters of the way to its control points.
        let (outer, inner) = (height / 0.75, (height - middle + tip) / 0.75)
        var path = ShapePath()
        path.move(to: from)
        path.cubic(
            Point(x: from.x + 0.25 * width, y: from.y - outer), Point(x: to.x - 0.25 * width, y: to.y - outer), to: to)
        path.line(to: Point(x: to.x, y: to.y + tip))
        path.cubic(
            Point(x: to.x - 0.25 * width, y: to.y + tip - inner),
            Point(x: from.x + 0.25 * width, y: from.y + tip - inner), to: Point(x: from.x, y: from.y + tip))
        path.close()
        return path
    }
}
