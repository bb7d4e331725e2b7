#if canImport(Glibc)
    import Glibc
#endif
package import InkEngine
package import InkSystem

/// The file that a layered picture is written to, with the checksum of all that has been written.
package struct LayeredSink: ~Copyable {
    private static let copiedBytes = 1 << 20

    private let path: String
    private var file: PendingFile
    package private(set) var crc: UInt32 = 0
    package var byteCount: Int { file.byteCount }

    /// Takes over a file that nothing has been written to.
    /// - Parameter path: names it in errors.
    package init(_ file: consuming PendingFile, path: String) {
        self.file = file
        self.path = path
    }

    /// Appends bytes.
    package mutating func write(_ bytes: [UInt8]) throws(EngineError) {
        guard !bytes.isEmpty else { return }
        do throws(SystemFailure) { try file.write(bytes) } catch { throw fault(error) }
        crc = crc32(bytes, seed: crc)
    }

    /// Replaces bytes; the checksum remains that of the old ones.
    ///
    /// - Throws: `io`.
    package mutating func patch(_ bytes: [UInt8], at offset: Int) throws(EngineError) {
        do throws(SystemFailure) { try file.patch(bytes, at: offset) } catch { throw fault(error) }
    }

    /// Appends a part of another file.
    ///
    /// - Throws: `io`.
    package mutating func copy(
        _ source: FileDescriptor, path: String, range: Range<Int>
    ) throws(EngineError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(LayeredSink.copiedBytes, range.upperBound - offset)
            let bytes: [UInt8]
            do throws(SystemFailure) { bytes = try source.read(count, at: offset) } catch {
                throw .io(path: path, operation: error.operation, errno: error.errno)
            }
            try write(bytes)
            offset += count
        }
    }

    /// Syncs the file and gives it back, to be published; after an error, to be discarded.
    package consuming func finish() -> (file: PendingFile, failure: EngineError?) {
        do throws(SystemFailure) {
            try file.sync()
            return (file, nil)
        } catch {
            let failure = EngineError.io(path: path, operation: error.operation, errno: error.errno)
            return (file, failure)
        }
    }

    /// Gives the file back, to be discarded.
    package consuming func abandon() -> PendingFile { file }

    private func fault(_ failure: SystemFailure) -> EngineError {
        .io(path: path, operation: failure.operation, errno: failure.errno)
    }
}
