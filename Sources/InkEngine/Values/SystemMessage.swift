#if canImport(Glibc)
    import Glibc
#endif

/// The system's message for an error number.
public func systemMessage(_ errno: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    return buffer.withUnsafeMutableBufferPointer { text in
        // The XSI form of strerror_r fills the buffer; it is thread-safe, strerror is not.
        guard let base = text.baseAddress, strerror_r(errno, base, text.count) == 0 else { return "error \(errno)" }
        return String(cString: base)
    }
}
