import CKernels

/// The rounding of finished planes to 8 bits a channel.
struct PixelOutput {
    let format: PixelFormat
    /// Puts the picture onto white first.
    var flattenOnWhite = false
    /// Alpha is 1 everywhere and is not read.
    var isOpaque = false
    var kernels = CompositingKernels.selected

    /// Writes the planes as interleaved 8-bit samples: straight colour and alpha for `rgba`; colour alone for `rgb`,
    /// the premultiplied values as they are, which is right for an opaque picture. Rounded to nearest, halves up. A
    /// pixel of alpha exactly 0 is transparent black.
    ///
    /// - Parameters:
    ///   - rows: how many of the planes' rows; nil for all.
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
