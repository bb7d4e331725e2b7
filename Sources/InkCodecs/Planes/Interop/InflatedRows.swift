import CZlib

/// Rows in a stream of zlib.
package final class InflatedRows: PlaneRows {
    private let stream: UnsafeMutablePointer<z_stream>
    private let bytes: UnsafeBufferPointer<UInt8>
    private let rowBytes: Int
    private var offset = 0

    /// - Parameter bytes: must outlive the rows.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, rowBytes: Int) throws(PlaneFault) {
        self.bytes = bytes
        self.rowBytes = rowBytes
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw PlaneFault(reason: "zlib cannot be set up")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    package func next(into row: UnsafeMutablePointer<UInt8>) throws(PlaneFault) {
        stream.pointee.next_out = row
        stream.pointee.avail_out = UInt32(rowBytes)
        while stream.pointee.avail_out > 0 {
            if stream.pointee.avail_in == 0 {
                let count = min(bytes.count - offset, 1 << 30)
                guard count > 0, let base = bytes.baseAddress else { throw .early }
                stream.pointee.next_in = UnsafeMutablePointer(mutating: base + offset)
                stream.pointee.avail_in = UInt32(count)
                offset += count
            }
            let status = inflate(stream, Z_NO_FLUSH)
            if status == Z_STREAM_END, stream.pointee.avail_out > 0 { throw .early }
            guard status == Z_OK || status == Z_STREAM_END else { throw .damaged }
        }
    }
}
