import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

/// CRC-32 the slow way, so that a test can repair a frame that it has changed.
func slowCRC32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
}

/// The frame with the length and the checksum that its bytes ask for.
func resealed(_ frame: [UInt8]) -> [UInt8] {
    var frame = frame
    func put(_ value: UInt32, at offset: Int) {
        for index in 0..<4 { frame[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
    }
    put(UInt32(frame.count - 16), at: 8)
    put(slowCRC32(Array(frame[..<12]) + frame[16...]), at: 12)
    return frame
}

@Suite("Messages")
struct MessageTests {
    @Test("A message comes back as it was sent, and equal messages are equal bytes", arguments: 0..<300)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fromWorker = random.workerMessage()
        #expect(try WorkerMessage(frame: fromWorker.encoded()) == fromWorker, "seed \(seed)")
        #expect(try fromWorker.encoded() == fromWorker.encoded())
        let fromBroker = random.brokerMessage()
        #expect(try BrokerMessage(frame: fromBroker.encoded()) == fromBroker, "seed \(seed)")
    }

    @Test("What a worker lacks is not the input's fault: another worker may have it")
    func missingLibrary() {
        let task = TaskID(2)
        let error = EngineError.unavailable(Place(file: "a.heic"), reason: "needs libheif")
        let failed = TaskFailed(task: task, attempt: 1, error: error)
        #expect(failed.kind == .internalError && failed.text == "a.heic: needs libheif")
    }

    @Test("A cancelled task is no failure of its worker")
    func cancelledTask() {
        let failed = TaskFailed(task: TaskID(2), attempt: 1, error: .cancelled)
        #expect(failed.kind == .cancelled && failed.text == "cancelled")
    }

    @Test("No changed byte and no cut goes unnoticed")
    func damage() throws {
        let frame = try WorkerMessage.hello(
            Hello(rendererVersion: "1", workerName: "w", threads: 2, taskCredits: 4, byteCredits: 1 << 28)
        ).encoded()
        for index in frame.indices {
            for bit in 0..<8 {
                var damaged = frame
                damaged[index] ^= 1 << UInt8(bit)
                #expect(throws: ProtocolError.self, "byte \(index) bit \(bit)") { try WorkerMessage(frame: damaged) }
            }
            #expect(throws: ProtocolError.self, "cut at \(index)") { try WorkerMessage(frame: Array(frame[..<index])) }
        }
        #expect(throws: ProtocolError.self) { try WorkerMessage(frame: frame + [0]) }
    }

    /// The checksum is repaired, so that the readers of the fields see the damage. What they still accept must be a
    /// message of its own: it encodes to exactly these bytes.
    @Test("Hostile bodies are refused or mean exactly what they say", arguments: 0..<400)
    func hostileBodies(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fromWorker = random.bool()
        var frame = fromWorker ? try random.workerMessage().encoded() : try random.brokerMessage().encoded()
        for _ in 0..<random.int(1...4) where frame.count > 16 {
            let index = random.int(16...(frame.count - 1))
            switch random.int(0...3) {
            case 0: frame[index] = random.bytes(1)[0]
            case 1: frame[index] = 0xFF
            case 2: frame.removeSubrange(index...)
            default: frame.insert(contentsOf: random.bytes(random.int(1...9)), at: index)
            }
        }
        frame = resealed(frame)
        if fromWorker, let message = try? WorkerMessage(frame: frame) {
            #expect(try message.encoded() == frame, "seed \(seed)")
        }
        if !fromWorker, let message = try? BrokerMessage(frame: frame) {
            #expect(try message.encoded() == frame, "seed \(seed)")
        }
    }

    @Test("Messages of the other direction and unknown ones are refused by type")
    func direction() throws {
        let drain = try BrokerMessage.drain.encoded()
        #expect(throws: ProtocolError.unknownType(22)) { try WorkerMessage(frame: drain) }
        let goodbye = try WorkerMessage.goodbye(.left).encoded()
        #expect(throws: ProtocolError.unknownType(7)) { try BrokerMessage(frame: goodbye) }
    }

    @Test("Another version is named, whatever else the frame holds")
    func version() throws {
        var frame = try WorkerMessage.heartbeat.encoded()
        frame[4] = 9
        #expect(throws: ProtocolError.unsupportedVersion(found: 9)) { try WorkerMessage(frame: frame) }
    }

    @Test("Every other version is refused, the one before as well, in the words and the version of the other side")
    func refusal() throws {
        #expect(ProtocolError.unknownType(9).refusal == nil)
        for version in [1, ProtocolLimits.version - 1, ProtocolLimits.version + 1, .max] {
            var hello = try ClientMessage.hello(clientName: "c").encoded()
            hello.replaceSubrange(4..<6, with: [UInt8(truncatingIfNeeded: version), UInt8(version >> 8)])
            let found = hello
            let error = try #require(
                #expect(throws: ProtocolError.unsupportedVersion(found: version)) { try ClientMessage(frame: found) })
            var refusal = try #require(error.refusal)
            #expect(Array(refusal[4..<6]) == Array(found[4..<6]))
            // Of the other side's version, all of it is as it would be of this one.
            refusal.replaceSubrange(4..<6, with: [UInt8(ProtocolLimits.version), 0])
            let words = "the peer speaks protocol version \(version), this program \(ProtocolLimits.version)"
            #expect(try ServiceMessage(frame: resealed(refusal)) == .refuse(reason: words))
            #expect(try BrokerMessage(frame: resealed(refusal)) == .refuse(reason: words))
        }
    }

    @Test("A part of the largest size fits a frame, a larger one is refused by both sides")
    func partSize() throws {
        func part(_ count: Int) -> WorkerMessage {
            .resultPart(
                ResultPart(task: TaskID(1), attempt: 1, sequence: 0, bytes: [UInt8](repeating: 7, count: count)))
        }
        let largest = try part(ProtocolLimits.partBytes).encoded()
        #expect(largest.count <= ProtocolLimits.frameBytes)
        #expect(try WorkerMessage(frame: largest) == part(ProtocolLimits.partBytes))
        #expect(throws: ProtocolError.self) { try WorkerMessage(frame: part(ProtocolLimits.partBytes + 1).encoded()) }
        #expect(throws: ProtocolError.self) { try part(ProtocolLimits.bodyBytes).encoded() }
    }

    @Test("Long texts are cut between two characters, not refused")
    func longText() throws {
        let text = String(repeating: "ü", count: 3000)
        let frame = try BrokerMessage.refuse(reason: text).encoded()
        #expect(try BrokerMessage(frame: frame) == .refuse(reason: String(text.prefix(2048))))
        let odd = "a" + text
        let cut = try BrokerMessage(frame: BrokerMessage.refuse(reason: odd).encoded())
        #expect(cut == .refuse(reason: String(odd.prefix(2048))))
    }

    @Test("The answers to a worker's requests cover a block once, in order", arguments: [1, 1_047_552, 9_000_001])
    func blockRanges(total: Int) {
        var covered = 0
        while covered < total {
            let ranges = BlockPart.ranges(from: UInt64(covered), totalBytes: total)
            #expect(!ranges.isEmpty)
            for range in ranges {
                #expect(range.lowerBound == covered && range.count <= ProtocolLimits.partBytes)
                covered = range.upperBound
            }
        }
        #expect(covered == total)
        #expect(BlockPart.ranges(from: UInt64(total), totalBytes: total).isEmpty)
        #expect(BlockPart.ranges(from: .max, totalBytes: total).isEmpty)
    }
}
