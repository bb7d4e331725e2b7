import InkEngine

#if canImport(Glibc)
    import Glibc
#endif

/// Converts decoded rows to chunks of the target format, and computes the bounds of a mask.
///
/// All loops run over one row of `width` pixels of `channels` bytes, or over a chunk of `chunkRows` such rows in the
/// format's `bytesPerPixel`. The buffer has room for one chunk.
struct ChunkAssembler {
    private let size: PixelSize
    private let channels: Int
    private let format: SampleFormat
    private let chunk: RowBuffer
    private var nextRow = 0
    private var columns = 0..<0
    private var maskRows = 0..<0

    /// - Precondition: `channels` is 1 to 4, and 3 or 4 for colour.
    init(size: PixelSize, channels: Int, use: ImageUse) {
        precondition((1...4).contains(channels) && (use == .mask || channels >= 3))
        self.size = size
        self.channels = channels
        let hasAlpha = channels == 2 || channels == 4
        format =
            switch use {
            case .mask: hasAlpha ? .mask16 : .mask8
            case .color: hasAlpha ? .rgba8 : .rgb8
            }
        chunk = RowBuffer(byteCount: size.width * format.bytesPerPixel * min(size.height, ImageSlice.rowsPerChunk))
    }

    private var rowByteCount: Int { size.width * format.bytesPerPixel }

    /// Complete after the last row.
    var info: DecodedImageInfo {
        let bounds = PixelRect(
            x: columns.lowerBound, y: maskRows.lowerBound, width: columns.count, height: maskRows.count)
        return DecodedImageInfo(size: size, format: format, maskBounds: columns.isEmpty ? nil : bounds)
    }

    /// Takes the next row, of `width * channels` bytes, and returns the chunk if the row completes one.
    ///
    /// - Precondition: Fewer than `height` rows have been taken.
    mutating func append(_ row: UnsafePointer<UInt8>) -> DecodedChunk? {
        precondition(nextRow < size.height, "more rows than the image has")
        let into = chunk.base + nextRow % ImageSlice.rowsPerChunk * rowByteCount
        switch format {
        case .mask8: copyFirstChannel(row, into: into)
        case .mask16: multiplyByAlpha(row, into: into)
        case .rgb8, .rgba8, .scaledMask, .scaledColor: into.update(from: row, count: rowByteCount)
        }
        if format == .mask8 || format == .mask16 { noteMaskRow(into) }
        nextRow += 1
        guard nextRow % ImageSlice.rowsPerChunk == 0 || nextRow == size.height else { return nil }
        let index = (nextRow - 1) / ImageSlice.rowsPerChunk
        let rows = ImageSlice.rows(ofChunk: index, imageHeight: size.height)
        return DecodedChunk(index: index, rows: rows, format: format, content: content(rowCount: rows.count))
    }

    private func copyFirstChannel(_ row: UnsafePointer<UInt8>, into: UnsafeMutablePointer<UInt8>) {
        if channels == 1 {
            into.update(from: row, count: size.width)
        } else {
            for x in 0..<size.width { into[x] = row[x &* channels] }
        }
    }

    /// Red times alpha, little-endian; at most 65025.
    private func multiplyByAlpha(_ row: UnsafePointer<UInt8>, into: UnsafeMutablePointer<UInt8>) {
        for x in 0..<size.width {
            let value = UInt16(row[x &* channels]) &* UInt16(row[x &* channels &+ channels &- 1])
            into[2 &* x] = UInt8(truncatingIfNeeded: value)
            into[2 &* x &+ 1] = UInt8(truncatingIfNeeded: value >> 8)
        }
    }

    /// Extends the bounds to the row's pixels above 0. Looks only at columns that can extend them.
    private mutating func noteMaskRow(_ row: UnsafePointer<UInt8>) {
        let byteCount = rowByteCount
        var first = 0
        while first + 8 <= byteCount, UnsafeRawPointer(row + first).loadUnaligned(as: UInt64.self) == 0 { first += 8 }
        while first < byteCount, row[first] == 0 { first += 1 }
        guard first < byteCount else { return }
        var last = byteCount
        while last >= 8, UnsafeRawPointer(row + last - 8).loadUnaligned(as: UInt64.self) == 0 { last -= 8 }
        while row[last - 1] == 0 { last -= 1 }

        let left = first / format.bytesPerPixel
        let right = (last - 1) / format.bytesPerPixel + 1
        columns = columns.isEmpty ? left..<right : min(left, columns.lowerBound)..<max(right, columns.upperBound)
        maskRows = (maskRows.isEmpty ? nextRow : maskRows.lowerBound)..<(nextRow + 1)
    }

    /// Must not be inlined: if the caller drops the chunk, Swift 6.3.1 with -O considers the array dead and frees it
    /// before the copy that fills it. A function that returns the array has to fill it first.
    @inline(never)
    private func content(rowCount: Int) -> ChunkPixels<[UInt8]> {
        let byteCount = rowCount * rowByteCount
        let pixel = format.bytesPerPixel
        // All pixels are equal if the chunk equals itself shifted by one pixel.
        if memcmp(chunk.base, chunk.base + pixel, byteCount - pixel) == 0 {
            return .constant((0..<pixel).reduce(0) { $0 | UInt32(chunk.base[$1]) << (8 * UInt32($1)) })
        }
        return .samples(Array(UnsafeBufferPointer(start: chunk.base, count: byteCount)))
    }
}
