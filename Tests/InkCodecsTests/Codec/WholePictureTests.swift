import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Pictures that are encoded as a whole: WebP, and progressive JPEG")
struct WholePictureTests {
    private static let place = Place(file: "a.webp")

    private static func pixels(_ size: PixelSize, _ format: PixelFormat, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return (0..<size.area).flatMap { index -> [UInt8] in
            let (x, y) = (index % size.width, index / size.width)
            let noise = Int.random(in: 0...9, using: &random)
            let pixel = [x * 3 + noise, y * 5, x + y * 2].map { UInt8($0 & 0xFF) }
            return format == .rgba ? pixel + [UInt8((x * 40) & 0xFF)] : pixel
        }
    }

    private static func file(
        _ pixels: [UInt8], _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding,
        description: PictureDescription = PictureDescription()
    ) throws -> [UInt8] {
        let head = PictureHead(size: size, pixels: format, encoding: encoding, description: description)
        return try pictureFile(pixels, head) { 7 }
    }

    private static func decoded(_ file: [UInt8], _ channels: Int) throws -> (PixelSize, [UInt8]) {
        var samples: [UInt8] = []
        let info = try ImageDecoders.decode(file, as: .color, place: place) { chunk in
            guard case .samples(let rows) = chunk.content else { preconditionFailure("all pixels are equal") }
            samples += rows
        }
        #expect(info.format.bytesPerPixel == channels)
        return (info.size, samples)
    }

    @Test("A lossy file is near the picture, and smaller the lower its quality is")
    func lossy() throws {
        let size = PixelSize(width: 120, height: 80)
        let pixels = Self.pixels(size, .rgb, seed: 1)
        let sizes = try [30, 60, 90].map { quality in
            try Self.file(pixels, size, .rgb, PictureEncoding(format: .webp, quality: quality)).count
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 3, "\(sizes)")
        let standard = try Self.file(pixels, size, .rgb, PictureEncoding(format: .webp))
        #expect(standard.count == sizes[2])
        let (_, samples) = try Self.decoded(standard, 3)
        let difference = zip(samples, pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(pixels.count) < 12)
    }

    @Test("A WebP has its metadata in the chunks that readers expect", arguments: [PixelFormat.rgb, .rgba])
    func webPMetadata(format: PixelFormat) throws {
        let size = PixelSize(width: 33, height: 20)
        let pixels = Self.pixels(size, format, seed: 4)
        let description = PictureDescription(
            dotsPerInch: 300, text: [PictureText(.title, "Eule"), PictureText(.author, "A & B")], hasProfile: true)
        for encoding in [PictureEncoding(format: .webp), PictureEncoding(format: .webp).lossless] {
            let file = try Self.file(pixels, size, format, encoding, description: description)
            var chunks: [(name: String, data: [UInt8])] = []
            var at = 12
            while at + 8 <= file.count {
                let count = file[(at + 4)..<(at + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
                chunks.append(
                    (String(decoding: file[at..<(at + 4)], as: UTF8.self), Array(file[(at + 8)...].prefix(count))))
                at += 8 + count + count % 2
            }
            #expect(at == file.count)
            #expect(chunks.prefix(2).map(\.name) == ["VP8X", "ICCP"])
            #expect(chunks.suffix(2).map(\.name) == ["EXIF", "XMP "])
            #expect(chunks[0].data[0] == (format == .rgba ? 0x3C : 0x2C))
            #expect(chunks[1].data == SRGBProfile.bytes)
            let tags = try #require(TagReader(chunks[chunks.count - 2].data))
            #expect(tags.text(270) == "Eule" && tags.numbers(282) == [300, 1])
            #expect(String(decoding: chunks[chunks.count - 1].data, as: UTF8.self).contains("A &amp; B"))
            let (found, samples) = try Self.decoded(file, format.bytesPerPixel)
            #expect(found == size)
            #expect(try samples == Self.decoded(Self.file(pixels, size, format, encoding), format.bytesPerPixel).1)
        }
    }

    @Test("A progressive JPEG shows what the baseline one shows, and says its resolution")
    func progressive() throws {
        let size = PixelSize(width: 77, height: 50)
        let pixels = Self.pixels(size, .rgb, seed: 3)
        let encoding = PictureEncoding(format: .jpeg, quality: 92)
        let description = PictureDescription(dotsPerInch: 300)
        let progressive = try Self.file(pixels, size, .rgb, encoding.progressive, description: description)
        #expect(JPEGSegment.head(of: progressive).contains { $0.marker == 0xC2 })
        // Density in dots per inch, 300 by 300.
        #expect(Array(progressive[13..<18]) == [1, 1, 44, 1, 44])
        #expect(try PictureSet([encoding], pixels: .rgb).wholes.isEmpty)
        #expect(try PictureSet([encoding.progressive], pixels: .rgb).wholes == [0])
        let baseline = try JPEGPieceEncoder.file(pixels, size, encoding)
        #expect(try Self.decoded(progressive, 3).1 == (try Self.decoded(baseline, 3).1))
    }

    @Test("Encoding ends when nobody needs the file any more", arguments: [false, true])
    func cancelled(isLossless: Bool) throws {
        let size = PixelSize(width: 200, height: 200)
        let pixels = Self.pixels(size, .rgb, seed: 5)
        var picture = WholePicture(size: size, format: .rgb) { take throws(EngineError) in
            try pixels.withUnsafeBufferPointer { buffer throws(EngineError) in
                let bytes = UnsafeRawBufferPointer(buffer)
                try take(PixelRows(pixels: bytes, width: size.width, format: .rgb, firstRow: 0))
            }
        }
        picture.isCancelled = { true }
        let encoding = PictureEncoding(format: .webp)
        #expect(throws: EngineError.cancelled) {
            try PictureSet.encodeWhole(picture, isLossless ? encoding.lossless : encoding)
        }
    }

    @Test("A transparent picture is composited onto white for a format without alpha")
    func flattened() throws {
        let size = PixelSize(width: 16, height: 16)
        let clear = [UInt8](repeating: 0, count: size.area * 4)
        var pixels = clear
        pixels.replaceSubrange(0..<4, with: [255, 0, 0, 255])
        let file = try Self.file(pixels, size, .rgba, PictureEncoding(format: .jpeg, quality: 100).progressive)
        let (_, samples) = try Self.decoded(file, 3)
        #expect(samples.suffix(3) == [255, 255, 255])
    }
}

extension PictureEncoding {
    fileprivate var lossless: PictureEncoding {
        var encoding = self
        encoding.isLossless = true
        return encoding
    }

    fileprivate var progressive: PictureEncoding {
        var encoding = self
        encoding.isProgressive = true
        return encoding
    }
}

extension JPEGPieceEncoder {
    fileprivate static func file(_ pixels: [UInt8], _ size: PixelSize, _ encoding: PictureEncoding) throws -> [UInt8] {
        try pixels.withUnsafeBufferPointer { bytes in
            try file(UnsafeRawBufferPointer(bytes), size, .rgb, encoding, density: nil)
        }
    }
}
