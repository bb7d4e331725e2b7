import InkCodecs
import InkEngine

/// The size in which a drawing is made, and where it lies in the picture that was ordered.
struct FramedDrawing {
    var size: PixelSize
    /// Where the drawing lies; nil: it fills the picture.
    var frame: PictureFrame?

    /// A drawing that fills the picture.
    init(size: PixelSize) { self.size = size }

    /// - Parameters:
    ///   - project: says how it becomes a picture of another size.
    ///   - canvas: what of it the picture shows.
    ///   - order: of the picture.
    /// - Throws: `overLimit` at `place` for a drawing beyond the limits.
    init(
        of project: Project, canvas: CanvasSize, _ order: PictureOrder, limits: Limits, place: Place
    ) throws(EngineError) {
        self.init(size: order.output)
        let (picture, fit) = (order.output, order.options.fit ?? PictureFit())
        let repeatsPixels = project.scaling == .pixel || fit.repeatsPixels
        guard repeatsPixels || order.options.fit != nil else { return }
        let margin = min(fit.margin, (min(picture.width, picture.height) - 1) / 2)
        let room = PixelSize(width: picture.width - 2 * margin, height: picture.height - 2 * margin)
        var magnification = 0
        if repeatsPixels, let own = ExportSize("1x") {
            size = try own.outputSize(canvas: canvas, limits: limits, place: place)
            magnification = min(room.width / size.width, room.height / size.height)
        }
        if magnification == 0 {
            size = try ExportSize.fit(room).outputSize(canvas: canvas, limits: limits, place: place)
            magnification = 1
        }
        let (width, height) = (size.width * magnification, size.height * magnification)
        guard width != picture.width || height != picture.height || magnification > 1 else { return }
        let y =
            switch fit.alignment {
            case .top: margin
            case .center: (picture.height - height) / 2
            case .bottom: picture.height - margin - height
            }
        frame = PictureFrame(size: picture, x: (picture.width - width) / 2, y: y, magnification: magnification)
    }
}
