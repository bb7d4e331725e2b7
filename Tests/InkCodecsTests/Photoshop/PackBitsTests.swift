import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct PackBitsTests {
    private func packed(_ bytes: [UInt8]) -> [UInt8] {
        // One byte behind the end shows a write beyond what may be written.
        var target = [UInt8](repeating: 0xEE, count: PackBits.byteCountMax(bytes.count) + 1)
        let count = target.withUnsafeMutableBufferPointer { target in
            bytes.withUnsafeBufferPointer {
                PackBits.pack($0.baseAddress!, count: $0.count, into: target.baseAddress!)
            }
        }
        #expect(count <= PackBits.byteCountMax(bytes.count) && target.last == 0xEE)
        return Array(target.prefix(count))
    }

    private func unpacked(_ bytes: [UInt8]) -> [UInt8]? {
        var (result, at): ([UInt8], Int) = ([], 0)
        while at < bytes.count {
            let head = Int(bytes[at])
            // 128 means nothing, and some readers stumble over it.
            guard head != 128 else { return nil }
            if head < 128 {
                guard at + head + 2 <= bytes.count else { return nil }
                result += bytes[(at + 1)..<(at + head + 2)]
                at += head + 2
            } else {
                guard at + 1 < bytes.count else { return nil }
                result += [UInt8](repeating: bytes[at + 1], count: 257 - head)
                at += 2
            }
        }
        return result
    }

    @Test("Rows come back, whatever runs they have", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var row: [UInt8] = []
        while row.count < 1 + Int(seed) * 3 {
            let length = [1, 1, 2, 3, 127, 128, 129, 300].randomElement(using: &generator) ?? 1
            row += [UInt8](repeating: UInt8.random(in: 0...3, using: &generator), count: length)
        }
        #expect(unpacked(packed(row)) == row, "seed \(seed)")
    }

    @Test("One value takes two bytes per 128, and no row grows by more than a byte per 128")
    func sizes() {
        #expect(packed([UInt8](repeating: 7, count: 1280)).count == 20)
        let noise = (0..<1280).map { UInt8(truncatingIfNeeded: $0 * 37) }
        #expect(packed(noise).count == 1290)
        #expect(packed([5]) == [0, 5])
        #expect(packed([1, 2, 2, 3]) == [3, 1, 2, 2, 3])
    }
}
