import Foundation
import InkCodecs
import InkEngine
import Testing

/// One file of PngSuite and what is known of it.
struct SuiteFile: Sendable, CustomTestStringConvertible {
    let name: String
    let isDecodable: Bool
    let bitDepth: Int
    let size: PixelSize
    let isInterlaced: Bool
    /// NAME.rgba holds the pixels.
    let hasPixels: Bool
    /// The first pixels of files of 16 bits per sample, RGBA.
    let firstSamples16: [Int]

    var testDescription: String { name }

    private struct Entry: Decodable {
        var expect: String
        var bitDepth: Int?
        var width: Int?
        var height: Int?
        var interlaced: Bool?
        var rgbaFile: String?
        var firstPixelsRgba16: [Int]?
    }

    static let all: [SuiteFile] = {
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let entries = try decoder.decode(
                [String: Entry].self, from: Data(PNGData.bytes("png-suite/expected.json")))
            return entries.sorted { $0.key < $1.key }.map { name, entry in
                SuiteFile(
                    name: name, isDecodable: entry.expect == "decode", bitDepth: entry.bitDepth ?? 0,
                    size: PixelSize(width: entry.width ?? 0, height: entry.height ?? 0),
                    isInterlaced: entry.interlaced ?? false, hasPixels: entry.rgbaFile != nil,
                    firstSamples16: entry.firstPixelsRgba16 ?? [])
            }
        } catch {
            fatalError("png-suite/expected.json cannot be read: \(error)")
        }
    }()
}

enum PNGData {
    static var folder: URL { Bundle.module.resourceURL!.appendingPathComponent("Data") }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(path)))
    }

    /// The PNG files of a folder, by path below `folder`.
    static func files(in name: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent(name).path)
        return (names ?? []).filter { $0.hasSuffix(".png") }.sorted().map { "\(name)/\($0)" }
    }
}

private let place = Place(file: "test.png")

@Suite struct PNGConformanceTests {
    @Test func suiteIsComplete() {
        #expect(SuiteFile.all.count == 86)
        #expect(SuiteFile.all.filter { !$0.isDecodable }.count == 7)
        #expect(PNGData.files(in: "png-formats").count == 56)
        #expect(SuiteFile.all.filter { $0.hasPixels }.count == 77)
    }

    @Test(arguments: SuiteFile.all.filter(\.isDecodable))
    func suiteDecodesToItsPixels(_ file: SuiteFile) throws {
        let png = try PNGData.bytes("png-suite/\(file.name).png")
        let header = try PNGHeader(png, place: place)
        #expect(header.size == file.size)
        #expect(header.isInterlaced == file.isInterlaced)
        #expect(Int(header.bitDepth) == file.bitDepth)

        let (size, rgba) = try PNGDecoder.decodeRGBA(png, place: place)
        #expect(size == file.size)
        #expect(rgba.count == size.area * 4)
        let rounded = file.firstSamples16.map { UInt8((2 * $0 + 257) / 514) }
        #expect(Array(rgba.prefix(rounded.count)) == rounded)
        guard file.hasPixels else {
            #expect(!rounded.isEmpty)
            return
        }
        let expected = try PNGData.bytes("png-suite/\(file.name).rgba")
        try #require(rgba.count == expected.count)
        // The suite's reduction of 16 bits to 8 is not the one the export uses.
        let tolerance = file.bitDepth == 16 ? 1 : 0
        var largest = 0
        // Colour under full transparency is nobody's business.
        for i in rgba.indices where rgba[i | 3] != 0 || i & 3 == 3 {
            largest = max(largest, abs(Int(rgba[i]) - Int(expected[i])))
        }
        #expect(largest <= tolerance)
    }

    @Test(arguments: SuiteFile.all.filter { !$0.isDecodable })
    func suiteRejectsWhatIsDamaged(_ file: SuiteFile) throws {
        let png = try PNGData.bytes("png-suite/\(file.name).png")
        let error = #expect(throws: EngineError.self) { try PNGDecoder.decodeRGBA(png, place: place) }
        guard case .badInput(let found, let reason) = error else {
            Issue.record("\(file.name): \(String(describing: error))")
            return
        }
        #expect(found == place)
        #expect(!reason.isEmpty && !reason.contains("\n"))
    }

    @Test(arguments: PNGData.files(in: "png-formats"), ImageUse.allCases)
    func everyKindOfPNGDecodes(_ path: String, _ purpose: ImageUse) throws {
        let png = try PNGData.bytes(path)
        let header = try PNGHeader(png, place: place)
        var rows = 0
        let info = try PNGDecoder.decode(png, as: purpose, place: place) { chunk in
            #expect(chunk.rows.lowerBound == rows)
            rows = chunk.rows.upperBound
        }
        #expect(rows == header.size.height)
        #expect(info.size == header.size)
        // Some files that are named after tRNS have none.
        let hasKey = png.indices.dropLast(4).contains { png[$0..<($0 + 4)].elementsEqual("tRNS".utf8) }
        let isTransparent = hasKey || header.colorType == .rgba || header.colorType == .grayAlpha
        switch purpose {
        case .mask: #expect(info.format == (isTransparent ? .mask16 : .mask8))
        case .color: #expect(info.format == (isTransparent ? .rgba8 : .rgb8))
        }
    }

    @Test(arguments: PNGData.files(in: "png-apng"))
    func ofAnAnimationTheDefaultImageIsDecoded(_ path: String) throws {
        let png = try PNGData.bytes(path)
        let (size, rgba) = try PNGDecoder.decodeRGBA(png, place: place)
        #expect(rgba.count == size.area * 4)
        // Without its animation chunks the same file is the same picture.
        #expect(try PNGDecoder.decodeRGBA(stillImage(of: png), place: place).rgba == rgba)
    }

    /// The PNG without acTL, fcTL and fdAT.
    private func stillImage(of png: [UInt8]) -> [UInt8] {
        var still = Array(png.prefix(8))
        var offset = 8
        while offset + 12 <= png.count {
            let length = png[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: png[(offset + 4)..<(offset + 8)], as: UTF8.self)
            if !["acTL", "fcTL", "fdAT"].contains(type) { still += png[offset..<(offset + 12 + length)] }
            offset += 12 + length
        }
        return still
    }

    /// Files whose lies libpng finds out, and those of which all that makes up the pixels is sound.
    @Test(arguments: PNGData.files(in: "png-damaged"))
    func damageIsRejectedUnlessThePixelsAreSound(_ path: String) throws {
        let png = try PNGData.bytes(path)
        let name = path.split(separator: "/")[1].dropLast(4)
        let sound = [
            // Indices beyond a short palette are black.
            "png-64-good", "regression-palette-8", "small-palette-1", "small-palette-2", "small-palette-8",
            "test-palette-1", "test-palette-4", "test-palette-8",
        ]
        if sound.contains(String(name)) {
            let (size, rgba) = try PNGDecoder.decodeRGBA(png, place: place)
            #expect(rgba.count == size.area * 4)
        } else {
            #expect(throws: EngineError.self) { try PNGDecoder.decodeRGBA(png, place: place) }
        }
    }

    @Test func pixelsOfAKnownPicture() throws {
        let png = try PNGData.bytes("png-damaged/png-64-good.png")
        let (size, rgba) = try PNGDecoder.decodeRGBA(png, place: place)
        #expect(size == PixelSize(width: 64, height: 64))
        var expected: [UInt8] = []
        for y in 0..<64 {
            for x in 0..<64 { expected += [UInt8(4 * x), UInt8(4 * y), 128, 255] }
        }
        #expect(rgba == expected)
    }
}
