import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct PNGStreamTests {
    /// The chunks in `bytes`, by type; their CRCs are checked.
    private func chunks(in bytes: [UInt8]) -> [(type: String, data: [UInt8])] {
        var chunks: [(type: String, data: [UInt8])] = []
        var rest = bytes[...]
        while rest.count >= 12 {
            let head = Array(rest.prefix(8))
            let length = Int(bigEndian(head, at: 0))
            let data = Array(rest.dropFirst(8).prefix(length))
            let stored = bigEndian(Array(rest.dropFirst(8 + length).prefix(4)), at: 0)
            #expect(stored == referenceCRC32(Array(head[4...]) + data))
            chunks.append((String(decoding: head[4...], as: UTF8.self), data))
            rest = rest.dropFirst(12 + length)
        }
        #expect(rest.isEmpty)
        return chunks
    }

    /// PNG specification, annex D, bit by bit.
    private func referenceCRC32(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
        }
        return ~crc
    }

    private func text(_ entry: PictureText) -> [(type: String, data: [UInt8])] { chunks(in: entry.chunk) }

    @Test func thePrologueInOrder() throws {
        let digest = try #require(PictureDigest(bytes: Array(0..<32)))
        let bytes = try PNGStream.prologue(
            size: PixelSize(width: 258, height: 3), format: .rgba,
            description: .init(dotsPerInch: 300, text: [.init(.title, "A"), .init(.software, "B")], digest: digest))
        #expect(Array(bytes.prefix(8)) == [137, 80, 78, 71, 13, 10, 26, 10])
        let found = chunks(in: Array(bytes.dropFirst(8)))
        #expect(found.map(\.type) == ["IHDR", "sRGB", "pHYs", "tEXt", "tEXt", "iTXt", "inKD"])
        #expect(found[0].data == [0, 0, 1, 2, 0, 0, 0, 3, 8, 6, 0, 0, 0])
        #expect(found[1].data == [0])
        // 300 dots an inch are 11811 a metre.
        #expect(found[2].data == [0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1])
        #expect(found[3].data == Array("Title\0A".utf8))
        let packet = try #require(String(validating: found[5].data, as: UTF8.self))
        #expect(packet.hasPrefix("XML:com.adobe.xmp\0\0\0\0\0<?xpacket") && packet.contains("A</rdf:li>"))
        #expect(found[6].data == Array(0..<32))
    }

    @Test func withoutADescriptionThereIsNone() throws {
        let bytes = try PNGStream.prologue(
            size: PixelSize(width: 1, height: 1), format: .rgb, description: .init())
        let found = chunks(in: Array(bytes.dropFirst(8)))
        #expect(found.map(\.type) == ["IHDR", "sRGB"])
        #expect(found[0].data[9] == 2)
    }

    @Test(arguments: [Double.nan, .infinity, 0, -72, 1e300, 1e-9])
    func resolutionsThatAreNoneAreLeftOut(dotsPerInch: Double) throws {
        let bytes = try PNGStream.prologue(
            size: PixelSize(width: 1, height: 1), format: .rgb, description: .init(dotsPerInch: dotsPerInch))
        #expect(chunks(in: Array(bytes.dropFirst(8))).map(\.type) == ["IHDR", "sRGB"])
    }

    @Test func resolutionsMayDifferByAxis() throws {
        var description = PictureDescription()
        description.density = PictureDensity(across: 203.2, down: 98)
        let bytes = try PNGStream.prologue(
            size: PixelSize(width: 1, height: 1), format: .rgb, description: description)
        #expect(chunks(in: Array(bytes.dropFirst(8)))[2].data == [0, 0, 0x1F, 0x40, 0, 0, 0x0F, 0x12, 1])
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 1), (1 << 31, 1)])
    func sizesThatPNGDoesNotHaveAreRefused(width: Int, height: Int) {
        #expect(throws: EngineError.self) {
            try PNGStream.prologue(
                size: PixelSize(width: width, height: height), format: .rgb, description: .init())
        }
    }

    @Test func textIsLatin1WhenItCanBe() {
        #expect(text(.init(.author, "Zoë\r\nX\rY")).map(\.type) == ["tEXt"])
        #expect(text(.init(.author, "Zoë\r\nX\rY"))[0].data == Array("Author\0Zo".utf8) + [0xEB] + Array("\nX\nY".utf8))
        let chinese = text(.init(.creationTime, "墨"))
        #expect(chinese.map(\.type) == ["iTXt"])
        #expect(chinese[0].data == Array("Creation Time\0\0\0\0\0墨".utf8))
    }

    @Test func controlCharactersAreLeftOut() {
        #expect(text(.init(.title, "a\0b\u{1B}[31m\u{7F}\u{85}c"))[0].data == Array("Title\0ab[31mc".utf8))
        #expect(text(.init(.title, "\0\u{1}")).isEmpty)
        #expect(text(.init(.title, "")).isEmpty)
    }

    @Test(arguments: ["x", "é", "墨", "🖋"])
    func longTextIsCutBetweenCharacters(character: String) {
        let cleaned = PictureText(.title, String(repeating: character, count: 40_000)).cleanedText
        let fitting = PictureText.byteCountMax / character.utf8.count
        #expect(cleaned == String(repeating: character, count: fitting))
    }

    @Test func anIDATThatIsTooLongIsSplit() {
        let band = [UInt8](0..<25)
        let found = chunks(in: PNGStream.idat(band, isFirst: true, chunkByteCountMax: 10))
        #expect(found.map(\.type) == ["IDAT", "IDAT", "IDAT"])
        #expect(found.map(\.data.count) == [10, 10, 7])
        #expect(found.flatMap(\.data) == [0x78, 0x01] + band)
        #expect(chunks(in: PNGStream.idat(band, isFirst: false)).map(\.data) == [band])
    }

    @Test func theEpilogue() {
        let found = chunks(in: PNGStream.epilogue(adler32: 0x0102_0304))
        #expect(found.map(\.type) == ["IDAT", "IEND"])
        #expect(found.map(\.data) == [[1, 2, 3, 4], []])
    }
}
