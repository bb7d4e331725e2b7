import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Bands of strangers") struct BandCheckTests {
    private static let width = 70
    private static let format = OutputFormat.rgb

    private static func band(
        seed: UInt64, effort: EncodingEffort, isLast: Bool, rows: Int = 40
    ) throws -> (band: EncodedBand, pixels: [UInt8]) {
        var random = SeededGenerator(seed: seed)
        let pixels = (0..<(width * rows * 3)).map { _ in UInt8.random(in: 0...3, using: &random) }
        let encoding = BandEncoding(effort: effort, isLast: isLast)
        return (try BandEncoder().encode(pixels: pixels, width: width, format: format, encoding: encoding), pixels)
    }

    private static func fault(_ band: EncodedBand, isLast: Bool) -> String? {
        BandCheck.fault(
            in: band.bytes, byteCount: band.filteredByteCount, adler32: band.adler32, isLast: isLast)
    }

    @Test(arguments: EncodingEffort.allCases, [false, true])
    func nothingIsWrongWithOurOwn(effort: EncodingEffort, isLast: Bool) throws {
        for rows in [1, 2, 40, 2_000] {
            #expect(
                Self.fault(try Self.band(seed: 1, effort: effort, isLast: isLast, rows: rows).band, isLast: isLast)
                    == nil)
        }
    }

    @Test(arguments: EncodingEffort.allCases) func whatIsWrongIsSaid(effort: EncodingEffort) throws {
        let (band, _) = try Self.band(seed: 2, effort: effort, isLast: false)
        let (last, _) = try Self.band(seed: 2, effort: effort, isLast: true)
        let bytes = band.filteredByteCount
        func fault(_ piece: [UInt8], _ count: Int = bytes, isLast: Bool = false) -> String? {
            BandCheck.fault(in: piece, byteCount: count, adler32: band.adler32, isLast: isLast)
        }
        #expect(fault(last.bytes) == "it ends the stream")
        #expect(fault(band.bytes, isLast: true) == "it does not end the stream")
        #expect(fault(band.bytes, bytes - 1) == "it stands for more than \(bytes - 1) bytes")
        #expect(fault(band.bytes, bytes + 1) == "it stands for \(bytes) bytes, not \(bytes + 1)")
        #expect(
            BandCheck.fault(in: band.bytes, byteCount: bytes, adler32: 7, isLast: false)
                == "its checksum is \(band.adler32), not 7")
        #expect(fault(last.bytes + [0], isLast: true) == "there are bytes behind the stream's end")
        #expect(fault(last.bytes + last.bytes, isLast: true) == "there are bytes behind the stream's end")
        // The flush at the end is what the next piece relies on.
        #expect(fault(Array(band.bytes.dropLast(5))) != nil)
        #expect(fault(band.bytes + [0]) == "it ends inside a block")
        #expect(fault([]) == "it stands for 0 bytes, not \(bytes)")
        #expect(fault([0xFF, 0xFF, 0xFF]) == "its bytes are no deflate")
    }

    /// A megabyte that stands for a gigabyte: no more is opened than was announced.
    @Test func aBombIsPutDownAtItsLimit() throws {
        var piece: [UInt8] = []
        let deflater = try ZlibDeflater()
        try deflater.begin()
        var blank = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<64 {
            try blank.withUnsafeMutableBufferPointer { (buffer) throws(EngineError) in
                try deflater.deflate(buffer, end: .more) { piece += $0 }
            }
        }
        #expect(piece.count < 1 << 17)
        #expect(
            BandCheck.fault(in: piece, byteCount: 1000, adler32: 1, isLast: false)
                == "it stands for more than 1000 bytes")
    }

    /// Whatever passes is what it says.
    @Test(arguments: 0..<400) func changesAreFoundOrHarmless(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let isLast = Bool.random(using: &random)
        let effort = EncodingEffort.allCases.randomElement(using: &random) ?? .fast
        var (band, _) = try Self.band(seed: seed, effort: effort, isLast: isLast)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: 0..<band.bytes.count, using: &random)
            switch Int.random(in: 0...3, using: &random) {
            case 0: band.bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: band.bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: band.bytes.removeSubrange(index...)
            default: band.bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
            }
            if band.bytes.isEmpty { break }
        }
        guard Self.fault(band, isLast: isLast) == nil else { return }
        let opened = try RawInflate.inflate(band.bytes, limit: band.filteredByteCount + 1)
        #expect(opened.count == band.filteredByteCount && Adler32.checksum(opened) == band.adler32, "seed \(seed)")
    }

    @Test(arguments: 0..<300) func noiseIsRefused(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let noise = (0..<Int.random(in: 0...2_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        #expect(BandCheck.fault(in: noise, byteCount: 5_000, adler32: 1, isLast: seed % 2 == 0) != nil)
    }
}
