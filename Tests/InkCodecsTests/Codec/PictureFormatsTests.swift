import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Pictures of other formats, turned pictures and colour profiles")
struct PictureFormatsTests {
    private static let place = Place(file: "a")

    private static func decode(
        _ file: [UInt8], as use: ImageUse = .color, converts: Bool = false, limits: Limits = Limits()
    ) throws -> (DecodedImageInfo, [UInt8]) {
        var chunks: [DecodedChunk] = []
        let info = try ImageDecoders.decode(file, as: use, convertsProfiles: converts, place: place, limits: limits) {
            chunks.append($0)
        }
        let samples = chunks.flatMap { chunk -> [UInt8] in
            switch chunk.content {
            case .samples(let samples): samples
            case .constant(let value):
                (0..<(chunk.rows.count * info.size.width)).flatMap { _ in
                    (0..<info.format.bytesPerPixel).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
                }
            }
        }
        return (info, samples)
    }

    private static func header(_ file: [UInt8]) throws -> ImageHeader {
        try ImageDecoders.decoder(of: file, place: place).header(file, place: place)
    }

    @Test("Files are read as another program reads them", arguments: 0..<PictureSamples.all.count)
    func samples(index: Int) throws {
        let (name, file, expected) = PictureSamples.all[index]
        let (info, samples) = try Self.decode(file)
        #expect(info.size == PixelSize(width: 19, height: 13), "\(name)")
        #expect(try Self.header(file).size == info.size, "\(name)")
        let bytes = info.format.bytesPerPixel
        for (place, pixel) in zip([(0, 0), (18, 12), (7, 5)], expected) {
            let at = (place.1 * 19 + place.0) * bytes
            var found = samples[at..<(at + bytes)].map { Int($0) }
            if found.count < pixel.count { found.append(255) }
            // The colour under full transparency does not matter.
            if pixel.count == 4, pixel[3] == 0, found[3] == 0 { continue }
            #expect(
                found.count == pixel.count && zip(found, pixel).allSatisfy { abs($0 - $1) <= 2 },
                "\(name) at \(place): \(found), not \(pixel)")
        }
        let mask = try Self.decode(file, as: .mask).0
        #expect(mask.format == (info.format == .rgba8 ? .mask16 : .mask8), "\(name)")
    }

    @Test("A file that is cut gives an error, or the same picture if only what follows it is missing")
    func cuts() throws {
        for (name, file, _) in PictureSamples.all {
            let whole = try Self.decode(file).1
            for count in 0..<file.count {
                let cut = Array(file[..<count])
                if let pixels = try? Self.decode(cut).1 {
                    #expect(pixels == whole && count > file.count / 3, "\(name), \(count) of \(file.count) bytes")
                }
                for use in ImageUse.allCases { _ = try? Self.decode(cut, as: use, converts: true) }
            }
        }
    }

    @Test("Damage gives an error of one line, or some picture of the size that the header says")
    func damage() throws {
        var random = SeededGenerator(seed: 33)
        for (name, file, _) in PictureSamples.all {
            for round in 0..<300 {
                var damaged = file
                for _ in 0..<(1 + round % 4) {
                    damaged[.random(in: 0..<file.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                var limits = Limits()
                limits.imagePixels = 1 << 20
                limits.interlacedImagePixels = 1 << 20
                limits.heldImagePixels = 1 << 20
                do {
                    let info = try Self.decode(damaged, limits: limits).0
                    #expect(try Self.header(damaged).size == info.size, "\(name), round \(round)")
                } catch let error as EngineError {
                    #expect(!error.description.contains("\n"), "\(name), round \(round): \(error)")
                }
            }
        }
    }

    @Test("Formats that cannot stream have a limit of their own, and a claim alone takes no memory")
    func limits() throws {
        for (name, file, _) in PictureSamples.all {
            var limits = Limits()
            let streams = try Self.header(file).formatStreams
            #expect(streams == name.hasPrefix("TIFF"), "\(name)")
            limits.heldImagePixels = 19 * 13 - 1
            if streams {
                _ = try Self.decode(file, limits: limits)
            } else {
                #expect(throws: EngineError.self, "\(name)") { try Self.decode(file, limits: limits) }
            }
        }
        // 65,535 x 65,535 pixels.
        var gif = PictureSamples.all[3].file
        gif.replaceSubrange(6..<10, with: [255, 255, 255, 255])
        let error = #expect(throws: EngineError.self) { try Self.decode(gif) }
        #expect(error?.description.contains("65535x65535") == true)
    }

    @Test("Broken HEIF and AVIF files give an error that names the format, or the package that is missing")
    func brokenHEIF() throws {
        for (brand, name) in [("avif", "AVIF"), ("heic", "HEIF")] {
            for tail in [0, 8, 100] {
                let file = [0, 0, 0, 16] + Array("ftyp\(brand)".utf8) + [UInt8](repeating: 0, count: 4 + tail)
                let error = #expect(throws: EngineError.self) { try Self.decode(file) }
                let text = error?.description ?? ""
                #expect(text.contains("the \(name) cannot be read: ") || text.contains("libheif1"), "\(text)")
                #expect(!text.contains("\n"))
            }
        }
    }

    @Test("Where a HEIF file lists its cut or turn before its size, they count nevertheless")
    func transformsBeforeSize() {
        func number(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * (bytes - 1 - $0))) }
        }
        func box(_ kind: String, _ parts: [UInt8]...) -> [UInt8] {
            let data = parts.flatMap { $0 }
            return number(8 + data.count, 4) + Array(kind.utf8) + data
        }
        let properties: [String: [UInt8]] = [
            "size": box("ispe", number(0, 4), number(722, 4), number(1024, 4)), "turn": box("irot", [3]),
            "half": box("irot", [2]), "mirror": box("imir", [1]),
            "cut": box(
                "clap", number(385, 4), number(1, 4), number(660, 4), number(2, 4), number(0, 4), number(1, 4),
                number(0, 4), number(1, 4)),
        ]
        func file(_ names: [String], isWide: Bool = false) -> [UInt8] {
            let entries = names.indices.flatMap { isWide ? number(0x8001 + $0, 2) : [0x81 + UInt8($0)] }
            let lists =
                box("ipco", names.flatMap { properties[$0]! })
                + box("ipma", number(isWide ? 1 : 0, 4), number(1, 4), number(7, 2), [UInt8(names.count)], entries)
            return box("ftyp", Array("avif".utf8))
                + box("meta", number(0, 4), box("pitm", number(0, 4), number(7, 2)), box("iprp", lists))
        }
        func size(_ file: [UInt8]) -> PixelSize? { file.withUnsafeBufferPointer { HEIFTransforms.size(in: $0) } }
        for isWide in [false, true] {
            #expect(size(file(["turn", "size"], isWide: isWide)) == PixelSize(width: 1024, height: 722))
            #expect(size(file(["half", "mirror", "size"], isWide: isWide)) == PixelSize(width: 722, height: 1024))
            #expect(size(file(["cut", "size"], isWide: isWide)) == PixelSize(width: 385, height: 330))
            #expect(size(file(["cut", "turn", "size"], isWide: isWide)) == PixelSize(width: 330, height: 385))
            #expect(size(file(["size", "turn"], isWide: isWide)) == nil)
            #expect(size(file(["mirror", "size"], isWide: isWide)) == nil)
            #expect(size(file(["cut"], isWide: isWide)) == nil)
        }
        let whole = file(["cut", "turn", "size"])
        for count in 0..<whole.count {
            #expect(size(Array(whole[..<count])) == nil)
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var damaged = whole
                damaged[count] = value
                _ = size(damaged)
            }
        }
    }

    /// EXIF data with an orientation, as a segment of JPEG.
    private static func exif(_ orientation: UInt8, isLittle: Bool) -> [UInt8] {
        let data: [UInt8] =
            isLittle
            ? [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
            : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
        return JPEGMarker.segment(0xE1, Array("Exif\0\0".utf8) + data)
    }

    @Test("JPEGs are turned as EXIF says", arguments: 1...8, [true, false])
    func orientation(number: Int, isLittle: Bool) throws {
        let file = JPEGSamples.all[1].file
        let turnedFile = Array(file[..<2]) + Self.exif(UInt8(number), isLittle: isLittle) + file[2...]
        let stored = try Self.decode(file).1
        let (info, turned) = try Self.decode(turnedFile)
        let (width, height) = (19, 13)
        #expect(info.size == (number < 5 ? PixelSize(width: 19, height: 13) : PixelSize(width: 13, height: 19)))
        let header = try Self.header(turnedFile)
        #expect(header.size == info.size && header.isHeldWhole == (number != 1))
        // EXIF 2.3, table 6: on which side the first row and the first column are seen.
        let sides = [
            "top left", "top right", "bottom right", "bottom left", "left top", "right top", "right bottom",
            "left bottom",
        ]
        let words = sides[number - 1].split(separator: " ")
        for row in 0..<height {
            for column in 0..<width {
                let along = words[0] == "top" || words[0] == "left" ? row : height - 1 - row
                let across = words[1] == "top" || words[1] == "left" ? column : width - 1 - column
                let (x, y) = number < 5 ? (across, along) : (along, across)
                let (from, to) = ((row * width + column) * 3, (y * info.size.width + x) * 3)
                #expect(stored[from..<(from + 3)].elementsEqual(turned[to..<(to + 3)]), "\(number): \(column), \(row)")
            }
        }
    }

    @Test("Damaged EXIF data mean upright")
    func damagedExif() throws {
        let file = JPEGSamples.all[1].file
        let segment = Self.exif(6, isLittle: true)
        for count in 10..<(segment.count - 4) {
            let cut = JPEGMarker.segment(0xE1, Array(segment[4..<min(count, 28)]))
            let image = Array(file[..<2]) + cut + file[2...]
            #expect(try Self.decode(image).0.size == PixelSize(width: 19, height: 13), "\(count) bytes")
        }
        for number: UInt8 in [0, 9, 255] {
            let image = Array(file[..<2]) + Self.exif(number, isLittle: false) + file[2...]
            #expect(try Self.decode(image).0.size == PixelSize(width: 19, height: 13))
        }
    }

    /// A profile with the primaries of sRGB, or gray, and linear samples (ICC.1:2001-04).
    private static func linearProfile(gray: Bool) -> [UInt8] {
        func fixed(_ values: [Double]) -> [UInt8] {
            values.flatMap { bigEndian(UInt32(bitPattern: Int32(($0 * 65536).rounded()))) }
        }
        func xyz(_ values: [Double]) -> [UInt8] { Array("XYZ ".utf8) + [0, 0, 0, 0] + fixed(values) }
        let linear: [UInt8] = Array("curv".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
        let white = [0.9642, 1, 0.8249]
        var tags: [(String, [UInt8])] = [("wtpt", xyz(white))]
        if gray {
            tags.append(("kTRC", linear))
        } else {
            tags += [
                ("rXYZ", xyz([0.4360747, 0.2225045, 0.0139322])), ("gXYZ", xyz([0.3850649, 0.7168786, 0.0971045])),
                ("bXYZ", xyz([0.1430804, 0.0606169, 0.7141733])), ("rTRC", linear), ("gTRC", linear), ("bTRC", linear),
            ]
        }
        var table = bigEndian(UInt32(tags.count))
        var data: [UInt8] = []
        let start = 128 + 4 + 12 * tags.count
        for (name, bytes) in tags {
            table += Array(name.utf8) + bigEndian(UInt32(start + data.count)) + bigEndian(UInt32(bytes.count))
            data += bytes
        }
        var head: [UInt8] = bigEndian(UInt32(start + data.count)) + [0, 0, 0, 0, 2, 0x40, 0, 0]
        head += Array("mntr\(gray ? "GRAY" : "RGB ")XYZ ".utf8) + [UInt8](repeating: 0, count: 12)
        head += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28) + fixed(white)
        head += [UInt8](repeating: 0, count: 128 - head.count)
        return head + table + data
    }

    private static func encoded(_ linear: UInt8) -> Int {
        let value = Double(linear) / 255
        return Int((255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055)).rounded())
    }

    private static func withProfile(_ jpeg: [UInt8], _ profile: [UInt8]) -> [UInt8] {
        // In two parts, the second first.
        let mark = Array("ICC_PROFILE\0".utf8)
        let half = profile.count / 2
        let parts =
            JPEGMarker.segment(0xE2, mark + [2, 2] + profile[half...])
            + JPEGMarker.segment(0xE2, mark + [1, 2] + profile[..<half])
        return Array(jpeg[..<2]) + parts + jpeg[2...]
    }

    @Test("Profiles of JPEGs are converted where they count, and ignored where they do not fit", arguments: [0, 1])
    func profiles(sample: Int) throws {
        let isGray = sample == 0
        let file = JPEGSamples.all[sample].file
        let plain = try Self.decode(file).1
        let linear = Self.withProfile(file, Self.linearProfile(gray: isGray))
        #expect(try Self.decode(linear).1 == plain)
        let (info, converted) = try Self.decode(linear, converts: true)
        #expect(info.format == .rgb8)
        for (index, (before, after)) in zip(plain, converted).enumerated() {
            #expect(abs(Self.encoded(before) - Int(after)) <= 2, "byte \(index): \(before) became \(after)")
        }
        let mask = try Self.decode(linear, as: .mask, converts: true)
        #expect(mask.0.format == .mask8)
        #expect(zip(mask.1, stride(from: 0, to: converted.count, by: 3)).allSatisfy { $0 == converted[$1] })
        let others = [Self.linearProfile(gray: !isGray), Array(Self.linearProfile(gray: isGray)[..<100]), [1, 2, 3]]
        for profile in others {
            #expect(try Self.decode(Self.withProfile(file, profile), converts: true).1 == plain)
        }
    }

    @Test("Profiles of PNGs are converted, alpha stays")
    func profileOfPNG() throws {
        let size = PixelSize(width: 16, height: 4)
        let rgba = (0..<(size.area * 4)).map { UInt8($0 * 4 & 0xFF) }
        let png = MinimalPNGWriter.png(rgba: rgba, size: size)
        let packed = MinimalPNGWriter.zlibStored(Self.linearProfile(gray: false))
        let chunk = PNGStream.chunk("iCCP", Array("a\0\0".utf8) + packed)
        let file = Array(png[..<33]) + chunk + png[33...]
        #expect(try Self.decode(file).1 == rgba)
        let converted = try Self.decode(file, converts: true).1
        for index in rgba.indices {
            let expected = index % 4 == 3 ? Int(rgba[index]) : Self.encoded(rgba[index])
            #expect(
                abs(expected - Int(converted[index])) <= 2, "byte \(index): \(rgba[index]) became \(converted[index])")
        }
    }
}
