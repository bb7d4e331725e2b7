import InkCodecs
import InkProtocol
import InkSystem

/// The files of one picture and the temporary stores beside them, as a `PictureAssembler` numbers them; used by one
/// thread at a time.
final class PictureFiles: Sendable {
    private let writers: [PictureWriter]
    private let stores: Stores

    /// Bytes that are copied at once from a store.
    private static let copiedBytes = 1 << 20

    /// Nameless files in the folder of the first file, on the disk that has to hold the picture anyway.
    private final class Stores: @unchecked Sendable {
        var files: [Int: (file: NamelessFile, byteCount: Int)] = [:]
    }

    /// - Precondition: there is at least one writer.
    init(_ writers: [PictureWriter]) {
        self.writers = writers
        stores = Stores()
    }

    /// What there is of the first file.
    var unfinished: UnfinishedPicture { writers[0].unfinished }

    /// - Throws: `BrokerError.output`; everything must then be discarded.
    func carryOut(_ writes: [PictureWrite]) throws(BrokerError) {
        for write in writes {
            switch write {
            case .append(let bytes, let stream): try append(bytes, to: stream)
            case .patch(let bytes, let offset, let stream): try patch(bytes, at: offset, of: stream)
            case .move(let store, let stream):
                // Nothing was ever appended to it.
                guard let whole = stores.files[store] else { continue }
                try copy(store, 0..<whole.byteCount, to: stream)
                stores.files[store] = nil
            case .copy(let store, let offset, let count, let stream):
                try copy(store, offset..<(offset + count), to: stream)
            case .refuse(let error): throw .refused(error)
            }
        }
    }

    private func append(_ bytes: [UInt8], to stream: Int) throws(BrokerError) {
        guard stream >= writers.count else { return try writers[stream].write(bytes) }
        guard !bytes.isEmpty else { return }
        let folder = writers[0].target.splitPath().folder
        var store = stores.files[stream] ?? (NamelessFile(in: folder.isEmpty ? "." : folder), 0)
        try asOutput { () throws(SystemFailure) in try store.file.write(bytes, at: store.byteCount) }
        store.byteCount += bytes.count
        stores.files[stream] = store
    }

    private func patch(_ bytes: [UInt8], at offset: Int, of stream: Int) throws(BrokerError) {
        guard stream >= writers.count else { return try writers[stream].patch(bytes, at: offset) }
        guard let store = stores.files[stream], offset >= 0, offset + bytes.count <= store.byteCount else {
            throw .internalError("\(writers[0].target): no bytes \(offset) of store \(stream) to replace")
        }
        try asOutput { () throws(SystemFailure) in try store.file.write(bytes, at: offset) }
    }

    private func copy(_ from: Int, _ range: Range<Int>, to stream: Int) throws(BrokerError) {
        guard let store = stores.files[from], range.upperBound <= store.byteCount else {
            throw .internalError("\(writers[0].target): no bytes \(range) of store \(from)")
        }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(PictureFiles.copiedBytes, range.upperBound - offset)
            let bytes = try asOutput { () throws(SystemFailure) in try store.file.read(count, at: offset) }
            try append(bytes, to: stream)
            offset += count
        }
    }

    private func asOutput<T>(_ body: () throws(SystemFailure) -> T) throws(BrokerError) -> T {
        do throws(SystemFailure) { return try body() } catch {
            throw .output(path: writers[0].target, operation: error.operation, errno: error.errno)
        }
    }

    /// Flushes all files to the disk, then gives each its name.
    ///
    /// - Parameter seal: called between the two steps, where the picture is a single file.
    /// - Throws: `BrokerError.output`; files that have no name yet are then removed.
    func finish(
        seal: ((_ target: String, _ temporary: String, WrittenFile) throws(BrokerError) -> Void)?
    ) throws(BrokerError) -> [WrittenFile] {
        if writers.count == 1 { return [try writers[0].finish(seal: seal)] }
        do throws(BrokerError) {
            var pictures: [WrittenFile] = []
            for writer in writers { pictures.append(try writer.sync()) }
            for writer in writers { try writer.publish() }
            return pictures
        } catch {
            discard()
            throw error
        }
    }

    /// Removes what has no name yet.
    func discard() { for writer in writers { writer.discard() } }
}
