import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

/// What is particular to a format is tested with it.
@Suite("What all formats of pictures have in common")
struct CodecContractTests {
    /// A format, options that it has, and the pixels that are given to it.
    struct Sample: CustomTestStringConvertible, Sendable {
        var codec: any PictureCodec
        var encoding: PictureEncoding
        var pixels: PixelFormat

        var testDescription: String { "\(codec.name), \(pixels), \(encoding.canonicalParts)" }
        var isExact: Bool { encoding.isLossless || [.png, .tiff].contains(encoding.format) }
        /// Whether bands of other heights give the bytes of another file with the same pixels.
        var showsCuts: Bool { [.png, .pdf, .ora].contains(encoding.format) }
        /// Whether a piece says how long its parts are, or is packed and has a checksum.
        var noticesDamage: Bool { ![.jpeg, .webp, .pdf].contains(encoding.format) }

        func head(_ size: PixelSize, _ description: PictureDescription = PictureDescription()) -> PictureHead {
            // Of a file that holds layers: one without any.
            let whole = LayeredLayout.Part(
                source: .whole, rect: PixelRect(x: 0, y: 0, width: size.width, height: size.height), pixels: pixels)
            return PictureHead(
                size: size, pixels: pixels, encoding: encoding, description: description,
                layers: LayeredLayout(nodes: [], parts: [whole]))
        }

        func isSound(_ piece: EncodedPiece, _ size: PixelSize) -> Bool {
            piece.file == nil
                ? codec.isSound(
                    piece.bytes[...], PixelSize(width: size.width, height: piece.rowCount), encoding, pixels: pixels)
                : codec.isSoundWhole(piece.bytes, size, encoding)
        }
    }

    /// Formats whose files a farm makes of rows, and that can be written on this machine.
    private static let codecs = PictureCodecs.all.filter { !$0.isVector && $0.missingPackage == nil }
    private static let places = PictureCodecs.all + PictureCodecs.forms
    private static let place = Place(file: "a")
    private static let digest = PictureDigest(bytes: (0..<32).map { $0 * 5 })

    /// With each option by itself.
    private static let samples = codecs.flatMap { codec -> [Sample] in
        let base = PictureEncoding(format: codec.format, effort: .fast)
        let all = [base] + EncodingSetting.allCases.filter(codec.settings.contains).flatMap { $0.choices(base) }
        // The best effort of a library takes too long.
        return all.filter { codec.loadedLibrary == nil || $0.effort != .small }.flatMap { encoding in
            (codec.hasAlpha ? [.rgb, .rgba] : [.rgb]).map { Sample(codec: codec, encoding: encoding, pixels: $0) }
        }
    }

    /// A picture of at least two bands, or of one pixel where seed is 0.
    private static func picture(_ sample: Sample, seed: UInt64) -> (size: PixelSize, pixels: [UInt8]) {
        var random = SeededGenerator(seed: seed)
        let rows = sample.codec.rowMultiple(sample.encoding)
        var size = PixelSize(
            width: .random(in: 1...160, using: &random),
            height: .random(in: (rows + 1)...(2 * rows + 20), using: &random))
        if seed == 0 { size = PixelSize(width: 1, height: 1) }
        // Colours by fours of pixels.
        if sample.encoding.chroma == .quarter {
            size = PixelSize(width: size.width + size.width % 2, height: size.height + size.height % 2)
        }
        return (size, patchwork(size: size, format: sample.pixels, using: &random))
    }

    @Test("The file is the same however the picture is cut, and shows it", arguments: samples, 0..<2 as Range<UInt64>)
    func cuts(sample: Sample, seed: UInt64) throws {
        let (size, pixels) = Self.picture(sample, seed: seed)
        let head = sample.head(size)
        let pieces = try picturePieces(pixels, head)
        for piece in pieces {
            #expect(sample.isSound(piece, size) && sample.codec.content(of: piece) != nil)
        }
        let file = try pictureFile(of: pieces, head)
        var random = SeededGenerator(seed: seed)
        for others in [
            try pictureFile(pixels, head, halvings: 0) { 10_000 },
            try pictureFile(pixels, head) { .random(in: 1...3, using: &random) },
        ] {
            if sample.showsCuts {
                if let other = try shown(others, sample) { #expect(try other == shown(file, sample)) }
            } else {
                #expect(others == file)
            }
        }
        guard let shown = try shown(file, sample) else { return }
        #expect(shown.size == size)
        #expect(shown.samples.count == pixels.count)
        let channels = sample.pixels.bytesPerPixel
        // Nothing is known of the colour of what is transparent.
        let isSame =
            shown.samples == pixels
            || zip(shown.samples, pixels).enumerated().allSatisfy { index, pair in
                pair.0 == pair.1 || (channels == 4 && index % 4 < 3 && pixels[index | 3] == 0)
            }
        #expect(isSame || !sample.isExact)
    }

    private struct Shown: Equatable {
        var size: PixelSize
        var samples: [UInt8]
    }

    /// nil if nothing here can read the format.
    private func shown(_ file: [UInt8], _ sample: Sample) throws -> Shown? {
        if sample.encoding.format == .jxl {
            let found = try JXLDecoder.pixels(file)
            return Shown(size: found.size, samples: found.samples)
        }
        guard ImageDecoders.all.contains(where: { $0.recognizes(file) }) else { return nil }
        let found = try decodedPixels(file)
        return Shown(size: found.info.size, samples: found.samples)
    }

    @Test("A damaged piece is refused, or taken without harm; an empty one is refused", arguments: samples)
    func damagedPieces(sample: Sample) throws {
        let (size, pixels) = Self.picture(sample, seed: 1)
        let head = sample.head(size)
        let pieces = try picturePieces(pixels, head)
        for (index, piece) in pieces.enumerated() {
            /// The content for which a piece of such bytes is taken; nil if it is refused.
            func content(_ bytes: [UInt8], rows: Int = 0) throws -> [UInt8]? {
                var others = pieces
                others[index].bytes = bytes
                others[index].rowCount += rows
                guard sample.isSound(others[index], size) else { return nil }
                _ = try pictureFile(of: others, head)
                return sample.codec.content(of: others[index])
            }
            let (bytes, whole) = (piece.bytes, try #require(try content(piece.bytes)))
            #expect(try content([]) == nil)
            var wrong = [bytes + [0], [255, 255, 255, 255] + bytes.dropFirst(4), [0, 0, 0, 0] + bytes.dropFirst(4)]
            wrong += stride(from: 1, to: bytes.count, by: 1 + bytes.count / 12).map { Array(bytes[..<$0]) }
            for other in wrong {
                let found = try content(other)
                // An empty block at the end of a stream says nothing.
                #expect(
                    found == nil || found == whole || !sample.noticesDamage, "\(other.count) of \(bytes.count) bytes")
            }
            if sample.noticesDamage, ![.png, .ora].contains(sample.encoding.format), piece.file == nil {
                #expect(try content(bytes, rows: sample.codec.rowMultiple(sample.encoding)) == nil)
            }
            var random = SeededGenerator(seed: UInt64(index))
            for _ in 0..<12 {
                var damaged = bytes
                for _ in 0..<3 {
                    damaged[.random(in: 0..<min(bytes.count, 200), using: &random)] = .random(
                        in: 0...255, using: &random)
                }
                _ = try content(damaged)
            }
        }
    }

    @Test("A digest is found in a whole file, and in none that is cut, longer or changed", arguments: samples)
    func digests(sample: Sample) throws {
        let size = PixelSize(width: 36, height: 20)
        var random = SeededGenerator(seed: 4)
        let pixels = patchwork(size: size, format: sample.pixels, using: &random)
        let digest = try #require(Self.digest)
        let description = PictureDescription(
            dotsPerInch: 300, text: [PictureText(.title, "Eule \u{1F989}")], digest: digest)
        let file = try pictureFile(pixels, sample.head(size, description))
        guard !sample.codec.format.isFolder else { return }
        try expectDigest(digest, of: file, by: sample.codec)
        #expect(try storedDigest(of: pictureFile(pixels, sample.head(size)), by: sample.codec) == nil)
        _ = try shown(file, sample)
    }

    @Test("Where no file is, there is no digest", arguments: places)
    func noDigests(codec: any PictureCodec) throws {
        let folder = try TemporaryFolder(prefix: "ink-digest")
        for path in ["none", "", "none/below"] { #expect(try codec.storedDigest(path: folder.path(of: path)) == nil) }
        #expect(try storedDigest(of: [UInt8](repeating: 0, count: 100_000), by: codec) == nil)
    }

    @Test(
        "An option changes a file if its format says that it has it; any other is refused, or changes nothing",
        arguments: codecs)
    func options(codec: any PictureCodec) throws {
        var random = SeededGenerator(seed: 6)
        let size = PixelSize(width: 300, height: 150)
        var bases = [PictureEncoding(format: codec.format, effort: .fast)]
        if codec.settings.contains(.lossless) { bases += EncodingSetting.lossless.choices(bases[0]) }
        let samples = bases.flatMap { base in
            (codec.hasAlpha ? [.rgb, .rgba] : [.rgb]).map { Sample(codec: codec, encoding: base, pixels: $0) }
        }
        let plain = try samples.map { sample in
            let pixels = patchwork(size: size, format: sample.pixels, using: &random)
            return (sample, pixels, try pictureFile(pixels, sample.head(size)))
        }
        for setting in EncodingSetting.allCases where setting != .maxBytes {
            let changes = try plain.contains { sample, pixels, file in
                try setting.choices(sample.encoding).contains { encoding in
                    var head = sample.head(size)
                    head.encoding = encoding
                    let isTaken = (try? PictureOptions(encoding: encoding).check(place: Self.place)) != nil
                    return try isTaken && pictureFile(pixels, head) != file
                }
            }
            #expect(changes == codec.settings.contains(setting), "\(setting)")
        }
    }

    @Test("A picture beyond a format's longest edge is refused; at it, it can be read", arguments: places)
    func limits(codec: any PictureCodec) throws {
        let options = PictureOptions(encoding: PictureEncoding(format: codec.format, effort: .fast))
        let edge = codec.edgePixelsMax
        try options.checkFormats(PixelSize(width: 100, height: 100), place: Self.place)
        for size in [PixelSize(width: edge + 1, height: 1), PixelSize(width: 1, height: edge + 1)] {
            let error = #expect(throws: EngineError.self) { try options.checkFormats(size, place: Self.place) }
            #expect(error?.description.contains("\(edge) pixels in \(codec.name)") == true)
        }
        guard [.jpeg, .webp, .jxl].contains(codec.format), codec.missingPackage == nil else { return }
        let sample = Sample(codec: codec, encoding: options.encoding, pixels: .rgb)
        let size = PixelSize(width: edge, height: 1)
        try options.checkFormats(size, place: Self.place)
        let file = try pictureFile([UInt8](repeating: 90, count: 3 * edge), sample.head(size))
        if let found = try shown(file, sample) { #expect(found.size == size) }
    }
}

/// What is found in a file of these bytes.
func storedDigest(of bytes: [UInt8], by codec: any PictureCodec) throws -> PictureDigest? {
    let folder = try TemporaryFolder(prefix: "ink-digest")
    let path = folder.path(of: "a")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try codec.storedDigest(path: path)
}

/// Checks that a digest is found in a whole file only.
func expectDigest(_ digest: PictureDigest, of file: [UInt8], by codec: any PictureCodec) throws {
    #expect(try storedDigest(of: file, by: codec) == digest)
    for count in [0, 1, 20, file.count / 2, file.count - 1] {
        #expect(try storedDigest(of: Array(file[..<count]), by: codec) == nil, "\(count) bytes")
    }
    for other in [file + [0], Array(file.dropFirst())] { #expect(try storedDigest(of: other, by: codec) == nil) }
    // Some formats have no checksum of the digest itself, which says that it is another picture.
    let own = file.firstRange(of: digest.bytes) ?? 0..<0
    for index in stride(from: 0, to: file.count, by: 1 + file.count / 60) {
        var changed = file
        changed[index] ^= 4
        let found = try storedDigest(of: changed, by: codec)
        #expect(found == nil || (own.contains(index) && found != digest), "byte \(index)")
    }
}

extension EncodingSetting {
    /// Encodings that differ in this; none for what is looked for and not given.
    fileprivate func choices(_ base: PictureEncoding) -> [PictureEncoding] {
        func with<Value>(_ field: WritableKeyPath<PictureEncoding, Value>, _ values: Value...) -> [PictureEncoding] {
            values.map { value in
                var encoding = base
                encoding[keyPath: field] = value
                return encoding
            }
        }
        return switch self {
        case .effort: with(\.effort, .balanced, .small)
        case .quality: with(\.quality, 40)
        case .chroma: with(\.chroma, .quarter)
        case .progressive: with(\.isProgressive, true)
        case .lossless: with(\.isLossless, true)
        case .compression: with(\.compression, .lzw, .zstd, StripCompression.none)
        case .bleed: with(\.bleed, 500)
        case .tileSize: with(\.tileSize, 128)
        case .tileOverlap: with(\.tileOverlap, 1)
        case .plotHidden: with(\.plot.keepsHidden, true)
        case .pens: with(\.plot.pens, 3)
        case .plotFill: with(\.plot.hatch, PlotSettings.Hatch())
        case .maxBytes: []
        }
    }
}
