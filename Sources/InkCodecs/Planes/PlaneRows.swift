import InkEngine

/// Unpacks one plane, row by row from the top.
package protocol PlaneRows: AnyObject {
    /// Writes the next row, of the plane's row bytes.
    ///
    /// - Throws: for damage, the end of a message.
    func next(into row: UnsafeMutablePointer<UInt8>) throws(PlaneFault)
}

/// Why a plane cannot be unpacked, as the end of a message.
package struct PlaneFault: Error {
    package var reason: String

    static let early = PlaneFault(reason: "its pixels end too early")
    package static let damaged = PlaneFault(reason: "its packed pixels are damaged")
}

/// Rows as they are.
final class RawRows: PlaneRows {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let rowBytes: Int
    private var offset = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, rowBytes: Int) {
        self.bytes = bytes
        self.rowBytes = rowBytes
    }

    func next(into row: UnsafeMutablePointer<UInt8>) throws(PlaneFault) {
        guard bytes.count - offset >= rowBytes, let base = bytes.baseAddress else { throw .early }
        row.update(from: base + offset, count: rowBytes)
        offset += rowBytes
    }
}

/// Runs of bytes (PackBits), row by row behind a table of the rows' packed lengths.
final class PackBitsRows: PlaneRows {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let rowBytes: Int
    private let countBytes: Int
    private var nextCount = 0
    private var offset: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, rowBytes: Int, rowCount: Int, isLong: Bool) throws(PlaneFault) {
        self.bytes = bytes
        self.rowBytes = rowBytes
        countBytes = isLong ? 4 : 2
        offset = rowCount * countBytes
        guard offset <= bytes.count else { throw .early }
    }

    func next(into row: UnsafeMutablePointer<UInt8>) throws(PlaneFault) {
        var count = 0
        for _ in 0..<countBytes {
            count = count << 8 | Int(bytes[nextCount])
            nextCount += 1
        }
        guard count <= bytes.count - offset else { throw .early }
        let end = offset + count
        var filled = 0
        while filled < rowBytes {
            guard offset < end else { throw .damaged }
            let head = Int8(bitPattern: bytes[offset])
            offset += 1
            if head >= 0 {
                // Some writers let the last run of a row be longer than the row.
                let length = min(Int(head) + 1, rowBytes - filled)
                guard length <= end - offset else { throw .damaged }
                (row + filled).update(from: bytes.baseAddress! + offset, count: length)
                offset += length
                filled += length
            } else if head != -128 {
                guard offset < end else { throw .damaged }
                let length = min(1 - Int(head), rowBytes - filled)
                (row + filled).update(repeating: bytes[offset], count: length)
                offset += 1
                filled += length
            }
        }
        offset = end
    }
}

/// Rows whose samples are differences to the sample on the left.
final class PredictedRows: PlaneRows {
    private let rows: any PlaneRows
    private let width: Int
    private let samples: PackedPicture.Samples
    private let buffer: RowBuffer

    /// - Parameter rows: samples with their most significant byte first; of `float32` each row has all first bytes, then
    ///   all second ones.
    init(_ rows: any PlaneRows, width: Int, samples: PackedPicture.Samples) {
        self.rows = rows
        self.width = width
        self.samples = samples
        buffer = RowBuffer(byteCount: samples == .float32 ? 4 * width : 0)
    }

    func next(into row: UnsafeMutablePointer<UInt8>) throws(PlaneFault) {
        switch samples {
        case .integer8:
            try rows.next(into: row)
            for x in stride(from: 1, to: width, by: 1) { row[x] &+= row[x - 1] }
        case .integer16, .float16:
            try rows.next(into: row)
            var sum: UInt16 = 0
            for x in 0..<width {
                sum &+= UInt16(row[2 * x]) << 8 | UInt16(row[2 * x + 1])
                (row[2 * x], row[2 * x + 1]) = (UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum))
            }
        case .float32:
            let bytes = buffer.base
            try rows.next(into: bytes)
            for index in stride(from: 1, to: 4 * width, by: 1) { bytes[index] &+= bytes[index - 1] }
            for x in 0..<width {
                for k in 0..<4 { row[4 * x + k] = bytes[k * width + x] }
            }
        }
    }
}

/// Krita's tiles of 64 by 64 pixels, in any order, each packed by itself (LZF of the pixels' first bytes, then their second
/// ones, and so on). Where there is no tile the ground shows.
final class TileRows: PlaneRows {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let picture: PackedPicture
    private let tileSize: (width: Int, height: Int)
    /// Where the data of tiles are, by the row of tiles.
    private var tiles: [Int: [(x: Int, range: Range<Int>)]] = [:]
    private let band: RowBuffer
    private var bandTop: Int?
    private var y: Int
    private let tile: RowBuffer
    private let sorted: RowBuffer

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ picture: PackedPicture) throws(PlaneFault) {
        self.bytes = bytes
        self.picture = picture
        y = picture.origin.y
        let head = try KritaTiles(bytes)
        guard head.pixelBytes == picture.pixelBytes else { throw .damaged }
        tileSize = (head.width, head.height)
        for tile in head.tiles { tiles[tile.y, default: []].append((tile.x, tile.range)) }
        band = RowBuffer(byteCount: picture.size.width * picture.pixelBytes * head.height)
        tile = RowBuffer(byteCount: head.width * head.height * head.pixelBytes)
        sorted = RowBuffer(byteCount: tile.byteCount)
    }

    func next(into row: UnsafeMutablePointer<UInt8>) throws(PlaneFault) {
        let top = Int((Double(y) / Double(tileSize.height)).rounded(.down)) * tileSize.height
        if bandTop != top { try fill(top) }
        let rowBytes = picture.size.width * picture.pixelBytes
        row.update(from: band.base + (y - top) * rowBytes, count: rowBytes)
        y += 1
    }

    private func fill(_ top: Int) throws(PlaneFault) {
        let (width, count) = (picture.size.width, picture.pixelBytes)
        for pixel in 0..<(width * tileSize.height) {
            for k in 0..<count { band.base[pixel * count + k] = picture.ground[k] }
        }
        for (x, range) in tiles[top] ?? [] {
            let first = max(x, picture.origin.x)
            let end = min(x + tileSize.width, picture.origin.x + width)
            guard first < end else { continue }
            try unpack(range)
            for row in 0..<tileSize.height {
                (band.base + (row * width + first - picture.origin.x) * count)
                    .update(from: tile.base + (row * tileSize.width + first - x) * count, count: (end - first) * count)
            }
        }
        bandTop = top
    }

    private func unpack(_ range: Range<Int>) throws(PlaneFault) {
        guard let head = range.first else { throw .early }
        let data = UnsafeBufferPointer(rebasing: bytes[(head + 1)..<range.upperBound])
        guard bytes[head] != 0 else {
            guard data.count == tile.byteCount, let base = data.baseAddress else { throw .damaged }
            tile.base.update(from: base, count: data.count)
            return
        }
        guard LZF.unpack(data, into: sorted.base, count: tile.byteCount) else { throw .damaged }
        let (pixels, count) = (tileSize.width * tileSize.height, picture.pixelBytes)
        for k in 0..<count {
            for pixel in 0..<pixels { tile.base[pixel * count + k] = sorted.base[k * pixels + pixel] }
        }
    }
}

/// The head of a file of Krita's tiles, and where they are.
package struct KritaTiles {
    package private(set) var width = 64
    package private(set) var height = 64
    package private(set) var pixelBytes = 4
    /// Corners in the layer's coordinates.
    package private(set) var tiles: [(x: Int, y: Int, range: Range<Int>)] = []

    static let tilesMax = 1 << 20

    /// - Throws: for another version, and what is damaged.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) throws(PlaneFault) {
        var offset = 0
        func line() throws(PlaneFault) -> [Substring] {
            let rest = bytes[offset...].prefix(80)
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw .damaged }
            let text = String(decoding: bytes[offset..<end], as: UTF8.self)
            offset = end + 1
            return text.split { $0 == " " || $0 == "," }
        }
        var count: Int?
        while count == nil {
            let words = try line()
            guard words.count == 2, let number = Int(words[1]) else { throw .damaged }
            switch words[0] {
            case "VERSION":
                guard number == 2 else { throw PlaneFault(reason: "its tiles are of version \(number), not 2") }
            case "TILEWIDTH": width = number
            case "TILEHEIGHT": height = number
            case "PIXELSIZE": pixelBytes = number
            case "DATA": count = number
            default: throw .damaged
            }
        }
        guard (1...1024).contains(width), (1...1024).contains(height), (1...32).contains(pixelBytes),
            let count, (0...Self.tilesMax).contains(count)
        else { throw .damaged }
        for _ in 0..<count {
            let words = try line()
            guard words.count == 4, let x = Int32(words[0]), let y = Int32(words[1]), words[2] == "LZF",
                let length = Int(words[3]), length >= 0, length <= bytes.count - offset,
                Int(y) % height == 0, Int(x) % width == 0
            else { throw .damaged }
            tiles.append((Int(x), Int(y), offset..<(offset + length)))
            offset += length
        }
    }
}

/// LibLZF's packing: literals of up to 32 bytes, and repetitions of up to 264 bytes from the last 8 KiB.
enum LZF {
    /// Unpacks exactly `count` bytes; false for damage.
    static func unpack(_ bytes: UnsafeBufferPointer<UInt8>, into out: UnsafeMutablePointer<UInt8>, count: Int) -> Bool {
        var (at, filled) = (0, 0)
        while at < bytes.count {
            let head = Int(bytes[at])
            at += 1
            if head < 32 {
                let length = head + 1
                guard length <= bytes.count - at, length <= count - filled else { return false }
                (out + filled).update(from: bytes.baseAddress! + at, count: length)
                at += length
                filled += length
            } else {
                var length = head >> 5
                if length == 7 {
                    guard at < bytes.count else { return false }
                    length += Int(bytes[at])
                    at += 1
                }
                guard at < bytes.count else { return false }
                let distance = (head & 31) << 8 + Int(bytes[at]) + 1
                at += 1
                length += 2
                guard distance <= filled, length <= count - filled else { return false }
                // Byte by byte: the two may overlap.
                for _ in 0..<length {
                    out[filled] = out[filled - distance]
                    filled += 1
                }
            }
        }
        return filled == count
    }
}
