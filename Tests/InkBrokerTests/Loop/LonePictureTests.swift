import Dispatch
import Foundation
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkBroker
@testable import InkPlanning

@Suite("Pictures that a worker makes alone while others wait", .serialized)
struct LonePictureTests {
    private static let tile = PixelSize(width: 100, height: 50)
    private static let picture = FakePicture.file(
        TileGrid(output: PixelSize(width: 100, height: 300), tile: tile), .rgb)

    /// What workers were given, in order of time.
    private final class Seen: Sendable {
        private let tasks = Mutex<[(worker: String, task: WorkerTask)]>([])

        func add(_ worker: String, _ task: WorkerTask) { tasks.withLock { $0.append((worker, task)) } }
        var all: [(worker: String, task: WorkerTask)] { tasks.withLock { $0 } }
        var wholes: Int { all.count { $0.task.isWhole } }
    }

    /// Whether the broker counts the worker's thread, on which the choice rests.
    private func hire(
        _ farm: Farm, _ name: String, _ seen: Seen,
        _ answer: @escaping @Sendable (WorkerTask) -> FakeAnswer = { _ in .good }
    ) {
        let count = farm.report?.workers.count ?? 0
        farm.hire(name) { task, _ in
            seen.add(name, task)
            return answer(task)
        }
        #expect(farm.until { farm.report?.workers.count == count + 1 })
    }

    @Test("One task makes the file that many make, and nothing is left", arguments: [nil, 0, 1, 9] as [Int?])
    func sameFile(othersWaiting: Int?) throws {
        let farm = try Farm()
        defer { farm.stop() }
        let seen = Seen()
        hire(farm, "w", seen)
        farm.submit(1, document: [1, 2, 3], tile: Self.tile, othersWaiting: othersWaiting)
        let report = try #require(try farm.end(of: 1)?.get())
        #expect(farm.file("a.png") == Self.picture)
        let isAlone = othersWaiting ?? 0 > 0
        #expect(seen.wholes == (isAlone ? 1 : 0) && seen.all.count == (isAlone ? 1 : 1 + 3 + 6))
        #expect(report.tileCount == 6 && report.attemptCount == seen.all.count)
        #expect(report.phases.raster > 0 && report.phases.encode > 0)
        #expect(farm.until { farm.isEmpty })
        #expect(farm.chosen(for: 1) == (isAlone ? [true] : []))
        let last = farm.events(of: 1).compactMap { event -> [Int]? in
            if case .progress(_, let done, let total) = event { [done, total] } else { nil }
        }.last
        #expect(last == [6, 6])
    }

    @Test("Each thread has a picture while others wait, and the last are made by all")
    func queueRunsDry() throws {
        let farm = try Farm { $0.activeExports = 3 }
        defer { farm.stop() }
        let seen = Seen()
        hire(farm, "v", seen)
        hire(farm, "w", seen)
        for id in 1...12 as ClosedRange<UInt64> {
            farm.submit(id, "\(id).png", document: [UInt8(id)], tile: Self.tile, othersWaiting: 12 - Int(id))
        }
        for id in 1...12 as ClosedRange<UInt64> {
            _ = try #require(try farm.end(of: id)?.get())
            #expect(farm.file("\(id).png") == Self.picture)
        }
        #expect(seen.wholes >= 9 && Set(seen.all.map(\.worker)).count == 2)
        farm.submit(13, "13.png", document: [13], tile: Self.tile, othersWaiting: 0)
        _ = try #require(try farm.end(of: 13)?.get())
        #expect(seen.all.last?.task.isWhole == false)
        #expect(farm.until { farm.isEmpty })
    }

    @Test("A worker may answer with a draft, and its tiles go to many")
    func leftToMany() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let seen = Seen()
        hire(farm, "w", seen) { task in
            guard task.isWhole, let document = task.document else { return .good }
            return .spoiled { _ in try FakeReading.items(.document(document)) }
        }
        farm.submit(1, document: [1], tile: Self.tile, othersWaiting: 5)
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.file("a.png") == Self.picture && seen.wholes == 1 && seen.all.count == 1 + 3 + 6)
        #expect(farm.chosen(for: 1) == [true, false])
        #expect(farm.until { farm.isEmpty })
    }

    @Test("Files beside the document are found first, and the picture is made in the same task")
    func companions() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let seen = Seen()
        hire(farm, "w", seen) { task in
            guard task.document?.companions.isEmpty == true else { return .good }
            return .spoiled { _ in [.readingEnd(ReadingEnd(requests: [FakeReading.request("a")]))] }
        }
        farm.submit(1, document: [1], tile: Self.tile, othersWaiting: 5) { requests in
            requests.map {
                FoundCompanion(Companion(request: $0, answer: .file([], path: "/p/a")), bytes: [1, 2, 3])
            }
        }
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.file("a.png") == Self.picture && seen.wholes == 2 && seen.all.count == 2)
        #expect(farm.until { farm.isEmpty })
    }

    @Test("A picture whose worker is lost is left to many, and one that is cancelled leaves nothing")
    func lostAndCancelled() throws {
        let farm = try Farm { $0.livenessMilliseconds = 500 }
        defer { farm.stop() }
        let seen = Seen()
        hire(farm, "v", seen) { _ in .fallSilent }
        farm.submit(1, document: [1], tile: Self.tile, othersWaiting: 5)
        #expect(farm.until { seen.wholes == 1 })
        farm.hire("w") { task, _ in
            seen.add("w", task)
            return task.document?.content.parts == [] ? .hold : .good
        }
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.file("a.png") == Self.picture && seen.wholes == 1 && seen.all.count == 1 + 1 + 3 + 6)
        #expect(farm.chosen(for: 1) == [true, false])
        farm.submit(2, "b.png", document: [], tile: Self.tile, othersWaiting: 5)
        #expect(farm.until { seen.wholes == 2 })
        farm.broker.cancel(JobID(2))
        #expect(farm.end(of: 2) == .failure(.cancelled(export: "a.ink")))
        #expect(farm.file("b.png") == nil && farm.until { farm.isEmpty })
    }

    @Test("Of pictures that are lost together none is to blame: each is made alone again")
    func lostTogether() throws {
        let farm = try Farm { $0.livenessMilliseconds = 500 }
        defer { farm.stop() }
        let seen = Seen()
        hire(farm, "v", seen) { task in task.document?.content.parts.count == 1 && seen.wholes > 1 ? .fallSilent : .hold
        }
        for id in 1...2 as ClosedRange<UInt64> {
            farm.submit(id, "\(id).png", document: [UInt8(id)], tile: Self.tile, othersWaiting: 5)
        }
        #expect(farm.until { seen.wholes == 2 })
        farm.hire("w") { task, _ in
            seen.add("w", task)
            return .good
        }
        for id in 1...2 as ClosedRange<UInt64> {
            _ = try #require(try farm.end(of: id)?.get())
            #expect(farm.file("\(id).png") == Self.picture && farm.chosen(for: id) == [true])
        }
        #expect(seen.wholes == 4 && seen.all.count == 4)
    }

    @Test("What two workers make alone is compared")
    func verified() throws {
        let farm = try Farm { $0.verifyShare = 1 }
        defer { farm.stop() }
        let seen = Seen()
        for name in ["a", "b"] { hire(farm, name, seen) }
        // A sound file of the right size that shows something else.
        hire(farm, "liar", seen) { _ in
            .spoiled { items in
                items.map { item in
                    guard case .band(var piece) = item else { return item }
                    piece.bytes[piece.bytes.count - 1] ^= 1
                    return .band(piece)
                }
            }
        }
        for id in 1...6 as ClosedRange<UInt64> {
            farm.submit(id, "\(id).png", document: [UInt8(id)], tile: Self.tile, othersWaiting: 9)
        }
        for id in 1...6 as ClosedRange<UInt64> {
            _ = try #require(try farm.end(of: id)?.get())
            #expect(farm.file("\(id).png") == Self.picture)
        }
        #expect(seen.wholes >= 12 && farm.report?.tasksVerified == 6)
        #expect(farm.until { farm.isEmpty })
    }

    // MARK: - Workers that lie

    struct Lie: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let spoil: @Sendable ([ResultItem], DocumentTask) throws -> [ResultItem]
    }

    /// Changes the first piece.
    private static func piece(_ name: String, _ change: @escaping @Sendable (inout EncodedPiece) -> Void) -> Lie {
        Lie(testDescription: name) { items, _ in
            items.enumerated().map { index, item in
                guard index == 1, case .band(var piece) = item else { return item }
                change(&piece)
                return .band(piece)
            }
        }
    }

    private static let lies: [Lie] = [
        Lie(testDescription: "a piece too few") { items, _ in [items[0]] + items.dropFirst(2) },
        Lie(testDescription: "a piece too many") { items, _ in Array(items.prefix(2)) + items.dropFirst() },
        Lie(testDescription: "pieces without an outline") { items, _ in Array(items.dropFirst()) },
        Lie(testDescription: "pieces behind the draft itself") { items, task in
            try FakeReading.items(.document(task)).filter { if case .draft = $0 { true } else { false } }
                + items.dropFirst()
        },
        Lie(testDescription: "a block beside pieces") { items, _ in [.block(try Block(content: [1]))] + items },
        Lie(testDescription: "requests beside pieces") { items, _ in
            items.dropLast() + [.readingEnd(ReadingEnd(requests: [FakeReading.request("a")]))]
        },
        Lie(testDescription: "an error beside pieces") { items, _ in
            items.dropLast() + [.readingEnd(ReadingEnd(failure: .badInput(Place(file: "a"), reason: "b")))]
        },
        Lie(testDescription: "the outline of another size") { items, task in
            var other = task
            other.picture.size = .exact(PixelSize(width: 100, height: 250))
            return try FakeReading.draft(other).0.outline.encodedParts().map { .draft(try Block(content: $0)) }
                + items.dropFirst()
        },
        Lie(testDescription: "no end") { items, _ in Array(items.dropLast()) },
        piece("a row more") { $0.rowCount += 1 },
        piece("other bytes") { $0.rawByteCount -= 1 },
    ]

    @Test(arguments: lies) func liesAreFoundOut(lie: Lie) throws {
        // However busy the machine is: nobody is lost for being slow.
        let farm = try Farm { $0.livenessMilliseconds = 60_000 }
        defer { farm.stop() }
        let seen = Seen()
        hire(farm, "liar", seen) { task in
            guard let document = task.document else { return .good }
            return .spoiled { try lie.spoil($0, document) }
        }
        farm.submit(1, document: [1], tile: Self.tile, othersWaiting: 5)
        #expect(farm.until { farm.departures(of: "liar").count == 1 })
        #expect(farm.departures(of: "liar").first?.hasPrefix("bad result: ") == true)
        hire(farm, "honest", seen)
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.file("a.png") == Self.picture)
        #expect(farm.until { farm.isEmpty })
    }
}
