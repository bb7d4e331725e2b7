import CFuzzer

/// What is tried with each input; the driver takes a function without a context.
nonisolated(unsafe) private var trial: ([UInt8]) -> Void = { _ in }

/// Hands the process to libFuzzer, which calls `body` with one input after the other; returns its exit code.
public func fuzz(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ body: @escaping ([UInt8]) -> Void
) -> Int32 {
    trial = body
    var count = count
    var arguments = arguments
    return LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        trial(Array(UnsafeBufferPointer(start: data, count: size)))
        return 0
    }
}
