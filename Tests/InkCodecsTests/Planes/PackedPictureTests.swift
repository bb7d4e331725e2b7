import CZlib
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

/// Pixels as painting programs pack them, against the same pixels plainly.
@Suite struct PackedPictureTests {
    private static let place = Place(file: "layer")

    /// Samples of a random picture, and of some rows that repeat.
    private struct Source {
        var size: PixelSize
        var colors: PackedPicture.Colors
        var hasAlpha: Bool
        var is16Bit: Bool
        /// By channel, row-major.
        var planes: [[UInt16]]

        init(_ random: inout SeededGenerator, colors: PackedPicture.Colors, is16Bit: Bool) {
            size = PixelSize(width: .random(in: 1...200, using: &random), height: .random(in: 1...150, using: &random))
            self.colors = colors
            self.is16Bit = is16Bit
            hasAlpha = colors != .indexed && Bool.random(using: &random)
            planes = []
            for _ in 0..<(colors.count + (hasAlpha ? 1 : 0)) {
                var plane: [UInt16] = []
                while plane.count < size.area {
                    let value = UInt16.random(in: 0...(is16Bit ? 65_535 : 255), using: &random)
                    let run = Int.random(in: 1...20, using: &random) > 15 ? Int.random(in: 1...400, using: &random) : 1
                    plane += Array(repeating: value, count: min(run, size.area - plane.count))
                }
                planes.append(plane)
            }
        }

        /// A plane's bytes, big-endian.
        func bytes(_ plane: [UInt16]) -> [UInt8] {
            is16Bit ? plane.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } : plane.map { UInt8($0) }
        }

        /// The bytes of a plane as differences to the left.
        func predicted(_ plane: [UInt16]) -> [UInt8] {
            bytes(
                plane.indices.map { index in
                    guard index % size.width > 0 else { return plane[index] }
                    let difference = plane[index] &- plane[index - 1]
                    return is16Bit ? difference : difference & 255
                })
        }
    }

    private func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(count))
        #expect(compress(&packed, &count, bytes, uLong(bytes.count)) == Z_OK)
        return Array(packed.prefix(Int(count)))
    }

    private func packBits(_ bytes: [UInt8], rowBytes: Int, isLong: Bool) -> [UInt8] {
        var (table, data): ([UInt8], [UInt8]) = ([], [])
        for row in stride(from: 0, to: bytes.count, by: rowBytes) {
            let packed = [UInt8](unsafeUninitializedCapacity: PackBits.byteCountMax(rowBytes)) { buffer, count in
                bytes.withUnsafeBufferPointer {
                    count = PackBits.pack($0.baseAddress! + row, count: rowBytes, into: buffer.baseAddress!)
                }
            }
            let count = UInt32(packed.count)
            table += isLong ? bigEndian(count) : Array(bigEndian(count).suffix(2))
            data += packed
        }
        return table + data
    }

    private func file(_ source: Source, _ packing: PackedPicture.Packing) -> [UInt8] {
        var (file, planes): ([UInt8], [PackedPicture.Plane]) = ([9, 9, 9], [])
        let rowBytes = source.size.width * (source.is16Bit ? 2 : 1)
        for (index, plane) in source.planes.enumerated() {
            let bytes = source.bytes(plane)
            let packed: [UInt8] =
                switch packing {
                case .raw, .tiles: bytes
                case .packBits: packBits(bytes, rowBytes: rowBytes, isLong: false)
                case .packBitsLong: packBits(bytes, rowBytes: rowBytes, isLong: true)
                case .deflate: deflated(bytes)
                case .deflatePredicted: deflated(source.predicted(plane))
                }
            let channel = index == source.colors.count ? PackedPicture.Plane.alpha : UInt8(index)
            planes.append(.init(channel: channel, packing: packing, range: file.count..<(file.count + packed.count)))
            file += packed
        }
        let picture = PackedPicture(
            size: source.size, colors: source.colors, samples: source.is16Bit ? .integer16 : .integer8,
            hasAlpha: source.hasAlpha, planes: planes)
        return picture.encoded(from: file)
    }

    private func pixels(_ file: [UInt8], as use: ImageUse = .color) throws(EngineError) -> (DecodedImageInfo, [UInt8]) {
        var pixels: [UInt8] = []
        var size = PixelSize(width: 0, height: 0)
        size = try PackedImages().header(file, place: Self.place).size
        let count = use == .mask ? 1 : try PackedImages().header(file, place: Self.place).hasAlpha ? 4 : 3
        let info = try ImageDecoders.decode(file, as: use, place: Self.place) { chunk in
            switch chunk.content {
            case .samples(let samples): pixels += samples
            case .constant(let value):
                for _ in 0..<(chunk.rows.count * size.width) {
                    for k in 0..<count { pixels.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * k))) }
                }
            }
        }
        return (info, pixels)
    }

    private static let packings: [PackedPicture.Packing] = [
        .raw, .packBits, .packBitsLong, .deflate, .deflatePredicted,
    ]

    @Test("However pixels are packed, they are the same", arguments: packings, [1, 2, 3, 4] as [UInt64])
    func packing(packing: PackedPicture.Packing, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for is16Bit in [false, true] {
            for colors in [PackedPicture.Colors.gray, .rgb] {
                let source = Source(&random, colors: colors, is16Bit: is16Bit)
                let (info, found) = try pixels(file(source, packing))
                #expect(info.size == source.size)
                var expected: [UInt8] = []
                for pixel in 0..<source.size.area {
                    func byte(_ plane: Int) -> UInt8 {
                        let value = Int(source.planes[plane][pixel])
                        return UInt8(is16Bit ? (value * 255 + 32_767) / 65_535 : value)
                    }
                    expected += (0..<3).map { byte(colors == .gray ? 0 : $0) }
                    if source.hasAlpha { expected.append(byte(colors.count)) }
                }
                #expect(found == expected, "seed \(seed), \(colors), 16 bits: \(is16Bit)")
            }
        }
    }

    @Test("Cut and damaged pixels are errors that say so", arguments: packings)
    func damage(packing: PackedPicture.Packing) throws {
        var random = SeededGenerator(seed: 7)
        let whole = file(Source(&random, colors: .rgb, is16Bit: false), packing)
        for count in stride(from: 0, to: whole.count, by: max(1, whole.count / 200)) {
            #expect(throws: EngineError.self, "cut after \(count)") { try pixels(Array(whole.prefix(count))) }
        }
        for round in 0..<300 {
            var damaged = whole
            damaged[.random(in: 0..<whole.count, using: &random)] = .random(in: 0...255, using: &random)
            do throws(EngineError) { _ = try pixels(damaged) } catch {
                #expect(error.description.hasPrefix("layer: "), "round \(round): \(error)")
            }
        }
    }

    @Test func colorsOfPrintsFloatsBitmapsAndPalettes() throws {
        func one(_ colors: PackedPicture.Colors, _ samples: PackedPicture.Samples, _ bytes: [UInt8], width: Int = 1)
            throws -> [UInt8]
        {
            let count = bytes.count / colors.count
            var picture = PackedPicture(
                size: PixelSize(width: width, height: 1), colors: colors, samples: samples,
                planes: (0..<colors.count).map {
                    .init(channel: UInt8($0), packing: .raw, range: ($0 * count)..<(($0 + 1) * count))
                })
            picture.palette = [1, 2, 3, 255, 4, 5, 6, 0]
            return try pixels(picture.encoded(from: bytes)).1
        }
        // 0 is full ink: only black, then only cyan.
        #expect(try one(.cmyk, .integer8, [255, 255, 255, 0]) == [0, 0, 0])
        #expect(try one(.cmyk, .integer8, [0, 255, 255, 255]) == [0, 255, 255])
        #expect(try one(.bitmap, .integer8, [0b0110_0000], width: 3) == [255, 255, 255, 0, 0, 0, 0, 0, 0])
        #expect(try one(.indexed, .integer8, [1, 0, 7], width: 3) == [4, 5, 6, 0, 1, 2, 3, 255, 0, 0, 0, 0])
        // Half of the light is 188; beyond white is white, and what is no number is none.
        let half = [0x3F, 0, 0, 0] as [UInt8]
        #expect(try one(.gray, .float32, half) == [188, 188, 188])
        #expect(try one(.rgb, .float32, [0x7F, 0xC0, 0, 0, 0x47, 0, 0, 0, 0xBF, 0x80, 0, 0]) == [0, 255, 0])
        #expect(try one(.gray, .float16, [0x38, 0]) == [188, 188, 188])
        // Lab's white and a red.
        let white = try one(.lab, .integer8, [255, 128, 128])
        #expect(white.allSatisfy { $0 >= 254 }, "\(white)")
        let red = try one(.lab, .integer8, [138, 209, 198])
        #expect(red[0] > 240 && red[1] < 40 && red[2] < 40, "\(red)")
    }

    @Test func masksShowThroughByTheirRange() throws {
        var picture = PackedPicture(
            size: PixelSize(width: 3, height: 1), colors: .gray,
            planes: [.init(channel: 0, packing: .raw, range: 0..<3)])
        picture.range = (155, 255)
        let found = try pixels(picture.encoded(from: [0, 51, 255]), as: .mask)
        #expect(found.1 == [155, 175, 255])
        #expect(found.0.format == .mask8)
    }

    @Test func tilesLieWhereTheySayAndTheGroundShowsElsewhere() throws {
        // Two tiles of 64x64, one packed: a literal of one byte and repetitions of it.
        var packed: [UInt8] = [1, 0, 7]
        var left = 64 * 64 - 1
        while left > 0 {
            let length = min(left, 264)
            packed +=
                length >= 9
                ? [0b1110_0000, UInt8(length - 9), 0]
                : length >= 3
                    ? [UInt8((length - 2) << 5), 0] : [UInt8(length - 1)] + Array(repeating: 7, count: length)
            left -= length
        }
        let head = "VERSION 2\nTILEWIDTH 64\nTILEHEIGHT 64\nPIXELSIZE 1\nDATA 2\n"
        let raw = [0] + [UInt8](repeating: 9, count: 4096)
        let file =
            Array(head.utf8) + Array("-64,0,LZF,\(packed.count)\n".utf8) + packed
            + Array("0,64,LZF,\(raw.count)\n".utf8) + raw
        var picture = PackedPicture(
            size: PixelSize(width: 4, height: 70), colors: .gray,
            planes: [.init(channel: PackedPicture.Plane.all, packing: .tiles, range: 0..<file.count)])
        picture.origin = (-2, 0)
        picture.ground = [3]
        let found = try pixels(picture.encoded(from: file), as: .mask).1
        #expect(Array(found.prefix(4)) == [7, 7, 3, 3])
        #expect(Array(found.suffix(4)) == [3, 3, 9, 9])
    }

    @Test func inksOfKritaAreFullAtTheLargestNumber() throws {
        // A tile of black without other inks, then one row of the ground, which is half transparent cyan.
        let pixel: [UInt8] = [0, 0, 0, 255, 255]
        let file =
            Array("VERSION 2\nTILEWIDTH 64\nTILEHEIGHT 64\nPIXELSIZE 5\nDATA 1\n0,0,LZF,\(1 + 5 * 4096)\n".utf8)
            + [0] + (0..<4096).flatMap { _ in pixel }
        var picture = PackedPicture(
            size: PixelSize(width: 1, height: 65), colors: .cmyk, hasAlpha: true,
            planes: [.init(channel: PackedPicture.Plane.all, packing: .tiles, range: 0..<file.count)])
        picture.isReversed = true
        picture.ground = [255, 0, 0, 0, 128]
        let found = try pixels(picture.encoded(from: file)).1
        #expect(Array(found.prefix(4)) == [0, 0, 0, 255] && Array(found.suffix(4)) == [0, 255, 255, 128])
    }
}
