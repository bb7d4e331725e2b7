extension ImageSlice {
    /// The image rows that the output rows `rows` (not empty) depend on.
    public static func rowsNeeded(
        for rows: Range<Int>, imageHeight: Int, outputHeight: Int, filter: ResampleFilter
    ) -> Range<Int> {
        ResampleKernel.sourceRange(forOutput: rows, source: imageHeight, destination: outputHeight, filter: filter)
    }

    /// The rows of a placed image that a part of the output depends on; nil if it shows nowhere there.
    ///
    /// - Parameters:
    ///   - rect: a part of the output.
    ///   - placement: where the image lies on the canvas.
    ///   - image: its size in pixels.
    ///   - part: the pixels that it has, if it was scaled when it was decoded.
    ///   - canvas: the canvas's size in canvas pixels.
    ///   - output: the whole picture's size in pixels.
    ///   - filter: the one that scales the image.
    public static func rowsNeeded(
        for rect: PixelRect, _ placement: Placement, image: PixelSize, part: PixelRect? = nil, canvas: CanvasSize,
        output: PixelSize, filter: ResampleFilter
    ) -> Range<Int>? {
        let scale = OutputScale(canvas: canvas, output: output)
        return PlacedGeometry(placement, image: image, part: part, scale: scale, filter: filter).imageRows(for: rect)
    }
}
