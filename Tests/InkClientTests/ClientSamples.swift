import InkEngine
import InkProtocol
import InkTestSupport

@testable import InkClient

/// Submissions and pictures for tests.
enum ClientSamples {
    static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    static func submission(_ content: PreparedContent, _ number: UInt64) -> Submission {
        Submission(
            key: key(number), name: "p\(number).ink", source: content.source, picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
    }

    static func key(_ number: UInt64) -> SubmissionKey {
        SubmissionKey(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0 % 8))) })
    }

    static func picture(of bytes: [UInt8]) -> PictureReport {
        PictureReport(
            size: PixelSize(width: 1, height: 1),
            files: [WrittenFile(byteCount: bytes.count, digest: SHA256.digest(bytes))], tileCount: 1, attemptCount: 1,
            elapsed: 1)
    }
}
