import CSystem
import Glibc

/// What the program asks of the C library's allocator, and what the system says of its memory.
enum ProcessMemory {
    /// Lets blocks of 8 MiB and more go straight back to the system when they are freed, and keeps smaller ones, in huge
    /// pages where the system has them.
    ///
    /// Projects and images are large and short-lived. By itself glibc keeps up to 32 MB of a size, once such a block has
    /// been freed, for each thread (mallopt(3), M_MMAP_THRESHOLD): a run over four projects of 98 MB peaked at 737 MB
    /// instead of 460 MB.
    ///
    /// What is smaller stays with the heap of the thread that had it. Heaps begin at their full size, of which nothing is
    /// resident before it is used: by itself glibc has them larger and smaller by 128 KiB, and every page's first touch
    /// interrupts the thread, a tenth of the time of an export at 2K. `PosixThread` does its part of it.
    static func setUp() {
        // A library or a system that does not know the settings only takes longer or keeps more memory.
        _ = mallopt(M_MMAP_THRESHOLD, 8 << 20)
        _ = mallopt(M_TOP_PAD, heapBytes)
        _ = mallopt(M_TRIM_THRESHOLD, heapBytes)
        // More than is left of the main thread's heap makes it larger.
        guard let block = malloc(1 << 20) else { return }
        defer { free(block) }
        let hugePageBytes: UInt = 2 << 20
        let start = (UInt(bitPattern: block) | (hugePageBytes - 1)) + 1
        let end = UInt(bitPattern: sbrk(0))
        if start < end { _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_HUGEPAGE) }
    }

    private static let heapBytes: Int32 = 128 << 20

    /// Gives free memory back and begins a new peak; false where the system has no such switch.
    static func beginPeak() -> Bool {
        _ = malloc_trim(0)
        let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        // 5: the peak becomes what is resident now (proc(5)).
        return write(file, "5", 1) == 1
    }

    /// The most that has been resident since the peak began, bytes; nil where the system does not say.
    static func peakBytes() -> Int? {
        guard let bytes = try? FileSystem.read("/proc/self/status", limitBytes: 1 << 16) else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }
}
