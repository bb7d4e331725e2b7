import CKernels

/// Rounds finished planes to 8 bits per channel.
struct PixelOutput {
    let format: PixelFormat
    /// Whether the picture is composited onto white first.
    var flattenOnWhite = false
    /// Whether alpha is 1 everywhere and is not read.
    var isOpaque = false
    var kernels = CompositingKernels.selected

    /// Writes the planes as interleaved 8-bit samples, rounded to nearest, halves up. For `rgba`: straight colour and
    /// alpha; a pixel with alpha exactly 0 is transparent black. For `rgb`: only colour, as the premultiplied values,
    /// which is correct for an opaque picture.
    ///
    /// - Parameters:
    ///   - rows: number of the planes' rows; nil for all.
    ///   - target: `rowBytes` bytes for each row, of which the first `width * format.bytesPerPixel` are written.
    func write(_ planes: FloatPlanes, rows: Int? = nil, to target: UnsafeMutablePointer<UInt8>, rowBytes: Int) {
        let rows = rows ?? planes.height
        precondition(rowBytes >= planes.width * format.bytesPerPixel && rows <= planes.height)
        for y in 0..<rows {
            var row = planes.rows(from: y)
            kernels.blend.write(
                &row, planes.width, format == .rgba ? 1 : 0, isOpaque ? 1 : 0, flattenOnWhite ? 1 : 0,
                target + y * rowBytes)
        }
        withExtendedLifetime(planes) {}
    }
}
