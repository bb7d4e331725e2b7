import InkCodecs
import InkEngine
import InkProtocol
import InkSystem

/// A picture being written, which is renamed when complete.
///
/// Used by one thread.
final class PictureDownload {
    private var file: any OutputFile
    private let isFolder: Bool
    private let digest = SHA256()

    /// Makes the folder, if it is missing, and the temporary file.
    ///
    /// - Throws: `file`.
    init(to path: String, as format: PictureFormat, replaces: Bool = true) throws(ClientError) {
        isFolder = format.isFolder
        file = try ClientError.wrapping { () throws(SystemFailure) in
            try format.makeOutput(path, replaces: replaces)
        }
    }

    deinit { discard() }

    /// Appends. Throws `file`; the download must then be discarded.
    func write(_ bytes: [UInt8]) throws(ClientError) {
        try ClientError.wrapping { () throws(SystemFailure) in try file.write(bytes) }
        digest.update(bytes)
    }

    /// Compares size and SHA-256 with the notice, then syncs and renames the file. Call it once. Returns the bytes of
    /// all files of a folder.
    ///
    /// - Throws: `damagedPicture` and `file`; nothing is then left of the download.
    func finish(_ picture: PictureReport, of job: JobNumber) throws(ClientError) -> Int? {
        defer { discard() }
        // Each message has a checksum, so a difference was already present at the broker.
        guard file.byteCount == picture.byteCount, digest.finish() == picture.digest else {
            throw .damagedPicture(job)
        }
        try ClientError.wrapping { () throws(SystemFailure) in
            try file.sync()
            try file.publish()
        }
        return isFolder ? file.byteCount : nil
    }

    /// Removes the unfinished file; does nothing after `finish`.
    func discard() { file.discard() }
}
