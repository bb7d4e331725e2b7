import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite("JPEG files as pictures and as images of layers")
struct JPEGTests {
    private static let place = Place(file: "a.jpg")

    /// Smooth ramps with a little noise, which no two MCUs share.
    private static func pixels(_ size: PixelSize, _ format: PixelFormat, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<size.area).flatMap { index -> [UInt8] in
            let (x, y) = (index % size.width, index / size.width)
            let noise = Int.random(in: 0...9, using: &random)
            let pixel = [x * 3 + noise, y * 5, x + y * 2].map { UInt8($0 & 0xFF) }
            return format == .rgba ? pixel + [255] : pixel
        }
    }

    @Test("Bands of any height give the bytes of one run of libjpeg", arguments: 0..<30 as Range<UInt64>)
    func bandsAreOneRun(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(
            width: .random(in: 1...200, using: &random), height: .random(in: 1...400, using: &random))
        let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
        let encoding = PictureEncoding(
            format: .jpeg, quality: [nil, 1, 40, 89, 90, 100].randomElement(using: &random)!,
            chroma: [nil, .full, .quarter].randomElement(using: &random)!)
        let pixels = Self.pixels(size, format, &random)
        let whole = try pixels.withUnsafeBufferPointer {
            try JPEGPieceEncoder.file(UnsafeRawBufferPointer($0), size, format, encoding, density: nil)
        }
        let head = PictureHead(size: size, pixels: format, encoding: encoding)
        let banded = try pictureFile(pixels, head) { .random(in: 1...12, using: &random) }
        #expect(banded == whole, "seed \(seed): \(size), \(encoding)")
    }

    @Test("EXIF, XMP and the profile say what the picture is, and fit into their segments")
    func metadata() throws {
        var random = SeededGenerator(seed: 2)
        let size = PixelSize(width: 40, height: 30)
        let pixels = Self.pixels(size, .rgb, &random)
        let long = String(repeating: "<&>\u{E4}", count: 20_000)
        for author in ["A & B", long] {
            let description = PictureDescription(
                dotsPerInch: 300,
                text: [
                    PictureText(.title, "Eule \u{1F989}"), PictureText(.author, author),
                    PictureText(.copyright, author),
                    PictureText(.software, "ink 1"), PictureText(.creationTime, "2026-05-04T10:20:30+02:00"),
                ], hasProfile: true)
            let head = PictureHead(
                size: size, pixels: .rgb, encoding: PictureEncoding(format: .jpeg), description: description)
            let file = try pictureFile(pixels, head)
            let segments = JPEGSegment.head(of: file)
            // JFIF must be the first, and nothing of this comes after the tables.
            #expect(segments.prefix(5).map(\.marker) == [0xD8, 0xE0, 0xE1, 0xE1, 0xE2])
            let exif = Array(file[segments[2].data].dropFirst(ExifSegment.mark.count))
            let tags = try #require(TagReader(exif))
            #expect(tags.text(270) == "Eule \u{1F989}" && tags.text(306) == "2026:05:04 10:20:30")
            #expect(tags.numbers(282) == [300, 1] && tags.numbers(296) == [2] && tags.numbers(274) == [1])
            #expect(tags.text(315).map { author.hasPrefix($0) && !$0.isEmpty } == true)
            let inner = try #require(TagReader(exif, at: tags.numbers(34665)[0]))
            #expect(inner.numbers(40961) == [1] && inner.numbers(40962) == [40] && inner.numbers(40963) == [30])
            #expect(inner.text(36881) == "+02:00")
            let packet = String(decoding: file[segments[3].data], as: UTF8.self)
            #expect(packet.contains("Eule \u{1F989}") && packet.hasSuffix("<?xpacket end=\"r\"?>"))
            #expect(segments.profile(in: file) == SRGBProfile.bytes)
            #expect(segments.orientation(in: file) == .upright)
            #expect(try Self.decode(file).0.size == size)
        }
    }

    /// Files that Pillow wrote: their kind, base64, and its pixels at (0, 0), (18, 12) and (7, 5).
    private static let samples: [(name: String, file: [UInt8], pixels: [[Int]])] = JPEGSamples.all

    private static func decode(_ file: [UInt8], as use: ImageUse = .color) throws -> (DecodedImageInfo, [UInt8]) {
        var chunks: [DecodedChunk] = []
        let info = try ImageDecoders.decode(file, as: use, place: place) { chunks.append($0) }
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

    @Test("Gray, colour, progressive and CMYK files are read as others read them", arguments: 0..<4)
    func othersFiles(index: Int) throws {
        let (name, file, expected) = Self.samples[index]
        let (info, samples) = try Self.decode(file)
        #expect(info.size == PixelSize(width: 19, height: 13) && info.format == .rgb8, "\(name)")
        #expect(
            try ImageDecoders.decoder(of: file, place: Self.place).header(file, place: Self.place).isHeldWhole
                == (index == 2))
        for (place, pixel) in zip([(0, 0), (18, 12), (7, 5)], expected) {
            let at = (place.1 * 19 + place.0) * 3
            for channel in 0..<3 {
                #expect(
                    abs(Int(samples[at + channel]) - pixel[channel]) <= 2,
                    "\(name) at \(place): \(samples[at..<at + 3])")
            }
        }
        let mask = try Self.decode(file, as: .mask).0
        #expect(mask.format == .mask8 && mask.maskBounds != nil)
    }

    @Test("A file that is cut anywhere or damaged is refused with a reason, or is read; nothing crashes")
    func damage() throws {
        for (name, file, _) in Self.samples {
            for count in 0..<file.count - 2 {
                #expect(throws: EngineError.self, "\(name), \(count) bytes") { try Self.decode(Array(file[..<count])) }
            }
            var random = SeededGenerator(seed: 9)
            for _ in 0..<400 {
                var damaged = file
                for _ in 0..<3 {
                    damaged[.random(in: 0..<file.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                _ = try? Self.decode(damaged)
            }
        }
    }

    @Test("A progressive JPEG may lack its last refinements, but not its end")
    func missingRefinements() throws {
        let file = Self.samples[2].file
        let short = Array(file[..<(file.count - 6)]) + [0xFF, 0xD9]
        let (info, pixels) = try Self.decode(short)
        let whole = try Self.decode(file).1
        #expect(info.size == PixelSize(width: 19, height: 13))
        #expect(zip(pixels, whole).allSatisfy { abs(Int($0) - Int($1)) < 40 })
        // The same of a baseline file is damage.
        let baseline = Self.samples[1].file
        #expect(throws: EngineError.self) { try Self.decode(Array(baseline[..<(baseline.count - 12)]) + [0xFF, 0xD9]) }
    }

    @Test("Padding between the segments of a head is passed over", arguments: 0..<4)
    func padding(index: Int) throws {
        let file = Self.samples[index].file
        var padded = Array(file[..<2])
        for segment in JPEGSegment.head(of: file).dropFirst() {
            padded += file[segment.start..<segment.data.upperBound]
            if segment.marker != JPEGMarker.startOfScan { padded += [0, 0x20, 0xFF, 0, 0x41] }
        }
        padded += file[(JPEGSegment.head(of: file).last?.data.upperBound ?? 0)...]
        #expect(padded.count > file.count)
        let found = try Self.decode(padded)
        let expected = try Self.decode(file)
        #expect(found.0.size == expected.0.size && found.1 == expected.1)
    }

    @Test("CMYK without a profile is converted with a warning, said once of an image")
    func plainInks() throws {
        let image = Data(Self.samples[3].file).base64EncodedString()
        for version in ["1.0", "1.2"] {
            let text =
                #"{"version": "\#(version)", "canvasSize": {"width": 9, "height": 9}, "baseImage": "\#(image)", "#
                + #""layers": [{"contentImage": "\#(image)", "maskImage": ""#
                + Data(Self.samples[1].file).base64EncodedString()
                + #""}]}"#
            let reading = try ProjectLoader.load(bytes: Array(text.utf8), name: "a.ink")
            let lines = reading.warnings.map(\.description)
            #expect(lines == ["baseImage", "layers[0].contentImage"].map { "\($0): \(ImageHeader.guessWarning)" })
            // A project that has travelled does not say it twice.
            let sent = try ProjectWriter.write(reading.project, warnings: reading.warnings)
            #expect(try ProjectLoader.load(bytes: sent, name: "a.ink").warnings.map(\.description) == lines)
        }
    }

    @Test("A layer's image may be a JPEG, also as a data URL")
    func layerImage() throws {
        let file = Self.samples[1].file
        for prefix in ["", "data:image/jpeg;base64,"] {
            let text =
                #"{"version": "1.1", "canvasSize": {"width": 9, "height": 9}, "layers": [{"contentImage": ""#
                + prefix + Data(file).base64EncodedString() + #""}]}"#
            let project = try ProjectLoader.load(bytes: Array(text.utf8), name: "a.ink").project
            #expect(project.layers[0].contentImage?.bytes == file)
            #expect(project.layers[0].contentImage?.size == PixelSize(width: 19, height: 13))
        }
    }
}
