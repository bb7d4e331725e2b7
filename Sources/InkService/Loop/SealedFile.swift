import Glibc
import InkProtocol
import InkStore
import InkSystem
import Synchronization

/// Publishes pictures that were complete when an earlier life of the broker ended.
enum SealedFile {
    /// Renames a complete picture from its temporary name. Returns whether it succeeded.
    static func publish(_ seal: SealedPicture) -> Bool {
        guard seal.picture.isFile(at: seal.temporary), rename(seal.temporary, seal.target) == 0 else { return false }
        // The file has its name, even if the folder is not synced yet.
        try? FileSystem.syncFolder(seal.target.splitPath().folder)
        return true
    }
}

/// The pictures that the broker keeps for its clients.
enum PictureFolder {
    static func path(of job: JobNumber, in data: DataFolder) -> String { "\(data.picturesFolder)/\(job).png" }

    /// The jobs that have a picture in the folder.
    static func jobs(in data: DataFolder) -> [JobNumber] {
        data.pictureNames.compactMap { name in
            name.hasSuffix(".png") ? JobNumber(name.dropLast(4)).flatMap { "\($0).png" == name ? $0 : nil } : nil
        }
    }

    /// A small picture of a job, for a screen.
    static func previewPath(of job: JobNumber, in data: DataFolder) -> String { "\(data.path)/previews/\(job).png" }

    static func remove(_ job: JobNumber, from data: DataFolder, _ contents: ContentFolder) {
        unlink(previewPath(of: job, in: data))
        let path = path(of: job, in: data)
        var status = stat()
        guard stat(path, &status) == 0, unlink(path) == 0 else { return }
        contents.release(bytes: Int(status.st_size))
    }
}

/// Reserves quota for a picture that is about to be kept.
final class PictureReservation: Sendable {
    private let contents: ContentFolder
    private let bytes = Mutex(0)

    init(in contents: ContentFolder) { self.contents = contents }

    /// - Throws: `quota`.
    func take(bytes count: Int) throws(StoreError) {
        try contents.reserve(bytes: count)
        bytes.withLock { $0 += count }
    }

    /// Call this if there will be no picture.
    func giveBack() {
        let count = bytes.withLock { bytes in
            defer { bytes = 0 }
            return bytes
        }
        contents.release(bytes: count)
    }
}
