public import InkEngine

/// The specification evaluated as plainly as possible, in double precision; the judge of the fast renderer.
///
/// Written from the specification alone; shares nothing with the engine but the values of the project.
public enum ReferenceRenderer {
    /// Renders the whole picture.
    ///
    /// - Parameters:
    ///   - images: an image for each one that the project has.
    ///   - output: the picture's size; width and height scale by themselves (spec 1, "per axis s_x, s_y").
    ///   - background: instead of the project's.
    ///   - stripsPerPixel: the least number of horizontal strips that a pixel row is cut into. Areas are exact within
    ///     a strip but for arcs that cross other parts, so more of them matter little.
    /// - Complexity: proportional to stamps times their area; meant for pictures of some hundred pixels.
    public static func render(
        project: Project, images: DecodedImages = DecodedImages(), output: PixelSize, background: RGBA8? = nil,
        stripsPerPixel: Int = 16
    ) -> ReferencePicture {
        let scanner = CoverageScanner(canvas: project.canvasSize, output: output, stripsPerPixel: stripsPerPixel)
        // Spec 5.3: "Backdrop: `background`, then `baseImage` scaled to the output, source-over."
        var picture = ReferencePicture(size: output, color: background ?? project.background)
        if project.baseImage != nil {
            let base = scaledPicture(decoded(images, .base), to: output)
            blendLayer(base, onto: &picture.pixels, mode: .normal)
        }
        // Spec 2.1: "Layers are drawn in ascending `order`; equal orders keep file order. `isVisible: false` is not drawn."
        let drawn = project.layers.enumerated().filter(\.element.isVisible)
        let ordered = drawn.sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
        for (index, layer) in ordered {
            let pixels = render(layer, index: index, images: images, output: output, scanner: scanner)
            blendLayer(pixels, onto: &picture.pixels, mode: layer.blendMode)
        }
        return picture
    }

    /// Spec 5.1 and 5.2: one finished layer, premultiplied RGBA.
    private static func render(
        _ layer: Layer, index: Int, images: DecodedImages, output: PixelSize, scanner: CoverageScanner
    ) -> [Double] {
        // "A layer starts transparent, or as its `contentImage` scaled to the output."
        var pixels = [Double](repeating: 0, count: output.area * 4)
        if layer.contentImage != nil {
            pixels = scaledPicture(decoded(images, .content(layerIndex: index)), to: output)
        }
        // "Strokes follow in file order"
        for stroke in layer.strokes { draw(stroke, on: &pixels, output: output, scanner: scanner) }
        // "The layer is multiplied by its mask at that pixel (1 where it has none), then by `opacity`."
        var mask = [Double](repeating: 1, count: output.area)
        if layer.maskImage != nil { mask = scaledMask(decoded(images, .mask(layerIndex: index)), to: output) }
        for pixel in mask.indices {
            for channel in 0..<4 { pixels[pixel * 4 + channel] *= mask[pixel] * layer.opacity }
        }
        return pixels
    }

    private static func draw(_ stroke: Stroke, on pixels: inout [Double], output: PixelSize, scanner: CoverageScanner) {
        let alphas = strokeAlpha(stroke, output: output, scanner: scanner)
        let color = stroke.brush.color
        let channels = [color.red, color.green, color.blue].map { Double($0) / 255 }
        for (pixel, alpha) in alphas.enumerated() where alpha > 0 {
            // "`paint` source-over, `erase` destination-out"
            for channel in 0..<4 { pixels[pixel * 4 + channel] *= 1 - alpha }
            guard stroke.mode == .paint else { continue }
            for channel in 0..<3 { pixels[pixel * 4 + channel] += alpha * channels[channel] }
            pixels[pixel * 4 + 3] += alpha
        }
    }

    /// Spec 3.6: "a stroke leaves at each pixel alpha A = 1 - product over its stamps of (1 - alpha_j * coverage_j), in
    /// one colour". Row-major, one number a pixel.
    package static func strokeAlpha(_ stroke: Stroke, output: PixelSize, scanner: CoverageScanner) -> [Double] {
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
    package static func shapes(of stroke: Stroke) -> [(shape: Shape, alpha: Double)] {
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

    private static func decoded(_ images: DecodedImages, _ key: ImageKey) -> StraightImage {
        guard let image = images[key] else {
            preconditionFailure("the project has an image that was not decoded: \(key)")
        }
        return image
    }
}
