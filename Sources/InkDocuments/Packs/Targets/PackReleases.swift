import Glibc
import InkCodecs
package import InkEngine
import InkJSON
import InkSystem

extension PackRelease {
    /// The largest number in a release.
    private static let numberMax = 99_999

    /// The release that follows: the last number is one higher; nil where it would be too large.
    package var bumped: PackRelease? {
        patch < Self.numberMax ? PackRelease(major: major, minor: minor, patch: patch + 1) : nil
    }

    /// The release in a file that is there: `[1, 4, 0]` or `"1.4.0"` at some keys; nil for anything else.
    package init?(of json: [UInt8], at keys: [String]) {
        // What is no JSON has no release.
        guard var value = try? JSONReader.read(json) else { return nil }
        for key in keys {
            guard let next = value[key] else { return nil }
            value = next
        }
        let numbers = value.array?.map { $0.wholeNumber.map(String.init) ?? "" }.joined(separator: ".")
        self.init(numbers ?? value.string ?? "")
    }

    /// The release in an archive that is there; nil where there is none, or no archive that this program may have made.
    ///
    /// - Throws: `io`, if there is a file that cannot be opened.
    package static func read(
        archive path: String, _ place: (file: String, keys: [String])
    ) throws(EngineError) -> PackRelease? {
        let file = try EngineError.wrapping { () throws(SystemFailure) -> FileDescriptor? in
            guard try FileSystem.status(of: path)?.kind == .regular else { return nil }
            // Without O_NONBLOCK, opening a pipe would wait for a writer.
            return try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK, operation: "open")
        }
        guard let file else { return nil }
        do throws(SystemFailure) {
            let reader = try ZipArchiveReader(file)
            guard let entry = try reader.entry(named: place.file), entry.bytes.count <= manifestBytesMax else {
                return nil
            }
            return PackRelease(of: try reader.bytes(of: entry, deflatedMax: manifestBytesMax), at: place.keys)
        } catch {
            // Something else has the name: it is replaced as a file without a release.
            return nil
        }
    }

    private static let manifestBytesMax = 1 << 20
}

/// What to do where an archive is already there: a game replaces a pack of the same UUID only by a higher release.
package enum ReleaseStep: Hashable, Sendable {
    /// Write this release.
    case write(PackRelease)
    /// Make the bundle as this release: if it has the same bytes it is unchanged, else `ReleaseStep.different` decides.
    case compare(PackRelease)

    /// - Parameters:
    ///   - own: the pack's release.
    ///   - old: that of the archive that is there; nil for none.
    package static func first(own: PackRelease, old: PackRelease?) -> ReleaseStep {
        guard let old, own <= old else { return .write(own) }
        return .compare(old)
    }

    /// The release of a bundle that differs from the one that is there, whose release is not lower.
    package struct Different: Hashable, Sendable {
        package var release: PackRelease
        /// Says that a game will not take it for newer; an error where warnings are errors.
        package var warning: String?
    }

    /// - Parameter bumps: whether the release may be raised.
    /// - Throws: `badInput` where no release follows.
    package static func different(
        own: PackRelease, old: PackRelease, bumps: Bool, file: String, archive: String
    ) throws(EngineError) -> Different {
        guard bumps else {
            return Different(
                release: own,
                warning:
                    "\(archive): release \(old) is there already, with other content: a game that has it will not take "
                    + "release \(own) for newer; raise \"release\" or pass --bump")
        }
        guard let next = old.bumped else {
            throw .badInput(
                Place(file: file, path: "release"),
                reason: "no release follows \(old), which is there already: raise the first or the second number")
        }
        return Different(release: next)
    }
}
