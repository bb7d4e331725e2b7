import CKernels
package import InkEngine

/// Base64 with the standard alphabet (RFC 4648, section 4), read with or without its padding.
package enum Base64 {
    /// Why a text is not base64.
    package struct Fault: Error, Equatable {
        let reason: String
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Values 0...63, 64 for white space, 65 for `=`, 255 for invalid characters.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        for byte: UInt8 in [0x20, 0x09, 0x0A, 0x0D] { values[Int(byte)] = 64 }
        values[Int(UInt8(ascii: "="))] = 65
        return values
    }()

    /// Decodes a text. White space is skipped, or an error on request. Other characters outside the alphabet,
    /// incomplete padding and text after the padding are errors.
    package static func decode(
        _ text: UnsafeBufferPointer<UInt8>, takesBlanks: Bool = true, level: KernelLevel = .selected
    ) throws(Fault) -> [UInt8] {
        var fault: Fault?
        let bytes = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { output, count in
                var start = 0
                if let base = text.baseAddress, let target = output.baseAddress {
                    start = ink_text_kernels(level.c).pointee.decode_base64(base, text.count, target)
                }
                do throws(Fault) {
                    count = try decode(text, from: start, takesBlanks: takesBlanks, into: output, values: values)
                } catch {
                    fault = error
                    count = 0
                }
            }
        }
        if let fault { throw fault }
        return bytes
    }

    /// The bytes of a text; nil if it is not base64.
    package static func bytes(of text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        // The fault is a position in a text that nobody reads; callers name what is damaged.
        try? decode(text)
    }

    package static func bytes(of text: [UInt8]) -> [UInt8]? { text.withUnsafeBufferPointer { bytes(of: $0) } }

    /// `output` has room for three bytes per four characters, and three more. It contains the bytes of the characters
    /// before `start`, which are whole groups. Returns the number of bytes that it contains at the end.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int, takesBlanks: Bool,
        into output: UnsafeMutableBufferPointer<UInt8>, values: UnsafeBufferPointer<UInt8>
    ) throws(Fault) -> Int {
        var written = start / 4 * 3
        var position = start
        var group: UInt32 = 0
        var groupCount = 0
        var padding = 0
        while position < text.count {
            if groupCount == 0, padding == 0 {
                // Whole groups of four without white space, which is nearly all of a text.
                while position + 4 <= text.count {
                    let a = values[Int(text[position])]
                    let b = values[Int(text[position + 1])]
                    let c = values[Int(text[position + 2])]
                    let d = values[Int(text[position + 3])]
                    guard (a | b | c | d) < 64 else { break }
                    let bits = UInt32(a) << 18 | UInt32(b) << 12 | UInt32(c) << 6 | UInt32(d)
                    output[written] = UInt8(truncatingIfNeeded: bits >> 16)
                    output[written + 1] = UInt8(truncatingIfNeeded: bits >> 8)
                    output[written + 2] = UInt8(truncatingIfNeeded: bits)
                    written += 3
                    position += 4
                }
                guard position < text.count else { break }
            }
            let value = values[Int(text[position])]
            switch value {
            case 0..<64:
                guard padding == 0 else { throw Fault(reason: "there is text after the base64 padding") }
                group = group << 6 | UInt32(value)
                groupCount += 1
                if groupCount == 4 {
                    output[written] = UInt8(truncatingIfNeeded: group >> 16)
                    output[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
                    output[written + 2] = UInt8(truncatingIfNeeded: group)
                    written += 3
                    group = 0
                    groupCount = 0
                }
            case 64 where takesBlanks: break
            case 65: padding += 1
            default: throw Fault(reason: "character \(position) is not base64")
            }
            position += 1
        }
        switch (groupCount, padding) {
        case (0, 0): break
        case (2, 2), (2, 0):
            output[written] = UInt8(truncatingIfNeeded: group >> 4)
            written += 1
        case (3, 1), (3, 0):
            output[written] = UInt8(truncatingIfNeeded: group >> 10)
            output[written + 1] = UInt8(truncatingIfNeeded: group >> 2)
            written += 2
        default: throw Fault(reason: "the base64 text ends in the middle of a group of four")
        }
        return written
    }

    /// The text of some bytes, padded.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var position = 0
        while position < bytes.count {
            let available = min(3, bytes.count - position)
            var bits = UInt32(bytes[position]) << 16
            if available > 1 { bits |= UInt32(bytes[position + 1]) << 8 }
            if available > 2 { bits |= UInt32(bytes[position + 2]) }
            text.append(alphabet[Int(bits >> 18)])
            text.append(alphabet[Int(bits >> 12 & 63)])
            text.append(available > 1 ? alphabet[Int(bits >> 6 & 63)] : UInt8(ascii: "="))
            text.append(available > 2 ? alphabet[Int(bits & 63)] : UInt8(ascii: "="))
            position += 3
        }
        return text
    }
}
