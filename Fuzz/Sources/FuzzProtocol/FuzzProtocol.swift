import FuzzSupport
import InkCodecs
import InkEngine
import InkProtocol

/// What the first byte of an input chooses. Scripts/fuzz_seeds.py knows the numbers, too.
private enum Decoder: UInt8, CaseIterable {
    case workerMessage
    case brokerMessage
    case clientMessage
    case serviceMessage
    case anyFrame
    case task
    case strokes
    case result
    case replay
    case submission
    case picture
    case zstandard
    case endpoint
    case drawnPicture
}

/// Whatever the bytes, a decoder throws, or returns a value that means exactly them.
private func check(_ decoder: Decoder, _ bytes: [UInt8]) throws {
    switch decoder {
    case .workerMessage:
        let frame = frame(bytes)
        expect(try WorkerMessage(frame: frame).encoded() == frame)
    case .brokerMessage:
        let frame = frame(bytes)
        expect(try BrokerMessage(frame: frame).encoded() == frame)
    case .clientMessage:
        let frame = frame(bytes)
        expect(try ClientMessage(frame: frame).encoded() == frame)
    case .serviceMessage:
        let frame = frame(bytes)
        expect(try ServiceMessage(frame: frame).encoded() == frame)
    case .anyFrame:
        _ = try? WorkerMessage(frame: bytes)
        _ = try? BrokerMessage(frame: bytes)
        _ = try? ClientMessage(frame: bytes)
        _ = try? ServiceMessage(frame: bytes)
    case .task: expect(try WorkerTask(decoding: bytes).encoded() == bytes)
    case .strokes: expect(try MarkBlock(decoding: bytes).marks.count <= bytes.count)
    case .result: try assemble(bytes)
    case .replay: _ = try ReplayFile(decoding: bytes)
    case .submission: expect(try Submission(stored: bytes).stored == bytes)
    case .picture: expect(try PictureReport(stored: bytes).stored == bytes)
    case .zstandard: expect(try Zstandard.decompress(bytes, limit: 1 << 20).count <= 1 << 20)
    case .drawnPicture:
        let strokes = Array(repeating: Stroke(brush: Brush(type: .dots), points: []), count: Int(bytes.first ?? 0))
        _ = try DrawnPictureBlock(decoding: Array(bytes.dropFirst()), strokes: strokes).encoded()
    case .endpoint: _ = try Endpoint(String(decoding: bytes, as: UTF8.self)).isLocal
    }
}

private func expect(_ isRight: Bool) { precondition(isRight) }

/// A frame with that type (the first byte) and body, and a right checksum, without which a mutation would never get
/// behind it.
private func frame(_ bytes: [UInt8]) -> [UInt8] {
    let body = bytes.dropFirst()
    func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let head =
        Array("INKF".utf8) + [UInt8(truncatingIfNeeded: ProtocolLimits.version), 0, bytes.first ?? 0, 0]
        + little(UInt32(body.count))
    return head + little(crc32(head + body)) + body
}

/// A result in parts: the first byte says of which kind it is and how long they are.
private func assemble(_ bytes: [UInt8]) throws {
    guard let first = bytes.first else { return }
    let kinds: [ResultKind] = [.decodedImages(1), .band, .pixels, .bandAndPixels, .draft, .whole]
    let kind = kinds[Int(first) % kinds.count]
    var assembler = ResultAssembler(task: TaskID(1), attempt: 1, kind: kind, limitBytes: 1 << 16)
    let length = max(1, Int(first) / kinds.count)
    var sequence: UInt32 = 0
    for start in stride(from: 1, to: bytes.count, by: length) {
        let part = Array(bytes[start..<min(bytes.count, start + length)])
        _ = try assembler.append(ResultPart(task: TaskID(1), attempt: 1, sequence: sequence, bytes: part))
        sequence += 1
    }
    try assembler.finish(
        TaskDone(
            task: TaskID(1), attempt: 1, partCount: sequence, resultBytes: UInt64(bytes.count - 1),
            phases: PhaseTimes()))
}

@_cdecl("FuzzProtocol_main")
func main(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    fuzz(count, arguments) { bytes in
        guard let decoder = bytes.first.flatMap({ Decoder(rawValue: $0 % UInt8(Decoder.allCases.count)) }) else {
            return
        }
        do {
            try check(decoder, Array(bytes.dropFirst()))
        } catch {
            precondition(!"\(error)".contains("\n"), "an error of several lines")
        }
    }
}
