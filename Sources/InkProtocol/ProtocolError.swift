import Glibc
public import InkEngine
import InkSystem

/// A peer violated the protocol, or the transport failed.
///
/// `offset` is the position in the frame (or in the block's content) at which reading stopped, in bytes.
public enum ProtocolError: Error, Hashable, Sendable {
    /// The bytes end before the value does.
    case truncated(what: String, offset: Int, expected: Int, found: Int)
    /// A value that its field does not allow.
    case badValue(what: String, offset: Int, found: String, expected: String)
    /// A size or a count beyond its limit; no memory was allocated for it.
    case overLimit(what: String, found: UInt64, limit: UInt64)
    /// Bytes after the last field.
    case trailingBytes(what: String, offset: Int, count: Int)
    /// The frame does not begin with the protocol's magic number.
    case badMagic(found: UInt32)
    /// The peer speaks another version.
    case unsupportedVersion(found: UInt16)
    /// A message type that does not exist, or not in this direction.
    case unknownType(UInt8)
    /// The frame was damaged in transit.
    case badChecksum(found: UInt32, expected: UInt32)
    /// A message that is not allowed in the current state: a part out of sequence, a result of another task.
    case outOfSequence(what: String, found: String, expected: String)
    /// A block's bytes do not have the requested hash.
    case wrongBlock(found: BlockID, expected: BlockID)
    /// The bytes are not one whole zstd frame of the declared size.
    case badCompression(String)
    /// ZeroMQ or the system failed; `errno` is their error number, `reason` their message.
    case transport(operation: String, errno: Int32, reason: String)
    /// The system could not start a thread that the transport needs.
    case noThread(errno: Int32)

    /// The `refuse` that answers a frame of another version, in that version: the envelope and this message are the
    /// same in all. nil for other errors.
    public var refusal: [UInt8]? {
        guard case .unsupportedVersion(let found) = self else { return nil }
        // A text that is cut to its limit fits.
        return try? Frame.seal(type: MessageType.refuse, version: found) {
            $0.text(description, limit: ProtocolLimits.textBytes)
        }
    }

    /// Whether this machine has run out of descriptors, memory or threads, which is not the other side's fault.
    public var isShortage: Bool {
        switch self {
        case .noThread: true
        case .transport(_, let errno, _): [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno)
        default: false
        }
    }
}

extension ProtocolError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let what, let offset, let expected, let found):
            "\(what) at byte \(offset) is cut: \(expected) bytes expected, \(found) found"
        case .badValue(let what, let offset, let found, let expected):
            "\(what) at byte \(offset) is \(found), expected \(expected)"
        case .overLimit(let what, let found, let limit): "\(what) is \(found), the limit is \(limit)"
        case .trailingBytes(let what, let offset, let count): "\(what) is followed by \(count) bytes at byte \(offset)"
        case .badMagic(let found): "not a frame of this protocol: it begins with 0x\(String(found, radix: 16))"
        case .unsupportedVersion(let found):
            "the peer speaks protocol version \(found), this program \(ProtocolLimits.version)"
        case .unknownType(let type): "unknown message type \(type)"
        case .badChecksum(let found, let expected):
            "checksum 0x\(String(found, radix: 16)) does not match the frame's 0x\(String(expected, radix: 16))"
        case .outOfSequence(let what, let found, let expected): "\(what) is \(found), expected \(expected)"
        case .wrongBlock(let found, let expected): "block \(expected) arrived with the content of \(found)"
        case .badCompression(let reason): "zstd: \(reason)"
        case .transport(let operation, _, let reason): "cannot \(operation): \(reason)"
        case .noThread(let errno): PosixThread.refusal(errno: errno)
        }
    }
}
