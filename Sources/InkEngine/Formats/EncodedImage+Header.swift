extension EncodedImage {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Takes a PNG whose header is sound and whose size is within the limits; nothing behind the header is looked at.
    ///
    /// The header is IHDR of the PNG specification (third edition, 11.2.1); its checksum is left to the decoder.
    ///
    /// - Parameters:
    ///   - png: the whole file.
    ///   - place: where the image is; becomes its `place`.
    ///   - limits: larger images are refused.
    /// - Throws: `badInput` when it is not a PNG or its header contradicts the standard, `overLimit` for its pixels.
    public init(checking png: [UInt8], place: Place, limits: Limits) throws(EngineError) {
        func fault(_ reason: String) -> EngineError { .badInput(place, reason: reason) }
        guard !png.isEmpty else { throw fault("the image is empty") }
        guard png.starts(with: EncodedImage.signature) else { throw fault("the image is not a PNG") }
        // Signature 8, length 4, type 4, data 13, checksum 4.
        guard png.count >= 33 else { throw fault("the PNG ends inside its header") }
        func word(_ offset: Int) -> Int { png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard word(8) == 13, png[12..<16].elementsEqual("IHDR".utf8) else {
            throw fault("the PNG does not begin with its header (IHDR)")
        }
        let size = PixelSize(width: word(16), height: word(20))
        let edges = 1...0x7FFF_FFFF
        guard edges.contains(size.width), edges.contains(size.height) else {
            throw fault("the PNG's size is \(size), each edge must be from 1 to 2147483647")
        }
        let (depth, colorType) = (Int(png[24]), Int(png[25]))
        let depths =
            switch colorType {
            case 0: [1, 2, 4, 8, 16]
            case 3: [1, 2, 4, 8]
            case 2, 4, 6: [8, 16]
            default: [Int]()
            }
        guard depths.contains(depth) else {
            throw fault(
                "the PNG has colour type \(colorType) with bit depth \(depth), which the standard does not know")
        }
        guard png[26] == 0, png[27] == 0, png[28] <= 1 else {
            throw fault("the PNG uses a compression, filter or interlace method that the standard does not know")
        }
        let isInterlaced = png[28] == 1
        let limit = isInterlaced ? limits.interlacedImagePixels : limits.imagePixels
        guard size.area <= limit else {
            throw .overLimit(
                place, what: isInterlaced ? "the interlaced image" : "the image",
                found: "\(size) = \(size.area) pixels", limit: "\(limit) pixels")
        }
        self.init(png: png, size: size, isInterlaced: isInterlaced, place: place.path ?? place.file)
    }

    /// Takes a PNG written as base64, with or without the prefix `data:image/png;base64,`.
    ///
    /// - Parameter takesBlanks: whether white space in the text is stepped over or no base64.
    /// - Throws: as `init(checking:place:limits:)`, and `badInput` when the text is not base64.
    init(
        base64 text: UnsafeBufferPointer<UInt8>, takesBlanks: Bool = true, place: Place, limits: Limits
    ) throws(EngineError) {
        var text = text
        let prefix = "data:image/png;base64,"
        func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
            String(decoding: bytes, as: UTF8.self).lowercased()
        }
        if lowercased(text.prefix(5)) == "data:" {
            guard lowercased(text.prefix(prefix.utf8.count)) == prefix else {
                throw .badInput(
                    place,
                    reason: "\"\(shownText(String(decoding: text.prefix(40), as: UTF8.self), limit: 30))\""
                        + " is not a data URL of the form \(prefix)...")
            }
            text = UnsafeBufferPointer(rebasing: text.dropFirst(prefix.utf8.count))
        }
        let png: [UInt8]
        do throws(Base64.Fault) {
            png = try Base64.decode(text, takesBlanks: takesBlanks)
        } catch {
            throw .badInput(place, reason: error.reason)
        }
        try self.init(checking: png, place: place, limits: limits)
    }
}
