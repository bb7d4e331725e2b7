import CISAL
import CKernels
import InkEngine

/// Reads the most common PNGs: 8 bits per sample, gray or colour, with or without alpha, not interlaced, without tRNS.
///
/// It is several times as fast as libpng, but only for files that are valid and plain to the last byte. At anything
/// else, whether damaged or unusual, it gives up, and libpng decides.
final class PlainPNGReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let size: PixelSize
    private let filters: RowFilters
    private let inflater: UnsafeMutablePointer<inflate_state>
    /// The IDAT data that has not been inflated.
    private var data: ArraySlice<Range<Int>>
    /// The checksum of the inflated bytes.
    private var checksum = Adler32.empty

    /// Samples per pixel: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
    let channels: Int

    /// - Parameters:
    ///   - png: must outlive the reader.
    ///   - header: of `png`.
    /// - Returns: nil for any other kind of PNG.
    init?(_ png: UnsafeBufferPointer<UInt8>, header: PNGHeader, level: KernelLevel) {
        guard header.bitDepth == 8, !header.isInterlaced, header.colorType != .palette,
            let ranges = PlainPNGReader.dataRanges(png), let first = ranges.first, first.count >= 2,
            // Deflate with a window of 32 KB, for which distances need no check, and no dictionary (RFC 1950, 2.2).
            png[first.lowerBound] == 0x78, png[first.lowerBound + 1] & 0x20 == 0,
            (0x7800 + Int(png[first.lowerBound + 1])) % 31 == 0
        else { return nil }
        bytes = png
        size = header.size
        channels = header.colorType.channels
        filters = RowFilters(level: level)
        data = ([(first.lowerBound + 2)..<first.upperBound] + ranges.dropFirst())[...]
        inflater = .allocate(capacity: 1)
        isal_inflate_init(inflater)
        // The checksum is computed here, in a fraction of ISA-L's time.
        inflater.pointee.crc_flag = UInt32(ISAL_DEFLATE)
    }

    deinit { inflater.deallocate() }

    /// The data of the IDAT chunks; nil unless the chunks are complete, in order, and without any other chunk that
    /// affects the pixels.
    private static func dataRanges(_ png: UnsafeBufferPointer<UInt8>) -> [Range<Int>]? {
        var ranges: [Range<Int>] = []
        var isBehindData = false
        var at = PNGHeader.byteCount
        while png.count - at >= 12 {
            let type = Array(png[(at + 4)..<(at + 8)])
            let length = (0..<4).reduce(0) { $0 << 8 | Int(png[at + $1]) }
            guard length <= png.count - at - 12 else { return nil }
            let end = at + 8 + length
            let stored = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(png[end + $1]) }
            let isLetters = type.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
            guard isLetters, crc32(UnsafeBufferPointer(rebasing: png[(at + 4)..<end])) == stored else { return nil }
            switch type {
            case Array("IDAT".utf8):
                guard !isBehindData else { return nil }
                ranges.append((at + 8)..<end)
            case Array("IEND".utf8): return length == 0 ? ranges : nil
            default:
                // Critical chunks, whose first letter is a capital, and transparency are left to libpng.
                guard type[0] & 0x20 != 0, type != Array("tRNS".utf8) else { return nil }
                isBehindData = !ranges.isEmpty
            }
            at = end + 4
        }
        return nil
    }

    /// Passes all restored rows, from the top; each is valid until the next.
    ///
    /// - Returns: Whether the image was plain to its end. If not, the rows passed must be discarded.
    func readRows(_ onRow: (UnsafePointer<UInt8>) throws(EngineError) -> Void) throws(EngineError) -> Bool {
        let rowByteCount = size.width * channels
        let rowsAtOnce = min(size.height, PlainPNGReader.rowsAtOnce(rowByteCount + 1))
        // Restoring may read one byte beyond the rows.
        let buffer = RowBuffer(byteCount: rowsAtOnce * (rowByteCount + 1) + 1)
        let above = RowBuffer(byteCount: rowByteCount + 1)
        for first in stride(from: 0, to: size.height, by: rowsAtOnce) {
            let count = min(rowsAtOnce, size.height - first)
            let byteCount = count * (rowByteCount + 1)
            guard inflate(byteCount, into: buffer.base) else { return false }
            checksum = Adler32.combine(checksum, filters.adler32(buffer.base, count: byteCount), lengthB: byteCount)
            let isSound = filters.undo(
                rows: buffer.base, rowCount: count, prior: above.base, count: rowByteCount, pixel: channels)
            guard isSound else { return false }
            for y in 0..<count { try onRow(buffer.base + y * (rowByteCount + 1) + 1) }
            above.base.update(from: buffer.base + (count - 1) * (rowByteCount + 1) + 1, count: rowByteCount)
        }
        return endsHere()
    }

    /// As many rows as fit a cache, and a multiple of the number that kernels restore together unless rows are very
    /// long.
    private static func rowsAtOnce(_ byteCount: Int) -> Int {
        let rows = max(1, (256 << 10) / byteCount)
        return 16 * byteCount > 4 << 20 ? rows : max(16, rows & ~15)
    }

    /// Inflates `count` bytes; false if the data ends before, or is damaged.
    private func inflate(_ count: Int, into out: UnsafeMutablePointer<UInt8>) -> Bool {
        inflater.pointee.next_out = out
        inflater.pointee.avail_out = UInt32(count)
        while inflater.pointee.avail_out > 0 {
            // Even when all data is consumed, ISA-L may hold bytes that it has read ahead.
            if inflater.pointee.avail_in == 0 { _ = nextData() }
            let before = (inflater.pointee.avail_in, inflater.pointee.avail_out)
            guard isal_inflate(inflater) >= 0 else { return false }
            // A stream that has ended neither consumes nor produces anything.
            guard before != (inflater.pointee.avail_in, inflater.pointee.avail_out) else { return false }
        }
        return true
    }

    /// Whether the stream ends here, its checksum is correct, and no data follows.
    private func endsHere() -> Bool {
        var beyond: UInt8 = 0
        let isEnd = withUnsafeMutablePointer(to: &beyond) { beyond in
            while inflater.pointee.block_state != ISAL_BLOCK_FINISH {
                inflater.pointee.next_out = beyond
                inflater.pointee.avail_out = 1
                let inputCount = inflater.pointee.avail_in
                guard isal_inflate(inflater) >= 0, inflater.pointee.avail_out == 1 else { return false }
                if inflater.pointee.block_state == ISAL_BLOCK_FINISH { break }
                if inflater.pointee.avail_in == 0 {
                    guard nextData() else { return false }
                } else if inflater.pointee.avail_in == inputCount {
                    return false
                }
            }
            return true
        }
        guard isEnd else { return false }
        var stored: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = nextByte() else { return false }
            stored = stored << 8 | UInt32(byte)
        }
        return stored == checksum && inflater.pointee.read_in_length < 8 && inflater.pointee.avail_in == 0
            && data.allSatisfy(\.isEmpty)
    }

    /// The next byte after the deflate stream; nil if there is none.
    private func nextByte() -> UInt8? {
        // What ISA-L has read ahead: the unused bits of the last byte, and whole bytes.
        let unused = inflater.pointee.read_in_length % 8
        inflater.pointee.read_in >>= UInt64(unused)
        inflater.pointee.read_in_length -= unused
        if inflater.pointee.read_in_length > 0 {
            defer {
                inflater.pointee.read_in >>= 8
                inflater.pointee.read_in_length -= 8
            }
            return UInt8(truncatingIfNeeded: inflater.pointee.read_in)
        }
        while inflater.pointee.avail_in == 0 { guard nextData() else { return nil } }
        defer {
            inflater.pointee.next_in += 1
            inflater.pointee.avail_in -= 1
        }
        return inflater.pointee.next_in.pointee
    }

    /// Moves to the data of the next chunk; false if there is none.
    private func nextData() -> Bool {
        while let range = data.popFirst() {
            guard !range.isEmpty, let base = bytes.baseAddress else { continue }
            // ISA-L does not write to its input.
            inflater.pointee.next_in = UnsafeMutablePointer(mutating: base + range.lowerBound)
            inflater.pointee.avail_in = UInt32(range.count)
            return true
        }
        return false
    }
}
