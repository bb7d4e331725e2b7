import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem

/// A picture whose file must not be too large. Used by one thread.
final class BoundedJob: @unchecked Sendable {
    /// The request for a picture of one file.
    let request: PictureRequest
    private var search: QualitySearch
    private var file: PendingFile
    /// Where the trials are written to.
    private let folder: String
    private let clock = Stopwatch()
    private var trials = 0
    private var report: PictureReport
    private var best: (path: String, file: WrittenFile)?

    /// Creates the file, and a folder for the trials beside it.
    ///
    /// - Throws: if one of them cannot be created; nothing is left then.
    init(_ request: PictureRequest, bytesMax: Int) throws(PictureFailure) {
        self.request = request
        report = PictureReport(size: request.size)
        search = QualitySearch(bytesMax: bytesMax, highest: request.options.encoding.quality)
        do throws(EngineError) {
            var made = try EngineError.wrapping { () throws(SystemFailure) in
                try PendingFile(target: request.outputs[0], replaces: request.replacesFile)
            }
            let parent = made.temporary.splitPath().folder
            do throws(EngineError) {
                folder = try TemporaryFolder.make(".ink-sizes", in: parent.isEmpty ? "." : parent)
            } catch {
                made.discard()
                throw error
            }
            file = made
        } catch {
            throw PictureFailure(error)
        }
    }

    var isFirstTrial: Bool { trials == 0 }

    /// What is to be made next, with the id of this picture; nil when the search has ended.
    var nextTrial: PictureRequest? {
        guard let quality = search.next else { return nil }
        var trial = request
        trial.bytesMax = nil
        trial.options.encoding.quality = quality
        trial.outputs = [path(trials)]
        trial.replacesFile = true
        return trial
    }

    private func path(_ trial: Int) -> String {
        folder.appendingPath("\(trial).\(request.outputs[0].splitPath().name.split(separator: ".").last ?? "")")
    }

    /// In thousandths of a trial, of as many as there usually are.
    func progress(done: Int, total: Int) -> (done: Int, total: Int) {
        let unit = 1_000
        return (trials * unit + done * unit / max(total, 1), max(QualitySearch.usualCount, trials + 1) * unit)
    }

    /// With the trials that are still to be expected.
    func timeLeft(ofTrial time: TimeLeft) -> TimeLeft {
        let all = trials > 0 ? clock.milliseconds / 1000 : 0
        // The first trial is taken for as long as it still takes.
        let each = trials > 0 ? all / (Double(trials) + 0.5) : time.seconds
        let further = Double(max(1, QualitySearch.usualCount - trials - 1))
        return time + TimeLeft(seconds: each * further, low: 0, high: each * (further + 2))
    }

    /// The trial has been made.
    func note(_ trial: PictureReport) {
        guard let quality = search.next else { return }
        report.add(trial)
        search.note(quality, byteCount: trial.byteCount)
        let made = path(trials)
        trials += 1
        guard search.best?.quality == quality else {
            unlink(made)
            return
        }
        if let best { unlink(best.path) }
        best = trial.files.first.map { (made, $0) }
    }

    /// Gives the best file its name.
    ///
    /// - Throws: also if even the largest possible loss is not enough.
    func publish() throws(PictureFailure) -> PictureReport {
        guard let best, let quality = search.best?.quality else {
            throw PictureFailure(
                kind: .badInput,
                reason: "\(request.outputs[0]): \(search.leastByteCount) bytes even with quality 1, "
                    + "more than the \(search.bytesMax) of --max-bytes")
        }
        do throws(EngineError) {
            let bytes = try FileSystem.read(best.path, limitBytes: .max)
            try EngineError.wrapping { () throws(SystemFailure) in
                try file.write(bytes)
                try file.sync()
                try file.publish()
            }
        } catch {
            throw PictureFailure(error)
        }
        (report.files, report.quality, report.elapsed) = ([best.file], quality, clock.nanoseconds)
        return report
    }

    /// Removes what has no name yet.
    func discard() {
        TemporaryFolder.remove(folder)
        file.discard()
    }
}

extension PictureReport {
    /// Adds what a part took.
    mutating func add(_ other: PictureReport) {
        phases.add(other.phases)
        tileCount += other.tileCount
        if let found = other.foundCount { foundCount = (foundCount ?? 0) + found }
        brokerCPU &+= other.brokerCPU
        attemptCount += other.attemptCount
        if let sent = other.bytesSent { bytesSent = (bytesSent ?? 0) + sent }
        if let received = other.bytesReceived { bytesReceived = (bytesReceived ?? 0) + received }
    }
}

extension FarmEvent {
    /// The picture that it is about.
    var id: Int? {
        switch self {
        case .taken(let id), .started(let id), .progress(let id, _, _), .timeLeft(let id, _), .finished(let id, _),
            .failed(let id, _), .cancelled(let id), .warned(let id, _), .incomplete(let id, _):
            id
        case .news: nil
        }
    }
}
