import Glibc
import InkProtocol
import InkSystem

/// The highest numbers that a broker has assigned; starting lower would assign them again.
struct GivenNumbers: Hashable, Sendable {
    var job: JobNumber = 0
    var notice: UInt64 = 0
}

/// Identifies the last run ("life") of a broker on a data folder, in a file that each run creates anew.
///
///     origin INODE BIRTH GENERATION      of this very file
///     lives NAME NAME ...
///     given JOB NOTICE                   20 digits each; written again in place
///
/// It knows what it was given when it was made (`FileOrigin`). So a copy of it is known as one, under the number of the
/// original's inode too, and also one that was written over a later one.
final class LifeFile: Sendable {
    struct Text: Hashable, Sendable {
        var lives: [String]
        var given: GivenNumbers
    }

    static let bytesMax = 4096

    private let file: FileDescriptor
    private let givenOffset: Int

    /// Makes it; one that is there is replaced at once.
    init(making path: String, _ text: Text) throws(SystemFailure) {
        let temporary = path + ".new"
        // Of a life that was cut short: it must not lend its origin.
        guard unlink(temporary) == 0 || errno == ENOENT else {
            throw SystemFailure(operation: "remove the old \(temporary) of", errno: errno)
        }
        file = try FileDescriptor(
            opening: temporary, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, operation: "make")
        let origin = try file.origin()
        let head = Array(
            "origin \(origin.inode) \(origin.birth) \(origin.generation)\nlives \(text.lives.joined(separator: " "))\n"
                .utf8)
        givenOffset = head.count
        do throws(SystemFailure) {
            try file.write(head + Self.line(text.given), at: 0)
            try file.sync()
            guard rename(temporary, path) == 0 else { throw SystemFailure(operation: "rename to", errno: errno) }
            try FileSystem.syncFolder(path.splitPath().folder)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func line(_ given: GivenNumbers) -> [UInt8] {
        func digits(_ number: UInt64) -> String {
            let text = String(number)
            return String(repeating: "0", count: 20 - text.count) + text
        }
        return Array("given \(digits(given.job)) \(digits(given.notice))\n".utf8)
    }

    /// Records newer numbers. Not synced: it survives the broker, and after a power cut the database decides.
    func note(_ given: GivenNumbers) {
        // If the disk has just accepted them, this fails only briefly, and the next numbers are written again.
        try? file.write(Self.line(given), at: givenOffset)
    }

    /// The content of the file at `path`; nil if it is missing or a copy.
    static func read(_ path: String) throws(SystemFailure) -> Text? {
        guard try FileSystem.status(of: path, followingLink: false) != nil else { return nil }
        let file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW, operation: "open")
        let bytes = try file.read(min(bytesMax, try file.status().byteCount), at: 0)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
        func words(_ name: String) -> [Substring] {
            lines.first { $0.first.map { $0 == name } ?? false }.map { Array($0.dropFirst()) } ?? []
        }
        let (origin, given) = (words("origin").compactMap { UInt64($0) }, words("given").compactMap { UInt64($0) })
        guard origin.count == 3, given.count == 2,
            FileOrigin(inode: origin[0], birth: origin[1], generation: origin[2]).isSame(as: try file.origin())
        else { return nil }
        return Text(lives: words("lives").map(String.init), given: GivenNumbers(job: given[0], notice: given[1]))
    }
}
