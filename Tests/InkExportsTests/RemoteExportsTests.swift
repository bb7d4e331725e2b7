import InkClient
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkExports

/// What is known of the pictures that a broker's farm makes.
@Suite struct RemoteExportsTests {
    private static let picture = PictureReport(
        size: PixelSize(width: 4, height: 3), files: [WrittenFile(byteCount: 70, digest: [1])], tileCount: 2,
        attemptCount: 2, elapsed: 5)

    @Test func aPictureGoesItsWay() {
        var exports = RemoteExports()
        let key = SubmissionKey.random()
        exports.add(7, name: "a.ink", outputs: ["a.png"], key: key)
        #expect(exports.isWaitingForNumbers && exports.jobs.isEmpty)
        #expect(exports.take(.accepted(key, 3)) == [.watch(3), .tell(.taken(7))])
        #expect(
            exports.take(.progress(3, done: 1, total: 4))
                == [.tell(.started(7)), .follow(3, to: "a.png"), .tell(.progress(7, done: 1, total: 4))])
        #expect(exports.take(.progress(3, done: 2, total: 4)) == [.tell(.progress(7, done: 2, total: 4))])
        #expect(
            exports.take(.notice(Notice(id: 9, job: 3, ending: .finished(Self.picture))))
                == [.fetch(3, Self.picture, to: "a.png")])
        #expect(exports.takeForgettable().isEmpty, "its picture is not here yet")
        #expect(
            exports.take(.fetched(3, path: "a.png"))
                == [.noticeTaken(9), .tell(.finished(7, Self.picture))])
        #expect(exports.isEmpty && exports.takeForgettable() == [3] && exports.takeForgettable().isEmpty)
    }

    @Test func aFolderHasTheSizeOfItsFilesAndNoDigest() {
        var exports = RemoteExports()
        let key = SubmissionKey.random()
        exports.add(7, name: "a.ink", outputs: ["a.dzi"], formats: [.dzi], key: key)
        _ = exports.take(.accepted(key, 3))
        let fetch = exports.take(.notice(Notice(id: 9, job: 3, ending: .finished(Self.picture))))
        #expect(fetch.last == .fetch(3, Self.picture, to: "a.dzi", as: .dzi))
        var report = Self.picture
        report.files = [WrittenFile(byteCount: 50, digest: [])]
        #expect(
            exports.take(.fetched(3, path: "a.dzi", folderBytes: 50))
                == [.noticeTaken(9), .tell(.finished(7, report))])
    }

    @Test func severalFilesComeInAnArchiveAndEndWhenTheyAreUnpacked() {
        for isGood in [true, false] {
            var exports = RemoteExports()
            let key = SubmissionKey.random()
            exports.add(7, name: "a.ink", outputs: ["o/a.png", "o/a.jpg"], formats: [.png, .jpeg], key: key)
            _ = exports.take(.accepted(key, 3))
            let fetch = exports.take(.notice(Notice(id: 9, job: 3, ending: .finished(Self.picture))))
            guard case .fetch(3, _, let archive, .png)? = fetch.last else {
                Issue.record("\(fetch)")
                return
            }
            #expect(archive.hasPrefix("o/.a.png.") && archive.hasSuffix(".tar"))
            #expect(
                exports.take(.fetched(3, path: archive))
                    == [.unpack(7, archive: archive, outputs: ["o/a.png", "o/a.jpg"], formats: [.png, .jpeg])])
            #expect(!exports.isEmpty && exports.takeForgettable().isEmpty, "its files are not here yet")
            if isGood {
                var picture = Self.picture
                picture.files = [WrittenFile(byteCount: 1, digest: [2]), WrittenFile(byteCount: 2, digest: [3])]
                #expect(
                    exports.unpacked(7, .success(picture.files))
                        == [.noticeTaken(9), .tell(.finished(7, picture))])
            } else {
                let failure = PictureFailure(kind: .inputOutput, reason: "disk full")
                #expect(
                    exports.unpacked(7, .failure(failure)) == [.noticeTaken(9), .tell(.failed(7, failure))])
            }
            #expect(exports.isEmpty && exports.takeForgettable() == [3])
        }
    }

    @Test func aPictureThatIsFinishedWhileNobodyWantsItIsForgotten() {
        var exports = RemoteExports()
        let key = SubmissionKey.random()
        exports.add(0, name: "a.ink", outputs: ["a.png"], key: key)
        _ = exports.take(.accepted(key, 1))
        #expect(exports.beginCancelling() && !exports.beginCancelling())
        #expect(exports.takeUncancelled() == [1] && exports.takeUncancelled().isEmpty)
        #expect(
            exports.take(.notice(Notice(id: 2, job: 1, ending: .finished(Self.picture))))
                == [.tell(.started(0)), .noticeTaken(2), .tell(.cancelled(0))])
        #expect(exports.takeForgettable() == [1])
    }

    @Test func aPictureThatCannotBeWrittenHereIsForgottenThere() {
        var exports = RemoteExports()
        let key = SubmissionKey.random()
        exports.add(0, name: "a.ink", outputs: ["a.png"], key: key)
        _ = exports.take(.accepted(key, 1))
        _ = exports.take(.notice(Notice(id: 2, job: 1, ending: .finished(Self.picture))))
        let error = ClientError.badPicture(reason: "x")
        #expect(
            exports.take(.fetchFailed(1, error)) == [.noticeTaken(2), .tell(.failed(0, PictureFailure(error)))])
        #expect(exports.takeForgettable() == [1])
    }

    @Test func aJobThatTheBrokerHasLostIsTheFarmsFault() {
        var exports = RemoteExports()
        let key = SubmissionKey.random()
        exports.add(0, name: "a.ink", outputs: ["a.png"], key: key)
        _ = exports.take(.accepted(key, 1))
        let actions = exports.take(.notice(Notice(id: 2, job: 1, ending: .unknown)))
        guard case .tell(.failed(0, let failure))? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(failure.kind == .unreachable && failure.reason.contains("lost job 1"), "\(failure)")
    }

    @Test func whatTheBrokerHasNotTakenIsWithdrawnWhenItIsCancelled() {
        var exports = RemoteExports()
        let keys = [SubmissionKey.random(), SubmissionKey.random()]
        for id in 0...1 { exports.add(id, name: "\(id)", outputs: ["\(id).png"], key: keys[id]) }
        _ = exports.take(.accepted(keys[0], 1))
        #expect(exports.isWaitingForNumbers && exports.unaccepted == [keys[1]])
        _ = exports.beginCancelling()
        let withdrawn = FarmClientEvent.rejected(keys[1], Rejection(code: .busy, text: "it was withdrawn"))
        #expect(exports.take(withdrawn) == [.tell(.cancelled(1))])
        #expect(!exports.isWaitingForNumbers && exports.takeUncancelled() == [1])
    }

    /// Whatever comes, in whatever order and however often: one end for each picture, one answer for each notice.
    @Test(arguments: 0..<300) func eachPictureEndsOnce(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var exports = RemoteExports()
        let keys = (0..<8).map { _ in SubmissionKey.random() }
        var added: Set<Int> = []
        var ends: [Int: Int] = [:]
        var taken: [UInt64: Int] = [:]
        var notices: Set<UInt64> = []
        var unpacking: [Int] = []
        func note(_ actions: [RemoteExports.Action]) {
            for action in actions {
                switch action {
                case .tell(.finished(let id, _)), .tell(.failed(let id, _)), .tell(.cancelled(let id)):
                    ends[id, default: 0] += 1
                case .tell(let event): #expect(!isOfEnded(event, ends), "seed \(seed): \(event)")
                case .noticeTaken(let notice): taken[notice, default: 0] += 1
                case .unpack(let id, _, let outputs, _):
                    #expect(outputs.count == 2 && id % 2 == 1, "seed \(seed)")
                    unpacking.append(id)
                case .watch, .follow, .fetch, .forget: break
                }
            }
        }
        for _ in 0..<120 {
            let id = Int.random(in: 0..<8, using: &random)
            let job = JobNumber(id + 100)
            if let id = unpacking.popLast(), Bool.random(using: &random) {
                let failure = PictureFailure(kind: .inputOutput, reason: "x")
                let file = WrittenFile(byteCount: 1, digest: [])
                note(exports.unpacked(id, Bool.random(using: &random) ? .failure(failure) : .success([file, file])))
            }
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1, 2:
                let outputs = ["\(id).png"] + (id % 2 == 1 ? ["\(id).jpg"] : [])
                if added.insert(id).inserted { exports.add(id, name: "\(id)", outputs: outputs, key: keys[id]) }
            case 3, 4: if added.contains(id) { note(exports.take(.accepted(keys[id], job))) }
            case 5: note(exports.take(.progress(job, done: 1, total: 2)))
            case 6:
                // A notice is repeated under its number until it is taken, and comes once after that.
                let notice = UInt64(id)
                guard notices.insert(notice).inserted else { continue }
                let endings: [JobEnding] = [
                    .finished(Self.picture), .failed(.badInput, text: "x"), .cancelled, .unknown,
                ]
                note(
                    exports.take(
                        .notice(Notice(id: notice, job: job, ending: endings.randomElement(using: &random)!))))
            case 7: note(exports.take(.fetched(job, path: "\(id).png")))
            case 8: note(exports.take(.fetchFailed(job, .badPicture(reason: "x"))))
            case 9: _ = exports.takeForgettable()
            case 10 where Int.random(in: 0..<20, using: &random) == 0:
                _ = exports.beginCancelling()
                note(exports.cancelAll())
            case 11 where Int.random(in: 0..<20, using: &random) == 0: exports.giveUpFetching()
            default: break
            }
        }
        note(exports.failAll(PictureFailure(kind: .unreachable, reason: "gone")))
        #expect(exports.isEmpty && exports.jobs.isEmpty && !exports.isWaitingForNumbers)
        #expect(ends == Dictionary(uniqueKeysWithValues: added.map { ($0, 1) }), "seed \(seed)")
        #expect(taken.values.allSatisfy { $0 == 1 }, "seed \(seed): \(taken)")
    }

    private func isOfEnded(_ event: FarmEvent, _ ends: [Int: Int]) -> Bool {
        switch event {
        case .taken(let id), .started(let id), .progress(let id, _, _), .timeLeft(let id, _): ends[id] != nil
        default: false
        }
    }
}
