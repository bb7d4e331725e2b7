#if canImport(Glibc)
    import Glibc
#endif
package import InkEngine
package import InkSystem

/// The file that a layered picture is written to, with the checksum of all that has been written.
package struct LayeredSink: ~Copyable {
    private static let copiedBytes = 1 << 20

    private var file: PendingFile
    package private(set) var crc: UInt32 = 0
    package var byteCount: Int { file.byteCount }

    /// Takes over a file that nothing has been written to.
    package init(_ file: consuming PendingFile) { self.file = file }

    /// Appends bytes.
    package mutating func write(_ bytes: [UInt8]) throws(EngineError) {
        guard !bytes.isEmpty else { return }
        do throws(SystemFailure) { try file.write(bytes) } catch { throw EngineError(error) }
        crc = crc32(bytes, seed: crc)
    }

    /// Replaces bytes; the checksum remains that of the old ones.
    ///
    /// - Throws: `io`.
    package mutating func patch(_ bytes: [UInt8], at offset: Int) throws(EngineError) {
        do throws(SystemFailure) { try file.patch(bytes, at: offset) } catch { throw EngineError(error) }
    }

    /// Appends a part of another file.
    ///
    /// - Throws: `io`.
    package mutating func copy(_ source: FileDescriptor, range: Range<Int>) throws(EngineError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(LayeredSink.copiedBytes, range.upperBound - offset)
            try write(EngineError.wrapping { () throws(SystemFailure) in try source.read(count, at: offset) })
            offset += count
        }
    }

    /// Syncs the file and gives it back, to be published; after an error, to be discarded.
    package consuming func finish() -> (file: PendingFile, failure: EngineError?) {
        do throws(SystemFailure) {
            try file.sync()
            return (file, nil)
        } catch {
            let failure = EngineError(error)
            return (file, failure)
        }
    }

    /// Gives the file back, to be discarded.
    package consuming func abandon() -> PendingFile { file }
}
