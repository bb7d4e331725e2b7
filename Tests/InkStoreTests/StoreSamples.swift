import Glibc
import InkEngine
import InkProtocol
import InkTestSupport

@testable import InkStore

/// Jobs and what belongs to them.
enum StoreSamples {
    static func key(_ number: UInt64) -> SubmissionKey {
        SubmissionKey(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0 % 8))) })
    }

    static func content(_ number: UInt64) -> ContentID { ContentID(digest: SHA256.digest(key(number).bytes)) }

    static func submission(_ key: SubmissionKey, content: ContentID?) -> Submission {
        Submission(
            key: key, name: "p.ink", source: content.map { .content($0, byteCount: 9, .plain) } ?? .path("/srv/p.ink"),
            picture: PictureSpec(size: .named("2k")), delivery: .fetch)
    }

    static func record(_ number: JobNumber, content: ContentID? = nil, owner: String = "ada") -> JobRecord {
        JobRecord(
            number: number, key: key(number), submission: submission(key(number), content: content).stored,
            owner: owner, priority: 1, createdAt: 1_000 + Int64(number))
    }

    static let picture: PictureReport = {
        var picture = PictureReport(
            size: PixelSize(width: 3, height: 2),
            files: [WrittenFile(byteCount: 99, digest: [UInt8](repeating: 7, count: 32))], tileCount: 2,
            attemptCount: 3, elapsed: 4)
        picture.phases = PhaseTimes(decode: 3, raster: 4, composite: 5, encode: 6)
        (picture.phases.queue, picture.phases.prepare, picture.phases.stitch, picture.brokerCPU) = (1, 2, 7, 8)
        return picture
    }()
    static let seal = SealedPicture(target: "/out/ü.png", temporary: "/out/.ü.png.tmp", picture: picture)

    static func ended(_ job: JobNumber, _ ending: JobEnding, at time: Int64 = 5_000) -> JournalEntry {
        .ended(job, ending, notice: job, at: time, story: [])
    }
}

/// Valid values, small and varied, from a seed.
extension SeededGenerator {
    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func chance(_ percent: Int) -> Bool { int(1...100) <= percent }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
    mutating func text() -> String { ["", "a/b", "Zeichnung ü", "a\nb\"", "墨", "a\0b"].randomElement(using: &self)! }

    mutating func finishedPicture() -> PictureReport {
        var picture = PictureReport(
            size: PixelSize(width: int(1...100_000), height: int(1...100_000)),
            files: [WrittenFile(byteCount: Int(next() >> 1), digest: bytes(32))], tileCount: Int(next() >> 1),
            attemptCount: Int(next() >> 1), elapsed: next())
        for (name, path) in PhaseTimes.all where name != "read" {
            picture.phases[keyPath: path] = next() >> UInt64(int(0...63))
        }
        picture.quality = chance(50) ? int(1...100) : nil
        return picture
    }

    mutating func ending() -> JobEnding {
        let codes: [FailureCode] = [.badInput, .inputOutput, .internalError, .noWorkers]
        switch int(0...5) {
        case 0...2: return .finished(finishedPicture())
        case 3: return .failed(codes.randomElement(using: &self)!, text: text())
        case 4: return .cancelled
        default: return .unknown
        }
    }

    mutating func seal() -> SealedPicture {
        SealedPicture(target: "/out/" + text(), temporary: "/out/." + text(), picture: finishedPicture())
    }
}

enum Files {
    /// Permissions of a file or folder.
    static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    static func age(_ path: String, seconds: Int) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let time = timespec(tv_sec: now.tv_sec - seconds, tv_nsec: 0)
        _ = [time, time].withUnsafeBufferPointer { utimensat(AT_FDCWD, path, $0.baseAddress, 0) }
    }
}
