public import InkEngine

/// Decodes PNGs of all kinds to 8 bits per sample, in chunks of rows from the top.
///
/// Gamma and background of the file are ignored, and the colour profile unless it is to be converted. The image is turned
/// as its EXIF data say. The default image of an animated PNG is decoded. Bytes after IEND are ignored.
public enum PNGDecoder {
    /// Decodes `png` and passes its chunks of `ImageSlice.rowsPerChunk` rows to `onChunk` in order.
    ///
    /// Holds one chunk of samples and a few rows in memory; an interlaced image completely. An error may follow after
    /// chunks were passed, even after the last one. The image is valid only if the function returns.
    ///
    /// - Throws: `EngineError.badInput` at `place` for damage of any kind in the data of the pixels (wrong CRC, fewer
    ///   rows than declared, bad zlib stream, missing IEND); `.overLimit`, before memory is allocated; errors of
    ///   `onChunk`.
    public static func decode(
        _ png: [UInt8], as use: ImageUse, convertsProfiles: Bool = false, place: Place, limits: Limits = Limits(),
        level: KernelLevel = .selected, onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        let header = try PNGHeader(png, place: place)
        guard header.isSound else {
            throw .badInput(place, reason: "the PNG's header is damaged: its checksum is wrong")
        }
        let orientation = ImageOrientation(ofPNG: png)
        try ImageHeader(size: header.size, isHeldWhole: header.isInterlaced || orientation != .upright)
            .check(against: limits, place: place)
        try header.checkPlausible(fileByteCount: png.count, place: place)
        let profile = convertsProfiles ? PNGProfile.find(in: png) : nil
        return try png.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            if profile != nil || orientation != .upright {
                return try decodeAny(
                    bytes, header, use, orientation: orientation, profile: profile, place, onChunk: onChunk)
            }
            var handedOn = 0
            if let info = try decodePlain(
                bytes, header, use, level,
                onChunk: { (chunk) throws(EngineError) in
                    handedOn += 1
                    try onChunk(chunk)
                })
            {
                return info
            }
            return try decodeAny(bytes, header, use, place) { (chunk) throws(EngineError) in
                if chunk.index >= handedOn { try onChunk(chunk) }
            }
        }
    }

    /// Decodes files that `PlainPNGReader` can read. Returns nil for all others; some chunks may already have been
    /// passed, which equal those of libpng.
    static func decodePlain(
        _ png: UnsafeBufferPointer<UInt8>, _ header: PNGHeader, _ use: ImageUse, _ level: KernelLevel,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo? {
        guard let reader = PlainPNGReader(png, header: header, level: level),
            use == .mask || reader.channels >= 3
        else { return nil }
        var assembler = ChunkAssembler(size: header.size, channels: reader.channels, use: use)
        let isPlain = try reader.readRows { (row) throws(EngineError) in
            if let chunk = assembler.append(row) { try onChunk(chunk) }
        }
        return isPlain ? assembler.info : nil
    }

    /// Decodes any PNG with libpng.
    static func decodeAny(
        _ png: UnsafeBufferPointer<UInt8>, _ header: PNGHeader, _ use: ImageUse,
        orientation: ImageOrientation = .upright, profile: [UInt8]? = nil, _ place: Place,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        let reader = try PNGRowReader(png, expandsGray: use == .color && profile == nil, place: place)
        guard reader.rowByteCount == header.size.width * reader.channels else {
            throw .internalError("\(place): libpng reads another size than the header says")
        }
        let pixels = StoredPixels(
            colors: reader.channels < 3 ? .gray : .rgb, hasAlpha: reader.channels.isMultiple(of: 2))
        var rows = StoredRows(header.size, pixels, orientation, profile: profile, as: use)
        if header.isInterlaced {
            try decodeInterlaced(reader, height: header.size.height, into: &rows, onChunk: onChunk)
        } else {
            try decodeRows(reader, height: header.size.height, into: &rows, onChunk: onChunk)
        }
        return try rows.finish(onChunk: onChunk)
    }

    private static func decodeRows(
        _ reader: PNGRowReader, height: Int, into rows: inout StoredRows,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) {
        let row = RowBuffer(byteCount: reader.rowByteCount)
        for _ in 0..<height {
            try reader.readRow(into: row.base)
            try rows.append(row.base, onChunk: onChunk)
        }
        try reader.finish()
    }

    private static func decodeInterlaced(
        _ reader: PNGRowReader, height: Int, into rows: inout StoredRows,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) {
        let image = RowBuffer(byteCount: reader.rowByteCount * height)
        for _ in 0..<reader.passes {
            for y in 0..<height { try reader.readRow(into: image.base + y * reader.rowByteCount) }
        }
        try reader.finish()
        for y in 0..<height {
            try rows.append(image.base + y * reader.rowByteCount, onChunk: onChunk)
        }
    }

    /// The whole image as RGBA, straight, row-major; for tests and small pictures.
    ///
    /// - Throws: As `decode`.
    package static func decodeRGBA(
        _ png: [UInt8], place: Place, limits: Limits = Limits()
    ) throws(EngineError) -> (size: PixelSize, rgba: [UInt8]) {
        var chunks: [DecodedChunk] = []
        let info = try decode(png, as: .color, place: place, limits: limits) { chunks.append($0) }
        var rgba: [UInt8] = []
        rgba.reserveCapacity(info.size.area * 4)
        for chunk in chunks {
            for pixel in chunk.pixels(of: info) {
                rgba += info.format == .rgba8 ? pixel : pixel + [255]
            }
        }
        return (info.size, rgba)
    }
}

extension DecodedChunk {
    /// The samples of each pixel in order.
    fileprivate func pixels(of info: DecodedImageInfo) -> [ArraySlice<UInt8>] {
        let byteCount = info.format.bytesPerPixel
        switch content {
        case .constant(let value):
            let pixel = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return Array(repeating: pixel[...], count: rows.count * info.size.width)
        case .samples(let samples):
            return stride(from: 0, to: samples.count, by: byteCount).map { samples[$0..<($0 + byteCount)] }
        }
    }
}
