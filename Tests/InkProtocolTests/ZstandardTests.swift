import InkEngine
import InkProtocol
import InkTestSupport
import Testing

func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex.utf8).map { UInt8(Character(UnicodeScalar($0)).hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Frames from the test data of facebook/zstd (commit 2dddf090, BSD-3-Clause; `off0`, `truncated_huff_state`, `abc`,
/// `rle-first-block`, `zeroSeq_2B`) and KillingSpark/zstd-rs (commit eb7e03cc, MIT; the others). Expected results are
/// those of libzstd.
@Suite("zstd")
struct ZstandardTests {
    struct Sample: CustomTestStringConvertible, Sendable {
        let name: String
        let hex: String
        var size = 0
        var sha256 = ""
        var testDescription: String { name }
    }

    static let good = [
        Sample(
            name: "abc", hex: "28b52ffd241ad100006162636465666768696a6b6c6d6e6f707172737475767778790a06bb9bba",
            size: 26,
            sha256: "be609acbce9d8685b80a68d0aa4163b1e1339a018e5f3ff9b32e18e2ab47fbbf"),
        Sample(
            name: "rle-first-block",
            hex: "28b52ffda4000010000200100002001000020010000200100002001000020010000200100003001000f13e16e1",
            size: 1_048_576, sha256: "30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58"),
        Sample(
            name: "z000001, no declared size",
            hex: "28b52ffd0457a000006428ca9fef1af72fbaccf2b3d1ed12dfc242706c10000015c5020000630800003609000070eb85316c",
            size: 24, sha256: "8d666183e31bd10d0f53aa596284f708e8c9cbe75397d94a4fbff65749927eeb"),
        Sample(
            name: "z000009", hex: "28b52ffda40200000010000097d40000000000000100008068c964", size: 2,
            sha256: "bddea984e57e4701e95415e478cf2848d18d9099e42e50ca0c2e45b8d586142c"),
        Sample(
            name: "z000019, no declared size", hex: "28b52ffd041e2bf700acf3030c79", size: 7909,
            sha256: "052e3dc7589593643bdf1b79bc19dd2ce6c1b8f0b2ad2ca5712b028cebb69ae2"),
    ]

    static let bad = [
        Sample(name: "huge window", hex: "28b52ffd00f5dbea0a002b"),
        Sample(name: "reserved block", hex: "28b52ffd002b0d000000"),
        Sample(name: "checksum wrong", hex: "28b52ffd040a06db3f312b"),
        Sample(name: "dictionary", hex: "28b52ffd323a1a002400000028b52ffd32"),
        Sample(name: "incomplete", hex: "28b52ffd002b"),
        Sample(name: "small window", hex: "28b52ffd000a3b000a002b"),
        Sample(name: "nothing", hex: ""),
        Sample(name: "skippable frame", hex: "502a4d180400000001020304"),
        Sample(name: "not zstd", hex: "1f8b0800000000000003"),
        Sample(name: "two frames", hex: "28b52ffd20010900006128b52ffd200109000061"),
    ]

    @Test("Good frames decompress to their content", arguments: good)
    func goodFrames(sample: Sample) throws {
        let frame = bytes(hex: sample.hex)
        let content = try Zstandard.decompress(frame, limit: sample.size)
        #expect(content.count == sample.size)
        #expect(BlockID(hashing: content) == BlockID(digest: bytes(hex: sample.sha256)))
        #expect(throws: ProtocolError.self) { try Zstandard.decompress(frame, limit: sample.size - 1) }
        for cut in frame.indices {
            #expect(throws: ProtocolError.self) { try Zstandard.decompress(Array(frame[..<cut]), limit: sample.size) }
        }
    }

    @Test("Bad frames are errors", arguments: bad)
    func badFrames(sample: Sample) {
        #expect(throws: ProtocolError.self) { try Zstandard.decompress(bytes(hex: sample.hex), limit: 1 << 20) }
    }

    /// libzstd 1.5.4 accepts the first two and refuses the third, later versions the other way round.
    static let disputed = [
        Sample(name: "off0", hex: "28b52ffd0000450000080002002f430bae"),
        Sample(name: "truncated_huff_state", hex: "28b52ffd000055000072800104207e1f02aa00"),
        Sample(name: "zeroSeq_2B", hex: "28b52ffd00008500006848656c6c6f20576f726c64210a8000"),
    ]

    @Test(
        "Frames that versions of the library disagree on end in an error or in content within the limit",
        arguments: disputed)
    func disputedFrames(sample: Sample) {
        let frame = bytes(hex: sample.hex)
        let content = try? Zstandard.decompress(frame, limit: 18)
        #expect(content == nil || content!.count <= 18)
        #expect(throws: ProtocolError.self) { try Zstandard.decompress(frame, limit: 6) }
    }

    /// A header with an eight-byte size, then one block that repeats a byte `runLength` times.
    private func bomb(claiming size: UInt64, runLength: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw([0x28, 0xB5, 0x2F, 0xFD, 0xE0])
        writer.uint64(size)
        let header = runLength << 3 | 1 << 1 | 1
        writer.raw([0, 1, 2].map { UInt8(truncatingIfNeeded: header >> (8 * $0)) } + [65])
        return writer.bytes
    }

    @Test("A frame that claims 2^62 bytes is over the limit, one that claims too much for its length is refused")
    func bombs() throws {
        #expect(try Zstandard.decompress(bomb(claiming: 1000, runLength: 1000), limit: 1000).count == 1000)
        #expect(throws: ProtocolError.overLimit(what: "decompressed size", found: 1 << 62, limit: 1 << 30)) {
            try Zstandard.decompress(bomb(claiming: 1 << 62, runLength: 1000), limit: 1 << 30)
        }
        #expect(throws: ProtocolError.badCompression("17 bytes cannot hold the 1073741824 that they declare")) {
            try Zstandard.decompress(bomb(claiming: 1 << 30, runLength: 1000), limit: 1 << 30)
        }
        #expect(throws: ProtocolError.self) {
            try Zstandard.decompress(bomb(claiming: 999, runLength: 1000), limit: 1 << 30)
        }
        #expect(throws: ProtocolError.self) {
            try Zstandard.decompress(bomb(claiming: 1001, runLength: 1000), limit: 1 << 30)
        }
    }

    @Test("The declared size is what the header says, nil for anything that says none")
    func declaredSize() throws {
        #expect(try Zstandard.declaredSize(of: Zstandard.compress([UInt8](repeating: 1, count: 70_000))) == 70_000)
        #expect(Zstandard.declaredSize(of: bomb(claiming: 1 << 62, runLength: 1)) == 1 << 62)
        for hex in ["", "28b5", "28b52ffd", "502a4d180400000001020304", Self.good[4].hex] {
            #expect(Zstandard.declaredSize(of: bytes(hex: hex)) == nil)
        }
        #expect(Zstandard.declaredSize(of: bomb(claiming: .max - 2, runLength: 1)) == nil)
    }

    @Test("What was compressed comes back; the size is declared", arguments: [0, 1, 100_000])
    func roundTrip(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        for content in [random.bytes(count), [UInt8](repeating: 7, count: count)] {
            for level in [Zstandard.Level.fast, .balanced] {
                let frame = try Zstandard.compress(content, level: level)
                // Frame_Content_Size_flag or Single_Segment_flag; Content_Checksum_flag clear.
                #expect(frame[4] & 0xE0 != 0 && frame[4] & 0x04 == 0)
                #expect(try Zstandard.decompress(frame, limit: count) == content)
            }
        }
    }

    @Test("A block whose frame is another is not taken for it")
    func wrongBlock() throws {
        let (a, b) = (try Block(content: [1, 2, 3]), try Block(content: [1, 2, 4]))
        #expect(try Block.verified(frame: a.frame, as: a.id) == a)
        #expect(throws: ProtocolError.wrongBlock(found: b.id, expected: a.id)) {
            try Block.verified(frame: b.frame, as: a.id)
        }
    }

    @Test("SHA-256 of the standard's example")
    func hash() {
        #expect(
            BlockID(hashing: Array("abc".utf8)).description
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
