import Glibc
import InkProtocol
import InkSystem

/// The highest numbers that a broker has assigned; starting lower would assign them again.
struct GivenNumbers: Hashable, Sendable {
    var job: JobNumber = 0
    var notice: UInt64 = 0
}

/// Identifies the last run ("life") of a broker on a data folder. Each run creates the file anew.
///
///     origin INODE BIRTH GENERATION      of this file
///     lives NAME NAME ...
///     given JOB NOTICE                   20 digits each; overwritten in place
///
/// The file contains its own `FileOrigin`. A copy is therefore recognised, even if it has the inode number of the
/// original, or was written over a later file.
final class LifeFile: Sendable {
    struct Text: Hashable, Sendable {
        var lives: [String]
        var given: GivenNumbers
    }

    static let bytesMax = 4096

    private let file: FileDescriptor
    private let givenOffset: Int

    /// Makes the file; an existing one is replaced atomically.
    init(making path: String, _ text: Text) throws(SystemFailure) {
        let temporary = path + ".new"
        // Left by a life that crashed: its origin must not be reused.
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

    /// Records newer numbers. It is not synced: the file survives the broker, and after a power failure the database
    /// decides.
    func note(_ given: GivenNumbers) {
        // The disk has just accepted these numbers, so failures here are temporary; the next numbers are written again.
        try? file.write(Self.line(given), at: givenOffset)
    }

    /// The contents of the file at `path`; nil if it is missing or a copy.
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
