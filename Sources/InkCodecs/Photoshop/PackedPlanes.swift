#if canImport(Glibc)
    import Glibc
#endif
package import InkEngine
import InkSystem

/// The channels of a picture, packed row by row, in a file of their own.
package struct PackedPlanes: Sendable {
    /// Which channels of a picture.
    package enum Channels: Sendable {
        /// Red, green, blue and alpha, cut to what is not transparent.
        case layer
        /// Alpha alone, cut likewise.
        case mask
        /// Red, green and blue; of a transparent picture composited onto white, and alpha.
        case merged
    }

    /// The pixels of the picture that the planes hold; empty where all of it is transparent.
    package let bounds: PixelRect
    /// Packed bytes of each channel.
    package let byteCounts: [Int]
    private let path: String
    private let regionBytes: Int

    /// The most bytes of a channel that are kept before they are written.
    private static let bufferedBytes = 256 << 10

    /// Packs the channels of a PNG.
    ///
    /// - Parameters:
    ///   - png: all of its bytes.
    ///   - path: of the new file.
    /// - Throws: as `ImageDecoder.decode`, and `io`.
    package init(of png: [UInt8], _ channels: Channels, path: String) throws(EngineError) {
        self.path = path
        let place = Place(file: path)
        var limits = Limits()
        limits.imagePixels = .max
        let header = try PNGHeader(png, place: place)
        let size = header.size
        var box = PixelBox()
        if channels != .merged {
            _ = try PNGDecoder.decode(png, as: .color, place: place, limits: limits) {
                (chunk) throws(EngineError) in box.add(chunk, width: size.width)
            }
        }
        let isWhole = channels == .merged || header.colorType != .rgba
        bounds = isWhole ? PixelRect(x: 0, y: 0, width: size.width, height: size.height) : box.rect
        regionBytes = PackBits.byteCountMax(bounds.width) * bounds.height
        guard !bounds.isEmpty else {
            byteCounts = Array(repeating: 0, count: channels == .mask ? 1 : 4)
            return
        }
        let writer = try PlaneWriter(
            path: path, bounds, channels, hasAlpha: header.colorType == .rgba, regionBytes: regionBytes,
            bufferedBytes: PackedPlanes.bufferedBytes)
        _ = try PNGDecoder.decode(png, as: .color, place: place, limits: limits) { (chunk) throws(EngineError) in
            try writer.add(chunk, width: size.width)
        }
        byteCounts = try writer.finish()
    }

    /// The sizes of a channel's rows, each of 4 bytes, or of 2 where they suffice; then its rows.
    package func tableByteCount(isLarge: Bool) -> Int { bounds.height * (isLarge ? 4 : 2) }

    /// Appends the sizes of the rows of a channel.
    func copyTable(_ channel: Int, isLarge: Bool, to sink: inout LayeredSink) throws(EngineError) {
        guard !bounds.isEmpty else { return }
        let file = try open()
        let offset = regionBytes * byteCounts.count + channel * bounds.height * 4
        guard !isLarge else {
            return try sink.copy(file, range: offset..<(offset + bounds.height * 4))
        }
        let table = try EngineError.wrapping { () throws(SystemFailure) in
            try file.read(bounds.height * 4, at: offset)
        }
        var short: [UInt8] = []
        short.reserveCapacity(bounds.height * 2)
        for row in 0..<bounds.height { short += table[(4 * row + 2)..<(4 * row + 4)] }
        try sink.write(short)
    }

    /// Appends the packed rows of a channel.
    func copyRows(_ channel: Int, to sink: inout LayeredSink) throws(EngineError) {
        guard byteCounts[channel] > 0 else { return }
        let start = channel * regionBytes
        try sink.copy(try open(), range: start..<(start + byteCounts[channel]))
    }

    /// Removes the file.
    package func remove() { unlink(path) }

    private func open() throws(EngineError) -> FileDescriptor {
        try EngineError.wrapping { () throws(SystemFailure) in
            try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
        }
    }
}

/// The smallest box of the pixels that are not transparent.
private struct PixelBox {
    private var columns = 0..<0
    private var rows = 0..<0

    var rect: PixelRect {
        PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    mutating func add(_ chunk: DecodedChunk, width: Int) {
        switch chunk.content {
        case .constant(let value):
            if value >> 24 > 0 { add(columns: 0..<width, rows: chunk.rows) }
        case .samples(let samples):
            samples.withUnsafeBufferPointer { samples in
                guard samples.count == chunk.rows.count * width * 4, let base = samples.baseAddress else { return }
                for (index, row) in chunk.rows.enumerated() {
                    let alpha = base + (index * width * 4 + 3)
                    var first = 0
                    while first < width, alpha[4 &* first] == 0 { first &+= 1 }
                    guard first < width else { continue }
                    var last = width
                    while alpha[4 &* (last &- 1)] == 0 { last &-= 1 }
                    add(columns: first..<last, rows: row..<(row + 1))
                }
            }
        }
    }

    private mutating func add(columns new: Range<Int>, rows newRows: Range<Int>) {
        columns =
            columns.isEmpty
            ? new : min(columns.lowerBound, new.lowerBound)..<max(columns.upperBound, new.upperBound)
        rows = (rows.isEmpty ? newRows.lowerBound : rows.lowerBound)..<newRows.upperBound
    }
}

/// Takes rows of pixels apart into channels, and packs and writes them: each channel has a region of the file, with
/// room for the worst case, and behind all regions each has a table of the sizes of its rows, 4 bytes each.
private final class PlaneWriter {
    private let path: String
    private let file: FileDescriptor
    private let bounds: PixelRect
    private let kind: PackedPlanes.Channels
    private let regionBytes: Int
    private let bufferedBytes: Int
    /// The byte of a pixel that each channel is.
    private let samples: [Int]
    private var buffers: [[UInt8]]
    private var tables: [[UInt8]]
    private var written: [Int]
    private let row: RowBuffer
    private let packed: RowBuffer
    private let hasAlpha: Bool

    init(
        path: String, _ bounds: PixelRect, _ kind: PackedPlanes.Channels, hasAlpha: Bool, regionBytes: Int,
        bufferedBytes: Int
    ) throws(EngineError) {
        self.path = path
        self.bounds = bounds
        self.kind = kind
        self.regionBytes = regionBytes
        self.bufferedBytes = bufferedBytes
        self.hasAlpha = hasAlpha
        samples = kind == .mask ? [3] : kind == .merged && !hasAlpha ? [0, 1, 2] : [0, 1, 2, 3]
        buffers = Array(repeating: [], count: samples.count)
        tables = buffers
        written = Array(repeating: 0, count: samples.count)
        row = RowBuffer(byteCount: bounds.width)
        packed = RowBuffer(byteCount: PackBits.byteCountMax(bounds.width))
        file = try EngineError.wrapping { () throws(SystemFailure) in
            try FileDescriptor(
                opening: path, flags: O_CREAT | O_EXCL | O_WRONLY, mode: 0o600, operation: "create")
        }
    }

    func add(_ chunk: DecodedChunk, width: Int) throws(EngineError) {
        let rows = chunk.rows.clamped(to: bounds.rows)
        for channel in samples.indices {
            for y in rows {
                fill(chunk, row: y - chunk.rows.lowerBound, width: width, sample: samples[channel])
                let count = PackBits.pack(row.base, count: bounds.width, into: packed.base)
                buffers[channel] += UnsafeBufferPointer(start: packed.base, count: count)
                tables[channel] += bigEndian(UInt32(count))
            }
            if buffers[channel].count >= bufferedBytes { try flush(channel) }
        }
    }

    private func fill(_ chunk: DecodedChunk, row index: Int, width: Int, sample: Int) {
        let isOnWhite = kind == .merged && hasAlpha && sample < 3
        switch chunk.content {
        case .constant(let value):
            let alpha = hasAlpha ? UInt8(truncatingIfNeeded: value >> 24) : 255
            let own = sample == 3 ? alpha : UInt8(truncatingIfNeeded: value >> (8 * UInt32(sample)))
            row.base.update(repeating: isOnWhite ? onWhite(own, alpha) : own, count: bounds.width)
        case .samples(let samples):
            samples.withUnsafeBufferPointer { samples in
                guard let base = samples.baseAddress else { return }
                let step = hasAlpha ? 4 : 3
                let pixel = base + (index * width + bounds.x) * step
                if sample == 3, !hasAlpha {
                    row.base.update(repeating: 255, count: bounds.width)
                } else if isOnWhite {
                    for x in 0..<bounds.width {
                        row.base[x] = onWhite(pixel[4 &* x &+ sample], pixel[4 &* x &+ 3])
                    }
                } else {
                    for x in 0..<bounds.width { row.base[x] = pixel[step &* x &+ sample] }
                }
            }
        }
    }

    @inline(__always)
    private func onWhite(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
        let alpha = UInt32(alpha)
        return UInt8(truncatingIfNeeded: (UInt32(value) &* alpha &+ 255 &* (255 &- alpha) &+ 127) / 255)
    }

    private func flush(_ channel: Int) throws(EngineError) {
        try write(buffers[channel], at: channel * regionBytes + written[channel])
        written[channel] += buffers[channel].count
        buffers[channel].removeAll(keepingCapacity: true)
    }

    func finish() throws(EngineError) -> [Int] {
        for channel in samples.indices {
            try flush(channel)
            try write(tables[channel], at: samples.count * regionBytes + channel * bounds.height * 4)
        }
        return written
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(EngineError) {
        guard !bytes.isEmpty else { return }
        try EngineError.wrapping { () throws(SystemFailure) in try file.write(bytes, at: offset) }
    }
}
