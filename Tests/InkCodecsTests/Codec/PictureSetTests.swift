import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Several files of one picture")
struct PictureSetTests {
    private static func writes(
        _ pixels: [UInt8], _ size: PixelSize, _ format: PixelFormat, _ encodings: [PictureEncoding], rows: Int,
        isArchive: Bool = false
    ) throws -> [PictureWrite] {
        let set = try PictureSet(encodings, pixels: format)
        let heads = set.members.map { PictureHead(size: size, pixels: $0.pixels, encoding: $0.encoding) }
        var assembler = try PictureSetAssembler.make(
            heads, [PictureShare(set: set, uses: heads.indices.map { ($0, 0) })], isArchive: isArchive,
            PictureCodecs.assembler)
        let encoder = PieceSetEncoder()
        var writes = assembler.begin()
        let rowBytes = size.width * format.bytesPerPixel
        for first in stride(from: 0, to: size.height, by: rows) {
            let count = min(rows, size.height - first)
            let band = Array(pixels[(first * rowBytes)..<((first + count) * rowBytes)])
            let piece = try band.withUnsafeBufferPointer { buffer in
                try encoder.encode(
                    PixelRows(
                        pixels: UnsafeRawBufferPointer(buffer), width: size.width, format: format, firstRow: first),
                    PieceEncoding(
                        encodings[0], others: Array(encodings.dropFirst()), isLast: first + count == size.height))
            }
            #expect(set.isComplete(piece, width: size.width) && set.content(of: piece) != nil)
            #expect(piece.rawByteCount == set.rawByteCount(rowCount: count, width: size.width))
            writes += assembler.add(piece)
        }
        return writes + assembler.end()
    }

    @Test(
        "A file that is made in memory is that of the assembler's writes",
        arguments: [PictureFormat.png, .pdf, .tiff])
    func fileInMemory(format: PictureFormat) throws {
        let size = PixelSize(width: 3, height: 2)
        let head = PictureHead(size: size, pixels: .rgba, encoding: PictureEncoding(format: format))
        let pixels = (0..<24 as Range<UInt8>).map { $0 * 9 }
        let whole = WholePicture(size: size, format: .rgba) { take throws(EngineError) in
            try pixels.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                try take(
                    PixelRows(pixels: UnsafeRawBufferPointer(bytes), width: 3, format: .rgba, firstRow: 0))
            }
        }
        let file = try pictureFile(pixels, head, heights: { 2 })
        #expect(try PictureSet.file(of: whole, head.encoding, PieceSetEncoder()) == file)
    }

    @Test("Each format is found by its number, and one of another version is not")
    func numbers() {
        for codec in PictureCodecs.all + [PictureCodecs.plot, PictureCodecs.vectorPDF] {
            #expect(PictureCodecs.codec(of: codec.format)?.name == codec.name)
        }
        let other = PictureFormat(rawValue: 250)
        #expect(PictureCodecs.codec(of: other) == nil)
        #expect(throws: EngineError.internalError("picture format 250 is not known to this version")) {
            _ = try PictureCodecs.codec(other)
        }
    }

    private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private static let both = [PictureEncoding(), PictureEncoding(format: .jpeg, quality: 80)]

    @Test("Each file is that of its own export", arguments: 0..<10 as Range<UInt64>)
    func filesAreThoseOfTheirOwn(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(width: .random(in: 1...60, using: &random), height: .random(in: 1...90, using: &random))
        let pixels = Self.noise(size.area * 3, &random)
        let set = try PictureSet(Self.both, pixels: .rgb)
        let rows = set.rowMultiple * .random(in: 1...3, using: &random)
        let files = carriedOut(try Self.writes(pixels, size, .rgb, Self.both, rows: rows))
        #expect(files.count == 2)
        for (index, encoding) in Self.both.enumerated() {
            let own = carriedOut(try Self.writes(pixels, size, .rgb, [encoding], rows: rows))
            #expect(files[index] == own[0], "seed \(seed), file \(index)")
        }
    }

    @Test func aFormatWithoutAlphaGetsThePictureOnWhite() throws {
        let size = PixelSize(width: 8, height: 8)
        let pixels = (0..<64).flatMap { _ -> [UInt8] in [200, 0, 40, 128] }
        let files = carriedOut(try Self.writes(pixels, size, .rgba, Self.both, rows: 8))
        // (200 * 128 + 255 * 127) / 255 and so on.
        let flat = (0..<64).flatMap { _ -> [UInt8] in [227, 127, 147] }
        let own = carriedOut(try Self.writes(flat, size, .rgb, [Self.both[1]], rows: 8))
        #expect(files[1] == own[0])
        #expect(files[0] != nil)
    }

    @Test("An archive is one that tar reads, and that its own reader takes apart")
    func archive() throws {
        var random = SeededGenerator(seed: 3)
        let size = PixelSize(width: 30, height: 50)
        let pixels = Self.noise(size.area * 3, &random)
        let files = carriedOut(try Self.writes(pixels, size, .rgb, Self.both, rows: 16))
        let streams = carriedOut(try Self.writes(pixels, size, .rgb, Self.both, rows: 16, isArchive: true))
        #expect(streams.count == 1)
        let archive = try #require(streams[0])
        var offset = 0
        for index in 0..<2 {
            let head = try #require(
                PictureArchive.file(ofHeader: Array(archive[offset..<(offset + PictureArchive.blockBytes)])))
            #expect(head.name == ["picture.png", "picture.jpg"][index])
            offset += PictureArchive.blockBytes
            #expect(Array(archive[offset..<(offset + head.byteCount)]) == files[index])
            offset += head.byteCount + PictureArchive.padding(after: head.byteCount).count
        }
        #expect(PictureArchive.file(ofHeader: Array(archive[offset..<(offset + PictureArchive.blockBytes)])) == nil)
        #expect(archive.count == offset + 1024)

        let folder = try TemporaryFolder(prefix: "ink-archive")
        try Data(archive).write(to: URL(fileURLWithPath: folder.path(of: "a.tar")))
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", folder.path(of: "a.tar"), "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        #expect(try folder.read("picture.jpg") == files[1])
    }

    @Test("A large file's size is written as GNU tar has it")
    func largeSize() throws {
        for count in [0, 8 << 30 - 1, 1 << 33, 1 << 40] {
            let header = PictureArchive.header(name: "picture.png", byteCount: count)
            #expect(try #require(PictureArchive.file(ofHeader: header)).byteCount == count)
        }
    }

    @Test("A piece that lacks a part, or has more than its parts, is noticed")
    func damagedPieces() throws {
        let set = try PictureSet(Self.both, pixels: .rgb)
        let row = [UInt8](repeating: 7, count: 16 * 3)
        let piece = try row.withUnsafeBufferPointer { buffer in
            try PieceSetEncoder().encode(
                PixelRows(pixels: UnsafeRawBufferPointer(buffer), width: 16, format: .rgb, firstRow: 0),
                PieceEncoding(Self.both[0], others: [Self.both[1]], isLast: true))
        }
        #expect(set.isComplete(piece, width: 16))
        for count in 0..<piece.bytes.count {
            var cut = piece
            cut.bytes = Array(piece.bytes.prefix(count))
            #expect(!set.isComplete(cut, width: 16) && set.content(of: cut) == nil, "\(count) bytes")
        }
        var longer = piece
        longer.bytes.append(0)
        #expect(!set.isComplete(longer, width: 16))
        var huge = piece
        huge.bytes.replaceSubrange(12..<20, with: [UInt8](repeating: 0xFF, count: 8))
        #expect(!set.isComplete(huge, width: 16))
    }

    @Test func theHeightOfBandsSuitsAllFormats() throws {
        let chroma = PictureEncoding(format: .jpeg, quality: 50, chroma: .quarter)
        #expect(try PictureSet([PictureEncoding()], pixels: .rgb).rowMultiple == 1)
        #expect(try PictureSet([PictureEncoding(), chroma], pixels: .rgb).rowMultiple == 16)
        #expect(throws: EngineError.self) { try PictureSet([], pixels: .rgb) }
    }
}
