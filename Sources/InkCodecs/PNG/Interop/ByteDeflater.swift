package import InkEngine

/// Compresses bytes to raw deflate (RFC 1951). The same bytes give the same stream on every machine, which no version of
/// zlib promises. It is reused, because its state is large.
package final class ByteDeflater {
    private let deflater = BandDeflater(level: .selected)

    package init() {}

    /// Bytes that are compressed at a time.
    private static let blockBytes = 256 << 10

    /// A whole stream.
    ///
    /// - Throws: `internalError` if there is no memory.
    package func deflate(_ bytes: [UInt8]) throws(EngineError) -> [UInt8] {
        // A block with nothing but its end, in the codes that the format itself gives.
        guard !bytes.isEmpty else { return [3, 0] }
        deflater.begin(
            BandDeflater.Start(
                search: .cheapest, filteredRowByteCount: 1, bytesPerPixel: 1, coarseness: 0, estimate: nil))
        var stream: [UInt8] = []
        for first in stride(from: 0, to: bytes.count, by: ByteDeflater.blockBytes) {
            let block = bytes[first..<min(bytes.count, first + ByteDeflater.blockBytes)]
            let room = try deflater.room(rowCount: block.count)
            // The room holds a byte for each row.
            for (index, byte) in block.enumerated() { room[index] = byte }
            deflater.write(rowCount: block.count, end: block.endIndex < bytes.count ? .more : .last) { stream += $0 }
        }
        return stream
    }
}
