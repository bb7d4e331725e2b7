/// The run lengths of Apple's PackBits, as PSD has them: a byte n of 0...127 and n + 1 bytes as they are, or a byte
/// 257 - n and a byte that is repeated n times, n of 2...128.
enum PackBits {
    /// The longest run or sequence of others.
    private static let countMax = 128

    /// The most bytes that `count` bytes may take.
    static func byteCountMax(_ count: Int) -> Int { count + (count + countMax - 1) / countMax }

    /// Packs `count` bytes; `target` has room for `byteCountMax(count)`. Returns how many were written.
    static func pack(_ source: UnsafePointer<UInt8>, count: Int, into target: UnsafeMutablePointer<UInt8>) -> Int {
        var (read, written) = (0, 0)
        while read < count {
            let value = source[read]
            var end = read &+ 1
            let limit = min(count, read &+ countMax)
            while end < limit, source[end] == value { end &+= 1 }
            if end &- read >= 2 {
                target[written] = UInt8(truncatingIfNeeded: 257 &- (end &- read))
                target[written &+ 1] = value
                written &+= 2
                read = end
                continue
            }
            // Up to a run of three: one of two costs as much as its bytes.
            while end < limit {
                if end &+ 2 < count, source[end] == source[end &+ 1], source[end] == source[end &+ 2] { break }
                end &+= 1
            }
            target[written] = UInt8(truncatingIfNeeded: end &- read &- 1)
            (target + written + 1).update(from: source + read, count: end &- read)
            written &+= 1 &+ (end &- read)
            read = end
        }
        return written
    }
}
