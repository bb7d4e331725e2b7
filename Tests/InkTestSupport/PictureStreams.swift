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
        case .copy(let store, let offset, let count, let stream):
            streams[stream, default: []] += streams[store, default: []][offset..<(offset + count)]
        case .refuse(let error): preconditionFailure("\(error)")
        }
    }
    return streams
}

/// The pieces of a picture as a farm makes them: of bands of these heights in units of the codec's, from the top, then
/// the one that is made of the whole picture, if its format has such a piece.
///
/// - Parameter halvings: how often the picture is halved before the last piece; nil: as often as may be.
public func picturePieces(
    _ pixels: [UInt8], _ head: PictureHead, halvings: Int? = nil, heights: () -> Int = { 1 }
) throws -> [EncodedPiece] {
    let codec = try PictureCodecs.codec(head.encoding.format)
    let (size, format) = (head.size, head.pixels)
    let member = try PictureSet([head.encoding], pixels: format).members[0]
    let (isWhole, last) = (member.isWhole, member.halvings(of: size))
    let encoder = codec.makeEncoder()
    var pieces: [EncodedPiece] = []
    var halved: [[UInt8]] = []
    let rowBytes = size.width * format.bytesPerPixel
    var row = 0
    while row < size.height {
        let count = min(heights() * codec.rowMultiple(head.encoding), size.height - row)
        let band = Array(pixels[(row * rowBytes)..<((row + count) * rowBytes)])
        try band.withUnsafeBytes { bytes in
            let rows = PixelRows(pixels: bytes, width: size.width, format: format, firstRow: row)
            if let last { halved.append(halvings ?? last == 0 ? band : rows.halved(halvings ?? last)) }
            if isWhole { return }
            let piece = try encoder.encode(rows, PieceEncoding(head.encoding, isLast: row + count == size.height))
            precondition(piece.rowCount == count, "a piece of other rows")
            precondition(
                piece.rawByteCount == codec.rawByteCount(rowCount: count, width: size.width, pixels: format),
                "a piece of another size")
            pieces.append(piece)
        }
        row += count
    }
    guard let last else { return pieces }
    let times = halvings ?? last
    let whole = WholePicture(size: size, format: format, halvings: times) { take throws(EngineError) in
        for band in halved {
            try band.withUnsafeBufferPointer { buffer throws(EngineError) in
                try take(
                    PixelRows(
                        pixels: UnsafeRawBufferPointer(buffer), width: size.halved(times).width, format: format,
                        firstRow: 0))
            }
        }
    }
    var piece = try PictureSet.encodeWhole(whole, head.encoding)
    precondition(piece.rowCount == size.height && piece.rawByteCount == pixels.count, "a piece of another picture")
    piece.file = 0
    return pieces + [piece]
}

/// The only file of a picture that is made of these pieces.
///
/// - Parameter assembler: nil: that of the picture's format.
public func pictureFile(
    of pieces: [EncodedPiece], _ head: PictureHead, _ assembler: (any PictureAssembler)? = nil
) throws -> [UInt8] {
    var head = head
    if try !PictureCodecs.codec(head.encoding.format).hasAlpha { head.pixels = .rgb }
    var assembler = try assembler ?? PictureCodecs.assembler(for: head)
    let streams = carriedOut(assembler.begin() + pieces.flatMap { assembler.add($0) } + assembler.end())
    precondition(streams.count == 1, "more than one file")
    return streams[0] ?? []
}

/// The only file of a picture; see `picturePieces`.
public func pictureFile(
    _ pixels: [UInt8], _ head: PictureHead, _ assembler: (any PictureAssembler)? = nil, halvings: Int? = nil,
    heights: () -> Int = { 1 }
) throws -> [UInt8] {
    try pictureFile(of: picturePieces(pixels, head, halvings: halvings, heights: heights), head, assembler)
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
