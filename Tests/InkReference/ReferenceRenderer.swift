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
}
