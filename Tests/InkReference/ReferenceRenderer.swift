public import InkEngine

/// The specification evaluated as plainly as possible, in double precision; the judge of the fast renderer.
///
/// Written from the specification alone; shares nothing with the engine but the values of the project.
public enum ReferenceRenderer {
    /// Renders the whole picture.
    ///
    /// - Parameters:
    ///   - viewport: what of the world the picture shows (spec 8.5); nil for the canvas.
    ///   - images: an image for each one that the project has.
    ///   - output: the picture's size; width and height scale by themselves (spec 1, "per axis s_x, s_y").
    ///   - background: instead of the project's.
    ///   - stripsPerPixel: the least number of horizontal strips that a pixel row is cut into. Areas are exact within
    ///     a strip but for arcs that cross other parts, so more of them matter little.
    /// - Precondition: an infinite canvas has a viewport and no base image.
    /// - Complexity: proportional to stamps times their area; meant for pictures of some hundred pixels.
    public static func render(
        project: Project, viewport: Viewport? = nil, images: DecodedImages = DecodedImages(), output: PixelSize,
        background: RGBA8? = nil, stripsPerPixel: Int = 16
    ) -> ReferencePicture {
        precondition(!project.isInfinite || viewport != nil && project.baseImage == nil)
        let space = viewport?.size ?? project.canvasSize
        let painter = TreePainter(
            project: project, images: images, view: ReferenceView(viewport: viewport), output: output,
            scanner: CoverageScanner(canvas: space, output: output, stripsPerPixel: stripsPerPixel))
        // Spec 5.3: "Backdrop: `background`, then `baseImage` scaled to the output, source-over."
        var picture = ReferencePicture(size: output, color: background ?? project.background)
        if project.baseImage != nil {
            blendLayer(painter.picture(.base, placement: nil), onto: &picture.pixels, mode: .normal)
        }
        painter.paint(project.layers, firstIndex: 0, onto: &picture.pixels)
        return picture
    }

    /// Spec 3.6: "a stroke leaves at each pixel alpha A = 1 - product over its stamps of (1 - alpha_j * coverage_j), in
    /// one colour". Row-major, one number a pixel.
    ///
    /// - Parameter origin: where the canvas's origin lies, for patterns that stay with the canvas.
    package static func strokeAlpha(
        _ stroke: Stroke, output: PixelSize, scanner: CoverageScanner, origin: Point = Point(x: 0, y: 0)
    ) -> [Double] {
        if stroke.brush.isCanvasPattern {
            return patternAlpha(stroke, output: output, scanner: scanner, origin: origin)
        }
        // "(contour lines: see 3)"
        if let quads = contourQuads(of: stroke) { return scanner.alpha(of: quads) }
        var transmitted = [Double](repeating: 1, count: output.area)
        for (shape, alpha) in shapes(of: stroke) {
            guard alpha > 0, let coverage = scanner.coverage(of: shape) else { continue }
            for y in coverage.rect.rows {
                for x in coverage.rect.columns {
                    transmitted[y * output.width + x] *= 1 - alpha * min(max(coverage[x, y], 0), 1)
                }
            }
        }
        return transmitted.map { 1 - $0 }
    }

    /// The quads of contour lines; nil for other brushes and for a stroke with a single station, which has a shape.
    package static func contourQuads(of stroke: Stroke) -> [ContourQuad]? {
        guard stroke.brush.type == .contourLines else { return nil }
        let stations = stamps(of: stroke, path: smoothedPath(stroke.points))
        return stations.count > 1 ? InkReference.contourQuads(of: stations, brush: stroke.brush) : nil
    }

    /// Every shape that a stroke draws, in order, with its alpha; canvas space. A stroke without points draws nothing.
    ///
    /// Precondition: the stroke has no `contourQuads`.
    package static func shapes(of stroke: Stroke) -> [(shape: UnionOfParts, alpha: Double)] {
        let path = smoothedPath(stroke.points)
        guard !path.isEmpty else { return [] }
        if stroke.brush.type == .solid {
            return [(solidShape(of: path, brush: stroke.brush), solidAlpha(stroke))]
        }
        return stampShapes(of: stamps(of: stroke, path: path), brush: stroke.brush)
    }

    /// Spec 3.2: "d = spacing * scale"
    private static func stamps(of stroke: Stroke, path: [PathSample]) -> [Stamp] {
        InkReference.stamps(along: path, every: stroke.brush.spacing * stroke.brush.scale)
    }
}
