import InkCodecs
package import InkEngine

extension Project {
    /// With images of common formats in place of those that only this program reads (`PackedPicture`): PNGs in sRGB, for
    /// project files.
    ///
    /// - Throws: `badInput` for damaged pixels.
    func withCommonImages(limits: Limits) throws(EngineError) -> Project {
        try mappingImages { (image, use) throws(EngineError) in
            PackedImages().recognizes(image.bytes)
                ? try Self.png(of: image, as: use, convertsProfiles: hasColorProfiles, limits) : image
        }
    }

    /// As a version shows it whose profiles count: images whose profiles do not count so far become PNGs without one.
    ///
    /// - Throws: `badInput` for damaged pixels.
    package func withColorProfiles(limits: Limits) throws(EngineError) -> Project {
        guard !hasColorProfiles else { return self }
        var project = try mappingImages { (image, use) throws(EngineError) in
            image.hasColorProfile ? try Self.png(of: image, as: use, convertsProfiles: false, limits) : image
        }
        project.hasColorProfiles = true
        return project
    }

    private func mappingImages(
        _ map: (EncodedImage, ImageUse) throws(EngineError) -> EncodedImage
    ) throws(EngineError) -> Project {
        func mapped(_ layers: [Layer]) throws(EngineError) -> [Layer] {
            try layers.map { (layer) throws(EngineError) in
                var layer = layer
                layer.contentImage = try layer.contentImage.map { image throws(EngineError) in try map(image, .color) }
                layer.maskImage = try layer.maskImage.map { image throws(EngineError) in try map(image, .mask) }
                if case .group(let children, let isPassThrough) = layer.kind {
                    layer.kind = .group(try mapped(children), isPassThrough: isPassThrough)
                }
                return layer
            }
        }
        var project = self
        project.baseImage = try baseImage.map { image throws(EngineError) in try map(image, .color) }
        project.layers = try mapped(layers)
        return project
    }

    private static func png(
        of image: EncodedImage, as use: ImageUse, convertsProfiles: Bool, _ limits: Limits
    ) throws(EngineError) -> EncodedImage {
        let count = use == .mask ? 1 : image.header.hasAlpha ? 4 : 3
        var png = PNGFile(image.size, bytesPerPixel: count)
        _ = try ImageDecoders.decode(
            image.bytes, as: use, convertsProfiles: convertsProfiles, place: Place(file: image.place), limits: limits
        ) { (chunk) throws(EngineError) in
            let pixels: [UInt8] =
                switch chunk.content {
                case .samples(let samples): samples
                case .constant(let value):
                    Array(
                        repeatElement(
                            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) },
                            count: chunk.rows.count * image.size.width
                        ).joined())
                }
            try png.append(pixels)
        }
        return EncodedImage(
            bytes: png.finish(),
            header: ImageHeader(size: image.size, isHeldWhole: false, hasAlpha: count == 4), place: image.place)
    }
}

/// A PNG file in memory, made from rows: gray, RGB or RGBA.
struct PNGFile {
    private let size: PixelSize
    private let bytesPerPixel: Int
    private let encoder = BandEncoder()
    private var bytes: [UInt8]
    private var rowCount = 0
    private var adler = Adler32.empty

    init(_ size: PixelSize, bytesPerPixel: Int) {
        self.size = size
        self.bytesPerPixel = bytesPerPixel
        let color: PNGHeader.ColorType =
            switch bytesPerPixel {
            case 1: .gray
            case 3: .rgb
            default: .rgba
            }
        bytes =
            PNGHeader.signature
            + PNGStream.chunk(
                "IHDR",
                bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height)) + [8, color.rawValue, 0, 0, 0])
    }

    /// Takes the next rows.
    mutating func append(_ pixels: [UInt8]) throws(EngineError) {
        let count = pixels.count / (size.width * bytesPerPixel)
        let isFirst = rowCount == 0
        rowCount += count
        let piece = try pixels.withUnsafeBufferPointer { (pixels) throws(EngineError) in
            try encoder.encode(
                pixels: UnsafeRawBufferPointer(pixels), width: size.width, bytesPerPixel: bytesPerPixel,
                encoding: PieceEncoding(isLast: rowCount == size.height))
        }
        adler = Adler32.combine(adler, piece.adler32, lengthB: piece.rawByteCount)
        bytes += PNGStream.idat(piece.bytes, isFirst: isFirst)
    }

    func finish() -> [UInt8] { bytes + PNGStream.epilogue(adler32: adler) }
}
