import CPNG
import InkEngine

/// libpng's row reader over a PNG in memory. Rows are returned with 8 bits per sample: palettes become colours, tRNS
/// becomes alpha, and 16 bits become round(v / 257). There is no colour management.
///
/// For one thread at a time. A reader that has thrown must not be used any more.
final class PNGRowReader {
    private let reader: OpaquePointer
    private let place: Place
    private let layout: ink_png_layout

    /// Bytes per row: width times `channels`.
    var rowByteCount: Int { layout.row_bytes }
    /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
    var channels: Int { Int(layout.channels) }
    /// Number of passes over the rows: 1, or 7 if interlaced.
    var passes: Int { Int(layout.passes) }

    /// Reads everything before the pixels.
    ///
    /// - Parameter expandsGray: whether gray becomes RGB.
    /// - Parameter png: must outlive the reader.
    init(_ png: UnsafeBufferPointer<UInt8>, expandsGray: Bool, place: Place) throws(EngineError) {
        guard let base = png.baseAddress, let reader = ink_png_open(base, png.count) else {
            throw .internalError("libpng cannot be set up")
        }
        self.reader = reader
        self.place = place
        var layout = ink_png_layout()
        let isRead = ink_png_read_header(reader, UInt32(ImageHeader.edgePixelsMax), expandsGray ? 1 : 0, &layout) != 0
        self.layout = layout
        // From here on deinit closes the reader, even if this throws.
        guard isRead else { throw error() }
    }

    deinit { ink_png_close(reader) }

    /// Reads the next row of the current pass into `row`. A later pass of an interlaced image needs the contents that
    /// earlier passes left there.
    ///
    /// - Precondition: `row` has room for `rowByteCount` bytes.
    func readRow(into row: UnsafeMutablePointer<UInt8>) throws(EngineError) {
        guard ink_png_read_row(reader, row) != 0 else { throw error() }
    }

    /// Reads everything after the pixels, including IEND, and checks the end of the zlib stream.
    func finish() throws(EngineError) {
        guard ink_png_finish(reader) != 0 else { throw error() }
    }

    private func error() -> EngineError {
        let text = String(cString: ink_png_error(reader))
        return .badInput(place, reason: "the PNG is damaged: \(text)")
    }
}
