import CSystem
import Glibc
import InkSystem

/// Settings of the C library's allocator, and the memory that the system reports for this process.
package enum ProcessMemory {
    /// Returns freed blocks of 8 MiB and more to the system at once.
    ///
    /// Projects and images are large and short-lived. By itself glibc keeps up to 32 MB of a size, once such a block
    /// has been freed, for each thread (mallopt(3), M_MMAP_THRESHOLD): a run over four projects of 98 MB peaked at 737
    /// MB instead of 460 MB. The buffers of tiles are smaller and stay cheap.
    ///
    /// What is smaller stays with the thread that freed it, up to as much: setting the one threshold leaves the other
    /// at 128 KiB, and then every buffer of a tile is given back and had again, page by page.
    ///
    /// - Parameter byteCount: in place of 8 MiB, at least 1 MiB. A broker has no tiles, and answers of megabytes.
    package static func returnLargeBlocks(from byteCount: Int32 = 8 << 20) {
        // A library without these settings only keeps more memory.
        _ = mallopt(M_MMAP_THRESHOLD, byteCount)
        _ = mallopt(M_TRIM_THRESHOLD, byteCount)
    }

    /// Has the process end in words where it is refused memory that it cannot do without. Where its address space is
    /// limited threads share a heap, of which each takes 64 MiB of it by itself, whatever it holds.
    package static func liveWithinLimits() {
        ink_explain_exhaustion()
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
            return
        }
        _ = mallopt(M_ARENA_MAX, 1)
    }

    /// Has render threads keep the huge pages of their heaps (`ink_use_huge_pages`): for a process that makes pictures
    /// and ends.
    static func keepHeaps() { _ = mallopt(M_TRIM_THRESHOLD, 48 << 20) }

    /// Gives the calling thread's heap room for the small blocks of a project at once. By itself it grows by a page or
    /// two at a time, and while it does no other thread may have memory: 3,000 times for a project of 5 MB.
    static func growHeap() { ink_use_huge_pages() }

    /// The most of this process that has been resident, bytes; nil where the system does not say.
    package static func peakBytes() -> Int? {
        // Without /proc the system does not say.
        guard let bytes = try? FileSystem.read("/proc/self/status", limitBytes: 1 << 16) else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }
}
