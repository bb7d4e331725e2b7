import CISAL
import Glibc
import InkTestSupport
import Testing

@testable import InkEngine

/// What a band becomes does not depend on where its compressor's memory lies.
@Suite("Addresses of deflaters", .serialized)
struct DeflaterAddressTests {
    /// Six rows that repeat: each finds the one before by the entries of its first bytes.
    private static let rows: [UInt8] = (0..<6).flatMap { _ in
        [0] + (0..<1500).map { UInt8(truncatingIfNeeded: $0 * $0 / 7 + $0) }
    }

    private static func deflated(_ deflater: ISALDeflater) throws -> [UInt8] {
        var bytes = rows
        var result: [UInt8] = []
        deflater.begin()
        try bytes.withUnsafeMutableBufferPointer { buffer throws(EngineError) in
            try deflater.deflate(buffer, end: .last) { result += $0 }
        }
        return result
    }

    /// The first ones gave other bytes with ISA-L 2.30 before the head of a band was compressed by itself.
    @Test(arguments: [1, 2]) func theSameBytesAtEveryAddress(level: Int) throws {
        let expected = try Self.deflated(ISALDeflater(level: level))
        #expect(try RawInflate.open(expected, limit: Self.rows.count).content == Self.rows)
        var random = SeededGenerator(seed: 1)
        let known = [0x6dcf_ebfa_e000, 0x4d7d_76c4_2000, 0x5c7c_1970_e000, 0x1e4f_b2c3_1000, 0x61da_0996_0000]
        let drawn = (0..<400).map { _ in Int.random(in: 0x10_0000...0x7_fff0_0000, using: &random) << 12 }
        let size = MemoryLayout<isal_zstream>.size
        for address in known + drawn {
            // Whatever lies there already stays there.
            let memory = mmap(
                UnsafeMutableRawPointer(bitPattern: address), size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | 0x100000 /* MAP_FIXED_NOREPLACE */, -1, 0)
            guard let memory, memory != MAP_FAILED else { continue }
            defer { munmap(memory, size) }
            let deflater = ISALDeflater(level: level, stream: memory.assumingMemoryBound(to: isal_zstream.self))
            #expect(try Self.deflated(deflater) == expected, "stream at \(String(address, radix: 16))")
        }
    }
}
