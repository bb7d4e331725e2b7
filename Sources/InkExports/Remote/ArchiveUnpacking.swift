import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem

/// The files of a picture, as they come out of the archive that a broker sends for them.
struct ArchiveUnpacking {
    /// The archive; removed when its files are there.
    var archive: String
    /// The files' paths, in the archive's order.
    var outputs: [String]
    /// What these are: of a folder there is an archive in the archive.
    var formats: [PictureFormat]
    var replacesFiles: Bool

    private static let copiedBytes = 1 << 20

    /// Writes all files, then gives each its name.
    ///
    /// - Returns: size and SHA-256 of each file; of a folder, the size of its files.
    /// - Throws: if the archive has other files than these, or a file cannot be read or written; what has no name yet is
    ///   then removed.
    func run() throws(PictureFailure) -> [WrittenFile] {
        defer { unlink(archive) }
        var files: [any OutputFile] = []
        do throws(PictureFailure) {
            let source = try wrapping(try FileDescriptor(opening: archive, flags: O_RDONLY, operation: "open"))
            var written: [WrittenFile] = []
            var offset = 0
            for (output, format) in zip(outputs, formats) {
                let block = try wrapping(try source.read(PictureArchive.blockBytes, at: offset))
                guard let head = PictureArchive.file(ofHeader: block) else {
                    throw PictureFailure(
                        kind: .internalError, reason: "\(output): missing in what the broker has sent of the picture")
                }
                offset += PictureArchive.blockBytes
                files.append(try wrapping(try format.makeOutput(output, replaces: replacesFiles)))
                let digest = SHA256()
                var left = head.byteCount
                while left > 0 {
                    let count = min(left, ArchiveUnpacking.copiedBytes)
                    let bytes = try wrapping(try source.read(count, at: offset))
                    digest.update(bytes)
                    try wrapping(try files[files.count - 1].write(bytes))
                    offset += count
                    left -= count
                }
                offset +=
                    (PictureArchive.blockBytes - head.byteCount % PictureArchive.blockBytes)
                    % PictureArchive.blockBytes
                written.append(WrittenFile(byteCount: head.byteCount, digest: format.isFolder ? [] : digest.finish()))
            }
            for index in files.indices { try wrapping(try files[index].sync()) }
            for index in files.indices { try wrapping(try files[index].publish()) }
            // A folder's files together are another size than their archive.
            for index in files.indices { written[index].byteCount = files[index].byteCount }
            return written
        } catch {
            for index in files.indices { files[index].discard() }
            throw error
        }
    }

    private func wrapping<T>(_ value: @autoclosure () throws(SystemFailure) -> T) throws(PictureFailure) -> T {
        try rethrowing(try value()) { PictureFailure(EngineError($0)) }
    }
}
