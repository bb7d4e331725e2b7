import Glibc

/// A file on its way to its name: until it is whole it lies beside its target under a temporary name. Whoever looks at the
/// target sees the old file or the new one, never a part.
///
/// Used by one thread at a time. It ends with `publish` or `discard`; until then it is one of the `Leftovers`.
package struct PendingFile: Sendable {
    /// How often the target's folder is made anew when another, who had made it first, takes it away again.
    private static let folderTriesMax = 8

    /// Where the file goes: the path, or where it leads when it is a link.
    package let target: String
    package let temporary: String
    private let folder: String
    /// nil when it has ended.
    private var file: FileDescriptor?
    /// Those that were made for it, the outermost first.
    private let madeFolders: [String]
    /// Whether a file that has the name by then is replaced.
    private let replaces: Bool
    package private(set) var byteCount = 0

    /// Makes the temporary file, and the target's folder if it is missing.
    ///
    /// - Parameters:
    ///   - tag: in the temporary name; a file that has it is an earlier life's of this very file, and is removed. nil: a
    ///     new one.
    ///   - mode: permissions, before the process's mask; of a file that is to be replaced those that it has of them.
    ///   - replaces: whether a file that has the target's name may be replaced, now and when this one is published.
    /// - Throws: also where the target is no file that could be replaced: `EISDIR`, `EEXIST`.
    package init(
        target path: String, tag: String? = nil, mode: UInt32 = 0o666, makesFolders: Bool = true, replaces: Bool = true
    ) throws(SystemFailure) {
        let found = try FileSystem.status(of: path)
        if let found, found.kind != .regular || !replaces {
            throw SystemFailure(operation: "replace", errno: found.isFolder ? EISDIR : EEXIST)
        }
        target = FileSystem.resolvingLink(path)
        let (folder, name) = target.splitPath()
        self.folder = folder.isEmpty ? "." : folder
        self.replaces = replaces
        let temporary = folder.appendingPath(Self.temporaryName(for: name, tag: tag))
        self.temporary = temporary
        if tag != nil { unlink(temporary) }
        var made: [String] = []
        var tries = 0
        while true {
            do throws(SystemFailure) {
                if makesFolders { try FileSystem.makeFolders(self.folder, made: &made) }
                file = try Leftovers.add { () throws(SystemFailure) in
                    let file = try FileDescriptor(
                        opening: temporary, flags: O_CREAT | O_EXCL | O_WRONLY, mode: mode, operation: "create")
                    return (temporary, file)
                }
                break
            } catch {
                // Who gives up a file in the same new folder removes the folder, perhaps just now.
                tries += 1
                if error.errno == ENOENT, makesFolders, tries < Self.folderTriesMax { continue }
                Self.removeFolders(made)
                throw error
            }
        }
        madeFolders = made
        if let found { file?.setMode(found.mode & mode) }
    }

    /// Writes a whole file; its folder has to be there. Nothing is left behind when this throws.
    package static func write(
        _ bytes: [UInt8], to path: String, tag: String? = nil, mode: UInt32 = 0o666, replaces: Bool = true
    ) throws(SystemFailure) {
        var file = try PendingFile(target: path, tag: tag, mode: mode, makesFolders: false, replaces: replaces)
        do throws(SystemFailure) {
            try file.write(bytes)
            try file.sync()
            try file.publish()
        } catch {
            file.discard()
            throw error
        }
    }

    /// `.NAME.TAG.part`, the name cut so that the whole stays within 255 bytes; eight random digits without a tag.
    private static func temporaryName(for name: String, tag: String?) -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        let tag = tag ?? String(repeating: "0", count: 8 - digits.count) + digits
        var stem = name
        while stem.utf8.count + tag.utf8.count > 255 - 7 { stem.removeLast() }
        return ".\(stem).\(tag).part"
    }

    /// Appends; it can only be discarded when this throws.
    package mutating func write(_ bytes: [UInt8]) throws(SystemFailure) {
        guard let file else { throw SystemFailure(operation: "write", errno: EBADF) }
        try file.write(bytes)
        file.beginSync(of: byteCount..<(byteCount + bytes.count))
        byteCount += bytes.count
    }

    /// Brings what was written to the disk.
    package func sync() throws(SystemFailure) {
        guard let file else { throw SystemFailure(operation: "finish", errno: EBADF) }
        try file.sync()
    }

    /// Gives the file its name; to be called after `sync`.
    /// - Throws: also `EEXIST`, where nothing may be replaced and another has taken the name since.
    package mutating func publish() throws(SystemFailure) {
        if replaces {
            guard rename(temporary, target) == 0 else { throw SystemFailure(operation: "rename", errno: errno) }
        } else {
            try FileSystem.renameToNew(temporary, target)
        }
        file = nil
        Leftovers.forget(temporary)
        // The name is in place; that it is not on the disk yet does not undo it.
        try? FileSystem.syncFolder(folder)
    }

    /// Removes the temporary file, and the folders that were made for it if nothing else is in them. Nothing after
    /// `publish`.
    package mutating func discard() {
        guard file != nil else { return }
        file = nil
        unlink(temporary)
        Leftovers.forget(temporary)
        Self.removeFolders(madeFolders)
    }

    private static func removeFolders(_ folders: [String]) {
        for folder in folders.reversed() { rmdir(folder) }
    }
}
