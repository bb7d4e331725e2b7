import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct PictureFileTests {
    private let digest = PictureDigest(bytes: [UInt8](100..<132))

    private func picture(_ digest: PictureDigest?) throws -> [UInt8] {
        var random = SeededGenerator(seed: 5)
        let size = PixelSize(width: 9, height: 12)
        return try encodedPNG(
            pixels: randomPixels(size: size, format: .rgb, using: &random), size: size, format: .rgb, effort: .fast,
            cuts: [5], description: .init(text: [.init(.title, "T")], digest: digest))
    }

    private func stored(_ bytes: [UInt8]) throws -> PictureDigest? { try storedDigest(of: bytes, by: PNGCodec()) }

    @Test func twoDigestsAreNone() throws {
        let bytes = try #require(digest).bytes
        let head = Array(try picture(digest).prefix(33))
        let chunk = PNGStream.chunk("inKD", bytes)
        let rest = PNGStream.idat([3, 0], isFirst: true) + PNGStream.epilogue(adler32: 1)
        #expect(try stored(head + chunk + rest) == digest)
        #expect(try stored(head + chunk + chunk + rest) == nil)
        #expect(try stored(head + PNGStream.chunk("inKD", bytes + [0]) + rest) == nil)
        #expect(try stored(head + chunk + PNGStream.chunk("IEND", [])) == nil)
    }

    @Test func chunksLargerThanTheBufferAreRead() throws {
        let whole = try picture(digest)
        let large = PNGStream.chunk("juNK", [UInt8](repeating: 3, count: 3 * BufferedFile.bufferByteCount + 7))
        #expect(try stored(Array(whole.prefix(33)) + large + whole.dropFirst(33)) == digest)
    }

    @Test func aDigestIs32Bytes() {
        #expect(PictureDigest(bytes: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(digest?.description.hasPrefix("646566") == true)
    }
}
