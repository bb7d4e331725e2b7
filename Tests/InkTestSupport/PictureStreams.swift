public import InkCodecs
public import InkEngine

/// What writes leave in files and stores.
public func carriedOut(_ writes: [PictureWrite]) -> [Int: [UInt8]] {
    var streams: [Int: [UInt8]] = [:]
    for write in writes {
        switch write {
        case .append(let bytes, let stream): streams[stream, default: []] += bytes
        case .patch(let bytes, let offset, let stream):
            streams[stream, default: []].replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        case .move(let store, let stream): streams[stream, default: []] += streams.removeValue(forKey: store) ?? []
        }
    }
    return streams
}

/// The only file of a picture, made from bands of these heights in units of the codec's.
public func pictureFile(
    _ pixels: [UInt8], _ head: PictureHead, _ assembler: any PictureAssembler, heights: () -> Int = { 1 }
) throws -> [UInt8] {
    var assembler = assembler
    let codec = try PictureCodecs.codec(head.encoding.format)
    let encoder = codec.makeEncoder()
    var writes = assembler.begin()
    let rowBytes = head.size.width * head.pixels.bytesPerPixel
    var row = 0
    while row < head.size.height {
        let count = min(heights() * codec.rowMultiple(head.encoding), head.size.height - row)
        let band = Array(pixels[(row * rowBytes)..<((row + count) * rowBytes)])
        let piece = try band.withUnsafeBufferPointer { buffer in
            let rows = PixelRows(
                pixels: UnsafeRawBufferPointer(buffer), width: head.size.width, format: head.pixels, firstRow: row)
            return try encoder.encode(rows, PieceEncoding(head.encoding, isLast: row + count == head.size.height))
        }
        precondition(piece.rowCount == count, "a piece of other rows")
        precondition(
            piece.rawByteCount
                == codec.rawByteCount(rowCount: count, width: head.size.width, pixels: head.pixels),
            "a piece of another size")
        precondition(
            codec.isSound(piece.bytes[...], rowCount: count, pixels: head.pixels) && codec.content(of: piece) != nil,
            "a piece that is not whole")
        writes += assembler.add(piece)
        row += count
    }
    let streams = carriedOut(writes + assembler.end())
    precondition(streams.count == 1, "more than one file")
    return streams[0] ?? []
}

/// All samples of a picture as its decoder gives them.
public func decodedPixels(_ file: [UInt8], name: String = "a") throws -> (info: DecodedImageInfo, samples: [UInt8]) {
    var chunks: [DecodedChunk] = []
    let info = try ImageDecoders.decode(file, as: .color, place: Place(file: name)) { chunks.append($0) }
    let samples = chunks.flatMap { chunk -> [UInt8] in
        switch chunk.content {
        case .samples(let samples): samples
        case .constant(let value):
            (0..<(chunk.rows.count * info.size.width)).flatMap { _ in
                (0..<info.format.bytesPerPixel).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
            }
        }
    }
    return (info, samples)
}
