import Glibc
import InkSystem

/// Reads whole files into memory, up to a limit.
public enum InputFile {
    /// Spare capacity of the returned arrays, because the JSON parser may read a little beyond the text.
    package static let spareBytes = 64

    /// The bytes of a regular file.
    ///
    /// - Throws: `io` if the system reports an error, `badInput` for a folder, pipe, socket or device, `overLimit` for
    /// a   file of more than `limitBytes`, before reading it.
    public static func read(path: String, limitBytes: Int) throws(EngineError) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe blocks until it has a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .io(path: path, operation: "open", errno: errno) }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, name: path, limitBytes: limitBytes)
    }

    /// The bytes of an open regular file; `name` is for messages.
    package static func read(descriptor: Int32, name: String, limitBytes: Int) throws(EngineError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .io(path: name, operation: "read", errno: errno) }
        try requireRegular(status.st_mode, name: name)
        guard status.st_size <= limitBytes else {
            throw overLimit(file: name, count: Int(status.st_size), limit: limitBytes)
        }
        return try readToEnd(descriptor, name: name, expected: Int(status.st_size), limitBytes: limitBytes)
    }

    /// The bytes of standard input up to its end.
    ///
    /// - Throws: `io`, `overLimit`.
    public static func readStandardInput(limitBytes: Int) throws(EngineError) -> [UInt8] {
        try readToEnd(0, name: "standard input", expected: 1 << 16, limitBytes: limitBytes)
    }

    /// The names in a folder, without `.` and `..`, sorted by their bytes.
    package static func names(inFolder path: String) throws(EngineError) -> [String] {
        do throws(SystemFailure) {
            return try FileSystem.names(in: path).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            throw .io(path: path, operation: "read the folder", errno: error.errno)
        }
    }

    /// Whether a path is a folder, links followed.
    package static func isFolder(_ path: String) throws(EngineError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .io(path: path, operation: "open", errno: errno) }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    package static func overLimit(file: String, count: Int, limit: Int) -> EngineError {
        .overLimit(Place(file: file), what: "the file", found: "\(count) bytes", limit: "\(limit) bytes")
    }

    private static func requireRegular(_ mode: mode_t, name: String) throws(EngineError) {
        let kind =
            switch mode & S_IFMT {
            case S_IFREG: ""
            case S_IFDIR: "a folder"
            case S_IFIFO: "a named pipe"
            case S_IFSOCK: "a socket"
            case S_IFCHR, S_IFBLK: "a device"
            default: "something else"
            }
        guard kind.isEmpty else { throw .badInput(Place(file: name), reason: "is \(kind), not a regular file") }
    }

    /// Reads until the end, which may be earlier or later than expected if the file changes meanwhile.
    private static func readToEnd(
        _ descriptor: Int32, name: String, expected: Int, limitBytes: Int
    ) throws(EngineError) -> [UInt8] {
        var failure: Int32 = 0
        // Asking for one byte more than expected shows the end.
        var bytes = [UInt8](unsafeUninitializedCapacity: expected + 1 + spareBytes) { buffer, count in
            let buffer = UnsafeMutableRawBufferPointer(buffer)
            count = fillTogether(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[..<expected]))
            failure = fill(descriptor, buffer, upTo: expected + 1, count: &count)
        }
        while failure == 0, bytes.count > expected, bytes.count <= limitBytes {
            let (count, error) = append(descriptor, to: &bytes)
            if count == 0 { break }
            failure = error
        }
        guard failure == 0 else { throw .io(path: name, operation: "read", errno: failure) }
        guard bytes.count <= limitBytes else {
            throw .overLimit(
                Place(file: name), what: "the file", found: "more than \(limitBytes) bytes",
                limit: "\(limitBytes) bytes")
        }
        return bytes
    }

    /// Reads a large file from its beginning in several threads, because the system takes time for new pages. Returns
    /// the number of bytes read: all, or none if the file is not large or has become shorter.
    private static func fillTogether(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let partBytes = 1 << 20
        guard buffer.count >= 4 * partBytes, lseek(descriptor, 0, SEEK_CUR) == 0 else { return 0 }
        nonisolated(unsafe) let buffer = buffer
        let isWhole = ParallelWork.perform((buffer.count + partBytes - 1) / partBytes) { part in
            var at = part * partBytes
            let end = min(at + partBytes, buffer.count)
            while at < end {
                let result = pread(descriptor, buffer.baseAddress! + at, end - at, off_t(at))
                if result > 0 {
                    at += result
                } else if result == 0 || errno != EINTR {
                    return false
                }
            }
            return true
        }
        guard isWhole, lseek(descriptor, off_t(buffer.count), SEEK_SET) == buffer.count else { return 0 }
        return buffer.count
    }

    /// Reads until `count` reaches `upTo` or the input ends. Returns the error number, 0 for none.
    private static func fill(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, upTo end: Int, count: inout Int
    ) -> Int32 {
        while count < end {
            let result = Glibc.read(descriptor, buffer.baseAddress! + count, end - count)
            if result == 0 { return 0 }
            if result > 0 {
                count += result
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Reads up to 1 MiB into the array's tail. Returns the number of bytes, and the error number, 0 for none.
    private static func append(_ descriptor: Int32, to bytes: inout [UInt8]) -> (count: Int, failure: Int32) {
        var failure: Int32 = 0
        let part = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
            failure = fill(descriptor, UnsafeMutableRawBufferPointer(buffer), upTo: 1 << 20, count: &count)
        }
        bytes.append(contentsOf: part)
        return (part.count, failure)
    }
}
