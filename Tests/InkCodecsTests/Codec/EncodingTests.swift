import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct EncodingTests {
    private func decode(
        _ text: String, takesBlanks: Bool = true, level: KernelLevel = .selected
    ) throws(Base64.Fault) -> [UInt8] {
        let bytes = Array(text.utf8)
        var fault: Base64.Fault?
        var decoded: [UInt8] = []
        bytes.withUnsafeBufferPointer { buffer in
            do throws(Base64.Fault) {
                decoded = try Base64.decode(buffer, takesBlanks: takesBlanks, level: level)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return decoded
    }

    @Test func sizesAtTheBeginningOfBinaryFilesAreNoText() {
        #expect(TextEncoding(of: [0, 0, 0, 0x1C] + Array("ftypavif".utf8)) == nil)
        #expect(TextEncoding(of: [0x40, 0, 0x20, 0, 0xE0, 0xA5, 1, 0]) == nil)
        for text in ["{", "{}", #"{"a": 1}"#] {
            #expect(TextEncoding(of: text.utf16.flatMap { [UInt8($0), 0] }) == (text.count < 2 ? nil : .utf16))
            #expect(TextEncoding(of: text.utf16.flatMap { [0, 0, 0, UInt8($0)] }) == .utf32)
        }
    }

    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64HasTheStandardsVectors(plain: String, text: String) throws {
        #expect(String(decoding: Base64.encode(Array(plain.utf8)), as: UTF8.self) == text)
        #expect(try decode(text) == Array(plain.utf8))
        #expect(Base64.bytes(of: Array(text.utf8)) == Array(plain.utf8))
    }

    @Test(arguments: [
        "Z", "Zg=", "Zg===", "Zm9vZ", "=", "====", "Zg==Zg==", "Zm9v=", "Zm_v", "Zm-v", "Zm9v\u{0}", "Zm9é",
    ])
    func textThatIsNotBase64IsRefused(text: String) {
        #expect(throws: Base64.Fault.self) { try decode(text) }
        #expect(Base64.bytes(of: Array(text.utf8)) == nil)
    }

    @Test("base64 is read without its padding", arguments: KernelLevel.available)
    func base64WithoutPadding(level: KernelLevel) throws {
        for (plain, text) in [("f", "Zg"), ("fo", "Zm8"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")] {
            let (plain, text) = (
                String(repeating: "foo", count: 40) + plain, String(repeating: "Zm9v", count: 40) + text
            )
            #expect(try decode(text, level: level) == Array(plain.utf8))
            #expect(try decode(text + "\n", level: level) == Array(plain.utf8))
        }
    }

    @Test("UTF-16 and UTF-32 are told apart, with a byte order mark and without")
    func otherEncodings() {
        func encoded(_ text: String, _ width: Int, isBig: Bool, hasMark: Bool) -> [UInt8] {
            let units = (hasMark ? [0xFEFF] : []) + text.utf8.map { UInt32($0) }
            return units.flatMap { unit in
                let bytes = (0..<width).map { UInt8(truncatingIfNeeded: unit >> (8 * UInt32($0))) }
                return isBig ? bytes.reversed() : bytes
            }
        }
        for (isBig, hasMark) in [(false, false), (false, true), (true, false), (true, true)] {
            for text in ["{}", "\n{\"canvasSize\":1}", "a.ink\n"] {
                for (width, encoding) in [(2, TextEncoding.utf16), (4, .utf32)] {
                    let bytes = encoded(text, width, isBig: isBig, hasMark: hasMark)
                    #expect(TextEncoding(of: bytes) == encoding, "\(text) \(width) \(isBig) \(hasMark)")
                }
            }
        }
        for bytes in [[], [0], [0, 1, 2], [0, 0, 0, 0], [1, 0, 1, 0], [0x7B, 0, 0, 0x7D], Array("{}  ".utf8)]
            as [[UInt8]]
        {
            #expect(TextEncoding(of: bytes) == nil, "\(bytes)")
        }
    }

    @Test func whiteSpaceInBase64IsSteppedOver() throws {
        #expect(try decode(" Z m\r\n9\tvZm9v\nYg = = \n") == Array("foofoob".utf8))
        #expect(throws: Base64.Fault.self) { try decode("Zm9v\nZm9v", takesBlanks: false) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func base64ReadsBackTheSame(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int(seed) * 7).map { _ in UInt8.random(in: 0...255, using: &random) }
        for level in KernelLevel.available {
            let text = String(decoding: Base64.encode(bytes), as: UTF8.self)
            #expect(try decode(text, level: level) == bytes, "seed \(seed), \(level.name)")
        }
    }

    @Test func everyByteIsBase64OrNotOnEveryLevel() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for level in KernelLevel.available {
            for byte in UInt8.min...UInt8.max {
                for place in [0, 17, 31, 33] {
                    var text = [UInt8](repeating: UInt8(ascii: "A"), count: 64)
                    text[place] = byte
                    let decoded = text.withUnsafeBufferPointer {
                        try? Base64.decode($0, takesBlanks: false, level: level)
                    }
                    #expect((decoded != nil) == alphabet.contains(byte), "\(level.name): \(byte) at \(place)")
                }
            }
        }
    }

    /// FIPS 180-4 example, and the digest of nothing.
    @Test func sha256HasTheStandardsVectors() {
        func hex(_ digest: [UInt8]) -> String { BlockID(digest: digest).description }
        #expect(
            hex(SHA256.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(hex(SHA256.digest([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let parts = SHA256()
        parts.update(Array("a".utf8))
        parts.update([])
        parts.update(Array("bc".utf8))
        #expect(parts.finish() == SHA256.digest(Array("abc".utf8)))
    }

    @Test func labelledPartsDoNotRunTogether() {
        func digest(_ parts: [(String, String)]) -> [UInt8] {
            let digest = SHA256()
            for (label, text) in parts { digest.update(label: label, Array(text.utf8)) }
            return digest.finish()
        }
        #expect(digest([("a", "bc")]) != digest([("ab", "c")]))
        #expect(digest([("a", "b"), ("a", "c")]) != digest([("a", "bc")]))
    }

    @Test(
        arguments: [
            ([], "the image is empty"),
            (Array("BM6789".utf8), "the image is not a PNG, JPEG, WebP, GIF, TIFF, HEIF, AVIF or SVG"),
            (Array(pngHeader(width: 1, height: 1)[..<32]), "the PNG ends inside its header"),
            (pngHeader(width: 0, height: 4), "the PNG's size is 0x4, each edge must be from 1 to 2147483647"),
            (
                pngHeader(width: 4, height: 1 << 31),
                "the PNG's size is 4x2147483648, each edge must be from 1 to 2147483647"
            ),
            (
                pngHeader(width: 4, height: 4, depth: 4, colorType: 6),
                "the PNG has colour type 6 with bit depth 4, which the standard does not know"
            ),
            (
                pngHeader(width: 4, height: 4, colorType: 1),
                "the PNG has colour type 1 with bit depth 8, which the standard does not know"
            ),
            (
                pngHeader(width: 4, height: 4, interlace: 2),
                "the PNG uses a compression, filter or interlace method that the standard does not know"
            ),
        ] as [([UInt8], String)])
    func aBadHeaderIsRefused(png: [UInt8], reason: String) {
        let place = Place(file: "f", path: "mask")
        #expect(throws: EngineError.badInput(place, reason: reason)) {
            try EncodedImage(checking: png, place: place, limits: Limits())
        }
    }

    @Test func aHugeHeaderIsRefusedByItsPixels() {
        let place = Place(file: "f")
        #expect(
            throws: EngineError.overLimit(
                place, what: "the image", found: "2147483647x2147483647 = 4611686014132420609 pixels",
                limit: "100000000 pixels")
        ) {
            try EncodedImage(
                checking: pngHeader(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF), place: place, limits: Limits())
        }
    }
}
