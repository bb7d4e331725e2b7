import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport

/// Valid messages between clients and broker, small and varied, from a seed.
extension SeededGenerator {
    mutating func submissionKey() -> SubmissionKey { SubmissionKey(bytes: bytes(16)) }
    mutating func name() -> String { ["a.ink", "Zeichnung ü", "墨", "a\nb"].randomElement(using: &self)! }
    mutating func size() -> PixelSize { PixelSize(width: int(1...100_000), height: int(1...100_000)) }
    mutating func numbers(_ count: ClosedRange<Int>) -> [UInt64] { (0..<int(count)).map { _ in next() } }

    mutating func submission() -> Submission {
        var picture = PictureSpec(size: bool() ? .exact(size()) : .named("2k"))
        picture.options.background = bool() ? color() : nil
        picture.options.includesBaseImage = bool()
        picture.options.layers = bool() ? (0..<int(0...5)).map { _ in int(0...65_535) } : nil
        picture.options.fillsSuggested = bool()
        picture.options.colorMode = [.automatic, .rgb, .rgba].randomElement(using: &self)!
        picture.options.view = bool() ? view() : nil
        picture.options.files = (0..<int(1...3)).map { _ in
            PictureFileOptions(encoding: pictureEncoding(), digest: bool() ? bytes(32) : nil)
        }
        picture.options.tile = bool() ? size() : nil
        picture.options.dotsPerInch = bool() ? double(1...100_000) : nil
        picture.options.hasMetadata = bool()
        picture.options.keeps = bool() ? MetadataKinds(rawValue: UInt8(int(0...30))) : .all
        let byteCount = UInt64.random(in: 1...ProtocolLimits.contentBytes, using: &self)
        return Submission(
            key: submissionKey(), name: name(),
            source: bool()
                ? .path("/srv/" + name()) : .content(blockID(), byteCount: byteCount, bool() ? .zstd : .plain),
            picture: picture, delivery: bool() ? .fetch : .write("a/" + name()), priority: int(-10...10),
            weight: int(1...100), file: bool() ? "" : "a/" + name())
    }

    mutating func view() -> ViewChoice {
        switch int(0...3) {
        case 0: return .named(text())
        case 1: return .index(int(0...65_535))
        case 2:
            let size = CanvasSize(width: double(0.1...1e6), height: double(0.1...1e6))
            return .place(
                center: Point(x: double(-1e9...1e9), y: double(-9...9)), zoom: double(0.01...100),
                rotation: double(-720...720), size: bool() ? size : nil)
        default: return .fit(margin: bool() ? double(0...1e6) : nil)
        }
    }

    mutating func clientMessage() -> ClientMessage {
        switch int(0...10) {
        case 0: return .hello(clientName: text())
        case 1: return .heartbeat
        case 2: return .submit(submission())
        case 3: return .contentPart(ContentPart(id: blockID(), offset: next(), bytes: bytes(int(1...99))))
        case 4: return .contentUnavailable(blockID(), reason: text())
        case 5: return .watch(numbers(1...9))
        case 6: return .noticesTaken(numbers(1...9))
        case 7: return .pictureRequest(next(), offset: next())
        case 8: return .order(Order(number: word(), action: orderAction()))
        case 9:
            let topics: [Topic] = [.status, .jobs(after: next(), limit: int(1...1000)), .job(next()), .story(next())]
            return .question(Question(number: word(), topic: topics.randomElement(using: &self)!))
        default: return .goodbye
        }
    }

    mutating func orderAction() -> OrderAction {
        switch int(0...7) {
        case 0: .cancel(numbers(1...9))
        case 1: .retry(numbers(1...9))
        case 2: .priority(numbers(1...9), int(-10...10))
        case 3: .purge(numbers(0...9), endedSecondsAgo: next())
        case 4: .pause(numbers(1...9))
        case 5: .resume(numbers(1...9))
        case 6: .dismiss(worker: name())
        default: .drain(worker: name())
        }
    }

    mutating func finishedPicture() -> PictureReport {
        var picture = PictureReport(
            size: size(), files: [WrittenFile(byteCount: Int(next() >> 1), digest: bytes(32))],
            tileCount: Int(next() >> 1), attemptCount: Int(next() >> 1), elapsed: next())
        for (name, path) in PhaseTimes.all where name != "read" { picture.phases[keyPath: path] = next() }
        picture.brokerCPU = next()
        picture.quality = bool() ? int(1...100) : nil
        return picture
    }

    mutating func ending() -> JobEnding {
        switch int(0...3) {
        case 0: .finished(finishedPicture())
        case 1:
            .failed(
                [.badInput, .inputOutput, .internalError, .noWorkers].randomElement(using: &self)!, text: text())
        case 2: .cancelled
        default: .unknown
        }
    }

    mutating func serviceMessage() -> ServiceMessage {
        switch int(0...12) {
        case 0:
            let heartbeat = int(1...60_000)
            return .welcome(
                ClientWelcome(
                    brokerName: text(), storeID: submissionKey(), heartbeatMilliseconds: heartbeat,
                    livenessMilliseconds: int(heartbeat...3_600_000)))
        case 1: return .refuse(reason: text())
        case 2: return .heartbeat
        case 3: return .unknownSession
        case 4: return .accepted(submissionKey(), next())
        case 5:
            let codes: [Rejection.Code] = [.busy, .invalid, .forbidden, .storage, .content]
            return .rejected(
                submissionKey(),
                Rejection(
                    code: codes.randomElement(using: &self)!, retryMilliseconds: int(0...86_400_000), text: text()))
        case 6:
            let count = UInt64.random(in: 1...ProtocolLimits.transferWindowBytes, using: &self)
            return .contentRequest(blockID(), offset: next(), byteCount: count)
        case 7:
            let low = int(0...1_000_000)
            let left = TimeLeft(
                seconds: Double(low + 8) / 1000, low: Double(low) / 1000, high: Double(low + int(8...5_000)) / 1000)
            return .progress(
                next(), done: int(0...1_000_000), total: int(0...Int.max), timeLeft: int(0...1) == 0 ? nil : left)
        case 8:
            let submission = int(0...1) == 0 ? nil : blockID()
            return .notice(Notice(id: next(), job: next(), submission: submission, ending: ending()))
        case 9:
            let total = UInt64.random(in: 99...(1 << 40), using: &self)
            let offset = UInt64.random(in: 0...(total - 99), using: &self)
            return .picturePart(
                PicturePart(
                    job: next(), offset: offset, totalBytes: int(0...3) == 0 ? nil : total, bytes: bytes(int(1...99))))
        case 10: return .pictureMissing(next(), reason: text())
        case 11:
            let codes: [OrderResult.Code] = [.done, .partly, .refused]
            return .orderDone(
                OrderResult(
                    number: word(), code: codes.randomElement(using: &self)!, count: next(), text: text()))
        default:
            let total = UInt64(int(99...(64 << 20)))
            let offset = UInt64.random(in: 0...(total - 99), using: &self)
            return .answerPart(
                AnswerPart(number: word(), offset: offset, totalBytes: total, bytes: bytes(int(1...99))))
        }
    }
}
