import Testing

@testable import InkProtocol

/// A line of a fixed speed and length, on which messages queue behind one another; virtual milliseconds.
private struct Line {
    let bytesPerMillisecond: Double
    let oneWay: Double
    private(set) var freeAt = 0.0

    init(kilobitsPerSecond: Double, oneWay: Double) {
        bytesPerMillisecond = kilobitsPerSecond / 8
        self.oneWay = oneWay
    }

    /// When a message has arrived that is sent now.
    mutating func send(_ byteCount: Int, at now: Double) -> Double {
        freeAt = max(freeAt, now) + Double(byteCount) / bytesPerMillisecond
        return freeAt + oneWay
    }
}

@Suite("The window of a line")
struct LineWindowTests {
    private struct Outcome {
        var milliseconds: Double
        /// The longest time without anything arriving, and that a heartbeat takes which is sent at any moment.
        var longestSilence: Double
        var longestWait: Double
    }

    /// Sends that many bytes; the other side acknowledges what it has received.
    private func transfer(_ byteCount: Int, over line: Line, window: inout LineWindow) -> Outcome {
        var received = PartsReceived()
        return transfer(byteCount, over: line, from: 0, window: &window, &received)
    }

    private func transfer(
        _ byteCount: Int, over line: Line, from start: Double, window: inout LineWindow,
        _ received: inout PartsReceived
    ) -> Outcome {
        var line = line
        var arrivals: [(at: Double, bytes: Int)] = []
        var words: [(at: Double, total: UInt64)] = []
        var (rest, now, lastArrival) = (byteCount, start, start)
        var outcome = Outcome(milliseconds: 0, longestSilence: 0, longestWait: 0)
        while rest > 0 || !arrivals.isEmpty {
            while rest > 0 {
                let count = min(window.partBytes, rest)
                guard window.hasRoom(for: count, now: UInt64(now)) else { break }
                window.send(count, now: UInt64(now))
                rest -= count
                // Headers of the frame, of ZeroMQ and of the network.
                arrivals.append((line.send(count + 60 + count / 25, at: now), count))
            }
            outcome.longestWait = max(outcome.longestWait, line.freeAt - now + line.oneWay)
            let next = min(arrivals.first?.at ?? .infinity, words.first?.at ?? .infinity)
            guard next < .infinity else { break }
            now = next
            if let arrival = arrivals.first, arrival.at <= now {
                arrivals.removeFirst()
                outcome.longestSilence = max(outcome.longestSilence, now - lastArrival)
                lastArrival = now
                received.take(arrival.bytes)
                if let total = received.acknowledgement() { words.append((now + line.oneWay, total)) }
            } else {
                window.acknowledge(words.removeFirst().total, now: UInt64(now))
            }
        }
        outcome.milliseconds = now
        return outcome
    }

    @Test(
        "Whatever the speed and the length of a line, it is kept busy, and a heartbeat gets through in time",
        arguments: [
            (64.0, 1.0), (64, 40), (128, 20), (512, 1), (512, 300), (2_000, 0), (2_000, 50), (20_000, 20),
            (100_000, 1), (100_000, 50), (1_000_000, 0.2),
        ])
    func lines(kilobitsPerSecond: Double, oneWay: Double) {
        var window = LineWindow()
        // Ten seconds' worth.
        let byteCount = Int(kilobitsPerSecond / 8 * 10_000)
        let outcome = transfer(
            byteCount, over: Line(kilobitsPerSecond: kilobitsPerSecond, oneWay: oneWay), window: &window)
        let needed = Double(byteCount) / (kilobitsPerSecond / 8)
        #expect(outcome.milliseconds < 1.25 * needed + 2_000, "\(outcome) for \(needed) ms")
        #expect(outcome.longestSilence < 1_000 + 2 * oneWay, "\(outcome)")
        #expect(outcome.longestWait < 1_400 + 2 * oneWay, "\(outcome)")
    }

    @Test("A line that becomes slow gets smaller parts and fewer, one that becomes fast again larger ones")
    func changes() {
        var window = LineWindow()
        var received = PartsReceived()
        var now = 0.0
        for (speed, byteCount, parts) in [
            (100_000.0, 100_000_000, (128 << 10)...(1 << 20)), (256, 20_000_000, (2 << 10)...(4 << 10)),
            (100_000, 100_000_000, (128 << 10)...(1 << 20)),
        ] {
            let line = Line(kilobitsPerSecond: speed, oneWay: 1)
            // Whatever was sent before has arrived.
            now = transfer(byteCount, over: line, from: now, window: &window, &received).milliseconds + 1_000
            #expect(parts.contains(window.partBytes), "\(speed): \(window.partBytes)")
        }
    }

    @Test("Parts that are never acknowledged count as lost after a while, and the rest goes on in small ones")
    func losses() {
        var window = LineWindow()
        while window.hasRoom(for: window.partBytes, now: 100) { window.send(window.partBytes, now: 100) }
        #expect(window.bytesUnderWay == LineWindow.leastBytes)
        let before = window.hasRoom(for: window.partBytes, now: 100 + LineWindow.lossMilliseconds - 1)
        let after = window.hasRoom(for: window.partBytes, now: 100 + LineWindow.lossMilliseconds)
        #expect(!before && after)
        #expect(window.byteCount == LineWindow.leastBytes)
        window.send(2_048, now: 20_000)
        // The other side has not counted what was lost.
        window.acknowledge(2_048, now: 20_010)
        #expect(window.bytesUnderWay == 0)
    }

    @Test("A peer that acknowledges more than was sent gains nothing by it")
    func lies() {
        var window = LineWindow()
        window.acknowledge(.max, now: 5)
        window.send(2_048, now: 10)
        window.acknowledge(.max, now: 20)
        window.acknowledge(7, now: 30)
        #expect(window.bytesUnderWay == 0 && window.byteCount == LineWindow.leastBytes)
    }

    @Test("A pause is not taken for a slow line")
    func pause() {
        var window = LineWindow()
        window.send(2_048, now: 0)
        window.acknowledge(2_048, now: 5)
        // Too little to be acknowledged by itself.
        window.send(100, now: 10)
        window.send(2_048, now: 90_000)
        window.acknowledge(4_196, now: 90_005)
        #expect(window.byteCount == LineWindow.leastBytes && window.bytesUnderWay == 0)
        let hasRoom = window.hasRoom(for: 2_048, now: 90_006)
        #expect(hasRoom)
    }
}
