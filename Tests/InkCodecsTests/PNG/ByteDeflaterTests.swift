import CZlib
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Deflated bytes")
struct ByteDeflaterTests {
    @Test("zlib unpacks what was packed, of every kind and size", arguments: 0..<24 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = [0, 1, 2, 257, 5_000, 300_000, 1 << 18, (1 << 18) + 1].randomElement(using: &random)!
        let letters = UInt8.random(in: 1...255, using: &random)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...letters, using: &random) }
        let deflater = ByteDeflater()
        let stream = try deflater.deflate(bytes)
        let piece = try RawInflate.open(stream, limit: count + 1)
        #expect(piece.content == bytes)
        #expect(piece.endsStream && piece.isWhole)
        // What it packed before leaves no trace.
        _ = try deflater.deflate([1, 2, 3])
        #expect(try deflater.deflate(bytes) == stream)
    }

    @Test("Text becomes smaller than with zlib's usual level")
    func ratio() throws {
        let text = Array((0..<400).map { "{ \"id\": \"cow_\($0)\", \"value\": \($0 * 7 % 31) },\n" }.joined().utf8)
        var size = compressBound(UInt(text.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        #expect(compress2(&packed, &size, text, UInt(text.count), 6) == Z_OK)
        // Without the six bytes around zlib's stream.
        #expect(try ByteDeflater().deflate(text).count < Int(size) - 6)
    }
}
