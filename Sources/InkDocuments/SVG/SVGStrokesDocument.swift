import InkCodecs
import InkEngine

/// An SVG drawing as strokes (`ink import --strokes`): each line is a stroke in its colour and width, each area a shape in
/// the colour of its fill. The canvas is as large as the drawing.
///
/// Ends and corners of strokes are round. Curves become points between which the strokes are smooth again.
struct SVGStrokesDocument: FileDocumentReader {
    let what = "an SVG drawing"
    let label = "svg strokes"

    func recognizes(_ head: DocumentHead) -> Bool {
        !head.isFolder && TextFormat(of: head.bytes) == .svg
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let root = try XMLNode.read(bytes, "the SVG", place: place)
        guard root.name == "svg" else { throw .badInput(place, reason: "is not an SVG drawing") }
        let (canvas, map) = try Self.canvas(of: root, context, place)
        func walk(takesFills: Bool) throws(EngineError) -> NotePage {
            var walk = SVGStrokesWalk(
                root, map, canvas,
                NotePage(origin: Point(x: 0, y: 0), DocumentTree("the SVG", place: place, limits: context.limits)),
                takesFills: takesFills)
            try walk.run()
            return walk.page
        }
        var page: NotePage
        do throws(EngineError) {
            page = try walk(takesFills: true)
        } catch {
            // Each area above strokes needs a layer of its own.
            guard case .overLimit(_, DocumentTree.layerCount, _, _) = error else { throw error }
            page = try walk(takesFills: false)
        }
        guard page.counts.strokes + page.counts.shapes > 0 else {
            throw .badInput(
                place,
                reason:
                    "the SVG has no lines or areas that could become strokes and shapes; import it without --strokes as a picture"
            )
        }
        let project = Project(canvasSize: canvas, background: .white, layers: page.layers)
        return (project, page.tree.warnings.all)
    }

    /// The canvas, and how CSS pixels of the drawing lie on it: one to one, or as drawings are fitted where a canvas is
    /// wished.
    private static func canvas(
        of root: XMLNode, _ context: DocumentContext, _ place: Place
    ) throws(EngineError) -> (PixelSize, AffineMap) {
        let size = SVGRules.size(
            width: root.attributes["width"], height: root.attributes["height"], viewBox: root.attributes["viewBox"])
        if context.fitsOutlines {
            let wanted = context.drawing
            let room = Point(
                x: Double(wanted.canvas.width) - 2 * wanted.margin, y: Double(wanted.canvas.height) - 2 * wanted.margin)
            let scale = min(room.x / size.width, room.y / size.height)
            return (
                wanted.canvas,
                AffineMap(
                    a: scale, d: scale, x: (Double(wanted.canvas.width) - scale * size.width) / 2,
                    y: (Double(wanted.canvas.height) - scale * size.height) / 2)
            )
        }
        let (width, height) = (max(1, size.width.rounded()), max(1, size.height.rounded()))
        guard max(width, height) <= Double(context.limits.edgePixels) else {
            throw .overLimit(
                place, what: "the SVG", found: "\(shownNumber(width))x\(shownNumber(height)) pixels",
                limit: "\(context.limits.edgePixels) pixels an edge")
        }
        return (
            PixelSize(width: Int(width), height: Int(height)),
            AffineMap(a: width / size.width, d: height / size.height)
        )
    }
}
