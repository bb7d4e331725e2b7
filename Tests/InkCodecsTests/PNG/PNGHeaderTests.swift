import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct PNGHeaderTests {
    private func head(_ width: UInt32, _ height: UInt32, _ fields: [UInt8]) -> [UInt8] {
        PNGHeader.signature + PNGStream.chunk("IHDR", bigEndian(width) + bigEndian(height) + fields)
    }

    @Test func theFieldsAreRead() throws {
        let header = try PNGHeader(head(300, 70_000, [16, 6, 0, 0, 1]) + [1, 2, 3], place: pngPlace)
        #expect(header.size == PixelSize(width: 300, height: 70_000))
        #expect(header.bitDepth == 16)
        #expect(header.colorType == .rgba)
        #expect(header.isInterlaced)
    }

    @Test(
        arguments: [
            (0, 1, [8, 0, 0, 0, 0]), (1, 0, [8, 0, 0, 0, 0]), (0x8000_0000, 1, [8, 0, 0, 0, 0]),
            (1, 1, [3, 0, 0, 0, 0]), (1, 1, [16, 3, 0, 0, 0]), (1, 1, [4, 2, 0, 0, 0]), (1, 1, [8, 1, 0, 0, 0]),
            (1, 1, [8, 7, 0, 0, 0]), (1, 1, [8, 0, 1, 0, 0]), (1, 1, [8, 0, 0, 1, 0]), (1, 1, [8, 0, 0, 0, 2]),
        ] as [(UInt32, UInt32, [UInt8])])
    func impossibleFieldsAreRefused(width: UInt32, height: UInt32, fields: [UInt8]) {
        #expect(throws: EngineError.self) { try PNGHeader(head(width, height, fields), place: pngPlace) }
    }

    @Test func whatIsNotAPNGIsSaidToBeNone() {
        let reason = "not a PNG: the signature is missing or damaged"
        #expect(throws: EngineError.badInput(pngPlace, reason: reason)) {
            try PNGHeader(Array("GIF89a and so on, for as many bytes as it takes".utf8), place: pngPlace)
        }
        #expect(throws: EngineError.badInput(pngPlace, reason: "the image is empty")) {
            try PNGHeader([], place: pngPlace)
        }
    }

    @Test func everyTruncationAndEveryChangedByteIsRefused() {
        let whole = head(5, 6, [8, 2, 0, 0, 0])
        for count in whole.indices {
            #expect(throws: EngineError.self) { try PNGHeader(whole.prefix(count), place: pngPlace) }
            var damaged = whole
            damaged[count] ^= 0x10
            // What may be right by itself has the wrong checksum, and is not decoded.
            #expect((try? PNGHeader(damaged, place: pngPlace))?.isSound != true)
            #expect(throws: EngineError.self) {
                try PNGDecoder.decode(damaged, as: .color, place: pngPlace) { _ in }
            }
        }
    }

    @Test(
        arguments: [
            (30_000, 30_000, 0), (10_001, 10_000, 0), (8_001, 8_000, 1), (1_000_001, 1, 0), (1, 1_000_001, 0),
            (0x7FFF_FFFF, 0x7FFF_FFFF, 0),
        ] as [(UInt32, UInt32, UInt8)])
    func whatIsTooLargeIsRefusedFromTheHeaderAlone(width: UInt32, height: UInt32, interlace: UInt8) throws {
        let png = head(width, height, [1, 0, 0, 0, interlace])
        let header = try PNGHeader(png, place: pngPlace)
        let refusal = try #require(
            #expect(throws: EngineError.self) { try header.check(against: Limits(), place: pngPlace) })
        guard case .overLimit(pngPlace, _, _, _) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        // There are no pixels behind this header: decoding must not get so far.
        #expect(throws: refusal) { try PNGDecoder.decode(png, as: .mask, place: pngPlace) { _ in } }
    }

    @Test(arguments: [(10_000, 10_000, 0), (8_000, 8_000, 1), (1_000_000, 100, 0)] as [(UInt32, UInt32, UInt8)])
    func whatIsJustAtTheLimitIsNot(width: UInt32, height: UInt32, interlace: UInt8) throws {
        let header = try PNGHeader(head(width, height, [8, 6, 0, 0, interlace]), place: pngPlace)
        try header.check(against: Limits(), place: pngPlace)
    }

    @Test func whatTheFileCannotHoldIsRefusedBeforeMemoryIsTaken() throws {
        // 64 Mpx of 8 bytes, interlaced: whole in memory it would be 256 MB.
        let png = head(8_000, 8_000, [16, 6, 0, 0, 1])
        let error = #expect(throws: EngineError.self) {
            try PNGDecoder.decode(png, as: .color, place: pngPlace) { _ in }
        }
        let reason = "the PNG is damaged: 33 bytes cannot hold 8000x8000 pixels"
        #expect(error == .badInput(pngPlace, reason: reason))
        // A thousandth of the pixels' bytes may be enough.
        let header = try PNGHeader(png, place: pngPlace)
        try header.checkPlausible(fileByteCount: 8_000 * 8_000 * 8 / 1032, place: pngPlace)
    }
}
