import CISAL

/// Whether a piece of a picture's deflate stream is what somebody says that it is.
public enum BandCheck {
    /// Deflate is opened so many bytes at a time.
    private static let stepBytes = 128 << 10

    /// What is wrong with a piece that has to stand for `byteCount` bytes with that checksum, in words; nil when nothing
    /// is. The last piece ends the stream; the others end at a byte boundary behind a block, so that another can follow.
    public static func fault(in piece: [UInt8], byteCount: Int, adler32: UInt32, isLast: Bool) -> String? {
        guard let pieceBytes = UInt32(exactly: piece.count) else { return "a piece of \(piece.count) bytes" }
        let state = UnsafeMutablePointer<inflate_state>.allocate(capacity: 1)
        let output = UnsafeMutablePointer<UInt8>.allocate(capacity: stepBytes)
        defer {
            state.deallocate()
            output.deallocate()
        }
        isal_inflate_init(state)
        return piece.withUnsafeBufferPointer { input -> String? in
            // ISA-L only reads from it.
            state.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            state.pointee.avail_in = pieceBytes
            var found = 0
            var checksum = Adler32.empty
            while true {
                state.pointee.next_out = output
                state.pointee.avail_out = UInt32(stepBytes)
                let status = isal_inflate(state)
                guard status == ISAL_DECOMP_OK else { return "its bytes are no deflate" }
                let count = stepBytes - Int(state.pointee.avail_out)
                found += count
                guard found <= byteCount else { return "it stands for more than \(byteCount) bytes" }
                let step = Adler32.checksum(UnsafeRawBufferPointer(start: output, count: count))
                checksum = Adler32.combine(checksum, step, lengthB: count)
                // An output that is not full is all that the input gives.
                if count < stepBytes { break }
            }
            guard found == byteCount else { return "it stands for \(found) bytes, not \(byteCount)" }
            guard checksum == adler32 else { return "its checksum is \(checksum), not \(adler32)" }
            let isAtEnd = state.pointee.block_state == ISAL_BLOCK_FINISH
            guard isAtEnd == isLast else { return isLast ? "it does not end the stream" : "it ends the stream" }
            let isAllRead = state.pointee.avail_in == 0 && state.pointee.tmp_in_size == 0
            if isLast {
                let isNothingBehind = isAllRead && state.pointee.read_in_length < 8
                return isNothingBehind ? nil : "there are bytes behind the stream's end"
            }
            // Where it waits for the first bit of another block.
            let isBehindBlock = [ISAL_BLOCK_NEW_HDR, ISAL_BLOCK_HDR].contains(state.pointee.block_state)
            return isAllRead && isBehindBlock && state.pointee.read_in_length == 0 ? nil : "it ends inside a block"
        }
    }
}
