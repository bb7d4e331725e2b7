import Foundation
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

    /// What is found in a file of these bytes.
    private func stored(_ bytes: [UInt8]) throws -> PictureDigest? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ink-\(UUID().uuidString).png")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try PictureFile.storedDigest(path: file.path)
    }

    @Test func aWholePictureGivesItsDigest() throws {
        #expect(try stored(picture(digest)) == digest)
        #expect(try stored(picture(nil)) == nil)
    }

    @Test func aCutOrChangedOrLongerFileGivesNone() throws {
        let whole = try picture(digest)
        #expect(try stored(whole + [0]) == nil)
        for count in whole.indices {
            #expect(try stored(Array(whole.prefix(count))) == nil, "cut to \(count)")
            var damaged = whole
            damaged[count] ^= 4
            #expect(try stored(damaged) == nil, "byte \(count)")
        }
    }

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

    @Test func noFileGivesNone() throws {
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("ink-\(UUID().uuidString)")
        #expect(try PictureFile.storedDigest(path: missing.path) == nil)
        #expect(try PictureFile.storedDigest(path: FileManager.default.temporaryDirectory.path) == nil)
        #expect(try PictureFile.storedDigest(path: missing.path + "/below") == nil)
    }

    @Test func aDigestIs32Bytes() {
        #expect(PictureDigest(bytes: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(digest?.description.hasPrefix("646566") == true)
    }
}
