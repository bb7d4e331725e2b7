import CSystem
import Glibc
import InkEngine
import InkProtocol

/// A picture on its way to the disk: a temporary file beside the target, which gets the target's name when it is
/// whole. Whoever looks at the target sees the old file or the new one, never a part.
///
/// Used by one thread.
final class PictureDownload {
    private let path: String
    /// The path, or where it leads when it is a link.
    private let target: String
    private let folder: String
    private let temporary: String
    /// Those that were made for it, outermost first.
    private let madeFolders: [String]
    private var file: OpenFile?
    private let digest = SHA256()
    private var byteCount: UInt64 = 0

    /// Makes the folder, if it is missing, and the temporary file.
    ///
    /// Throws `file`.
    init(to path: String) throws(ClientError) {
        self.path = path
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let reason = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST
            throw .file(path: path, operation: "replace by a picture", errno: reason)
        }
        target = PictureDownload.resolvingLink(path)
        let (folder, name) = PictureDownload.split(target)
        self.folder = folder
        temporary = "\(folder)/\(PictureDownload.temporaryName(for: name))"
        var made: [String] = []
        do throws(ClientError) {
            try PictureDownload.makeFolder(folder, name: path, made: &made)
            file = try OpenFile(creating: temporary, name: path)
        } catch {
            PictureDownload.removeFolders(made)
            throw error
        }
        madeFolders = made
    }

    deinit { discard() }

    /// Appends. Throws `file`; the download can only be discarded then.
    func write(_ bytes: [UInt8]) throws(ClientError) {
        try file?.write(bytes)
        file?.beginSync(offset: byteCount, byteCount: bytes.count)
        digest.update(bytes)
        byteCount += UInt64(bytes.count)
    }

    /// Compares size and SHA-256 with what was announced, brings the file to the disk and gives it its name.
    ///
    /// Throws `badPicture` and `file`; nothing is left of the download then. Once only.
    func finish(_ picture: FinishedPicture) throws(ClientError) {
        defer { discard() }
        guard byteCount == picture.byteCount else {
            throw .badPicture(reason: "\(byteCount) bytes came, \(picture.byteCount) were announced")
        }
        guard digest.finish() == picture.digest else {
            throw .badPicture(reason: "its SHA-256 is not the one that was announced")
        }
        try file?.sync()
        file = nil
        guard rename(temporary, target) == 0 else { throw .file(path: path, operation: "rename", errno: errno) }
        // The name is on the disk once the folder is. A file system that cannot sync folders has no better to offer.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 {
            fsync(descriptor)
            close(descriptor)
        }
    }

    /// Removes the temporary file, if it is there, and the folders that were made for it if nothing else is in them.
    func discard() {
        file = nil
        unlink(temporary)
        PictureDownload.removeFolders(madeFolders)
    }

    private static func removeFolders(_ folders: [String]) {
        for folder in folders.reversed() { rmdir(folder) }
    }

    /// `.NAME.XXXXXXXX.part`, the name cut so that the whole stays within 255 bytes.
    private static func temporaryName(for name: String) -> String {
        var stem = name
        while stem.utf8.count > 255 - 15 { stem.removeLast() }
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return ".\(stem).\(String(repeating: "0", count: 8 - digits.count))\(digits).part"
    }

    /// The folder of a path and its last component.
    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.utf8.index(after: slash)...]))
    }

    private static func resolvingLink(_ path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let resolved = realpath(path, nil) else {
            return path
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func makeFolder(_ folder: String, name: String, made: inout [String]) throws(ClientError) {
        if mkdir(folder, 0o777) == 0 { return made.append(folder) }
        if errno == EEXIST { return }
        guard errno == ENOENT, let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")), slash != folder.startIndex
        else { throw .file(path: name, operation: "make the folder", errno: errno) }
        try makeFolder(String(folder[..<slash]), name: name, made: &made)
        if mkdir(folder, 0o777) == 0 { return made.append(folder) }
        guard errno == EEXIST else { throw .file(path: name, operation: "make the folder", errno: errno) }
    }
}
