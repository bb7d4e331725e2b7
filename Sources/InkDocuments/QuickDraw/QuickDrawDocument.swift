import InkCodecs
import InkEngine

/// Quick, Draw! drawings, one JSON object a line: a page each.
struct QuickDrawDocument: DocumentReader {
    let isImported = true

    /// A first line that holds a drawing. A project that has such a key somewhere has a canvas as well.
    func recognizes(_ head: DocumentHead) -> Bool {
        TextFormat.isQuickDraw(head.bytes) && !head.bytes.holds("\"canvas")
    }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        guard case .file(let bytes) = consume content else {
            throw .badInput(Place(file: name), reason: "is a folder, not Quick, Draw! drawings")
        }
        var drawingCount = 0
        var failures: (count: Int, first: EngineError?) = (0, nil)
        QuickDrawReader.read(bytes, file: name, limits: context.limits) { line in
            switch line {
            case .success(let drawing):
                drawingCount += 1
                let reading = ProjectReading(
                    project: drawing.project(context.drawing), warnings: [], contentDigest: [])
                onPage(
                    .success(
                        DocumentPage(name: drawing.fileName, place: "line \(drawing.line)", reading: reading)))
            case .failure(let error):
                failures = (failures.count + 1, failures.first ?? error)
                onPage(.failure(error))
            }
        }
        guard drawingCount > 0 || failures.count > 0 && TextFormat.isQuickDraw(bytes) else {
            throw .badInput(Place(file: name), reason: Self.reason(failures))
        }
    }

    private static func reason(_ failures: (count: Int, first: EngineError?)) -> String {
        guard let first = failures.first else { return "holds no drawing" }
        let lines = failures.count == 1 ? "its line is not" : "none of its \(failures.count) lines is"
        return "\(lines) a drawing of Quick, Draw!, which is a JSON object a line; the first error: \(first)"
    }

    /// - Throws: `badInput` for a file that is something else as a whole: its lines need not be looked at.
    static func refuseForeign(_ bytes: [UInt8], _ name: String) throws(EngineError) {
        guard
            let kind = InputKind.name(of: bytes) ?? ForeignFormat.name(ofText: bytes)
                ?? (bytes.prefix(1 << 10).contains(0) ? "binary data" : nil)
        else { return }
        throw .badInput(
            Place(file: name), reason: "is \(kind), not Quick, Draw! drawings (one JSON object per line)")
    }
}

extension QuickDrawing {
    /// A project of one layer with the drawing's strokes in one brush, fitted into the canvas: aspect kept, centred, at
    /// least `margin` canvas pixels from every edge, coordinates rounded to 1/100 pixel. A drawing without extent is put
    /// into the middle.
    ///
    /// - Precondition: both edges of the canvas are above 0 and the margin leaves some of it.
    func project(_ wanted: ImportedDrawing) -> Project {
        let (brush, canvas, margin) = (wanted.brush, wanted.canvas, wanted.margin)
        precondition(canvas.width > 0 && canvas.height > 0, "a canvas has pixels")
        let room = Point(x: Double(canvas.width) - 2 * margin, y: Double(canvas.height) - 2 * margin)
        precondition(room.x > 0 && room.y > 0, "the margin leaves nothing of the canvas")
        var bounds = Rect.empty
        // Halves, because the distance of two finite numbers may not be finite.
        for point in strokes.joined() { bounds.formUnion(Point(x: point.x / 2, y: point.y / 2)) }
        let center = Point(
            x: bounds.minX + (bounds.maxX - bounds.minX) / 2, y: bounds.minY + (bounds.maxY - bounds.minY) / 2)
        let extent = Point(x: bounds.maxX - bounds.minX, y: bounds.maxY - bounds.minY)
        let scale = min(
            extent.x > 0 ? room.x / extent.x : .infinity, extent.y > 0 ? room.y / extent.y : .infinity,
            .greatestFiniteMagnitude)
        func place(_ value: Double, _ center: Double, _ edge: Int) -> Double {
            let offset = value / 2 - center
            // Without extent the offset is 0 and the scale may be infinite.
            let position = Double(edge) / 2 + (offset == 0 ? 0 : offset * scale)
            return (position * 100).rounded() / 100
        }
        let placed = strokes.map { points in
            Stroke(
                brush: brush,
                points: points.map { point in
                    var point = point
                    point.x = place(point.x, center.x, canvas.width)
                    point.y = place(point.y, center.y, canvas.height)
                    return point
                })
        }
        return Project(
            id: keyID, name: word, canvasSize: canvas,
            layers: [Layer(id: "drawing", name: word, strokes: placed)])
    }
}
