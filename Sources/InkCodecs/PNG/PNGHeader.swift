public import InkEngine

/// The first 33 bytes of a PNG: signature and IHDR (PNG specification, 5.2 and 11.2.1).
public struct PNGHeader: Hashable, Sendable {
    /// The meaning of a pixel's samples (PNG specification, table 11.1).
    public enum ColorType: UInt8, Hashable, Sendable, CaseIterable {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6

        /// Samples, or indices, per pixel.
        var channels: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        /// The valid bit depths of a sample or an index.
        var bitDepths: [UInt8] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgba: [8, 16]
            }
        }
    }

    /// In pixels; each edge is 1 to 2^31 - 1.
    public let size: PixelSize
    /// Bits per sample, or per index into the palette.
    public let bitDepth: UInt8
    public let colorType: ColorType
    /// Adam7. The whole image must be held in memory to decode it.
    public let isInterlaced: Bool

    /// Whether the checksum of IHDR is correct. It does not matter if only the image's size is needed.
    let isSound: Bool

    /// The eight bytes that every PNG begins with.
    package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Size of signature and IHDR, the only bytes that `init(_:place:)` reads.
    public static let byteCount = 33

    /// Reads signature and IHDR at the beginning of `bytes`, and nothing after them.
    ///
    /// - Throws: `EngineError.badInput` at `place` if it is not a PNG, is truncated, or declares something that no PNG
    ///   can be.
    public init(_ bytes: some Collection<UInt8>, place: Place) throws(EngineError) {
        let head = Array(bytes.prefix(PNGHeader.byteCount))
        guard !head.isEmpty else { throw .badInput(place, reason: "the image is empty") }
        guard head.starts(with: PNGHeader.signature.prefix(head.count)) else {
            throw .badInput(place, reason: "not a PNG: the signature is missing or damaged")
        }
        guard head.count == PNGHeader.byteCount else {
            throw .badInput(place, reason: "the PNG ends inside its header")
        }
        guard head[8..<16].elementsEqual([0, 0, 0, 13] + Array("IHDR".utf8)) else {
            throw .badInput(place, reason: "the PNG does not begin with its header (IHDR)")
        }
        let isSound = crc32(head[12..<29]) == bigEndian(head, at: 29)
        try self.init(fields: Array(head[16..<29]), isSound: isSound, place: place)
    }

    /// Reads the 13 bytes of an IHDR chunk.
    private init(fields: [UInt8], isSound: Bool, place: Place) throws(EngineError) {
        let width = bigEndian(fields, at: 0)
        let height = bigEndian(fields, at: 4)
        let edge = 1...UInt32(Int32.max)
        guard edge.contains(width), edge.contains(height) else {
            throw .badInput(
                place, reason: "the PNG's size is \(width)x\(height), each edge must be from 1 to 2147483647")
        }
        guard let colorType = ColorType(rawValue: fields[9]), colorType.bitDepths.contains(fields[8]) else {
            throw .badInput(
                place,
                reason:
                    "the PNG has colour type \(fields[9]) with bit depth \(fields[8]), which the standard does not know"
            )
        }
        guard fields[10] == 0, fields[11] == 0, fields[12] <= 1 else {
            throw .badInput(
                place, reason: "the PNG uses a compression, filter or interlace method that the standard does not know")
        }
        size = PixelSize(width: Int(width), height: Int(height))
        bitDepth = fields[8]
        self.colorType = colorType
        isInterlaced = fields[12] == 1
        self.isSound = isSound
    }

    /// Rejects an image that is larger than the limits allow.
    ///
    /// - Throws: `EngineError.overLimit` at `place`.
    public func check(against limits: Limits, place: Place) throws(EngineError) {
        try ImageHeader(size: size, isHeldWhole: isInterlaced).check(against: limits, place: place)
    }
}

extension PNGHeader {
    /// Rejects a file that cannot contain as many pixels as it declares, even with the best compression.
    ///
    /// Deflate needs at least two bits for at most 258 bytes, a match of maximum length (RFC 1951, 3.2.5). One byte
    /// therefore yields at most 1032 bytes.
    ///
    /// - Throws: `EngineError.badInput` at `place`.
    func checkPlausible(fileByteCount: Int, place: Place) throws(EngineError) {
        let bitsPerPixel = Int(bitDepth) * colorType.channels
        let (bits, overflow) = size.area.multipliedReportingOverflow(by: bitsPerPixel)
        guard !overflow, bits / 8 / 1032 <= fileByteCount else {
            throw .badInput(place, reason: "the PNG is damaged: \(fileByteCount) bytes cannot hold \(size) pixels")
        }
    }
}
