import CSystem

/// What the program asks of the C library's allocator.
enum ProcessMemory {
    /// Lets blocks of 8 MiB and more go straight back to the system when they are freed.
    ///
    /// Projects and images are large and short-lived. By itself glibc keeps up to 32 MB of a size, once such a block has
    /// been freed, for each thread (mallopt(3), M_MMAP_THRESHOLD): a run over four projects of 98 MB peaked at 737 MB
    /// instead of 460 MB. The buffers of tiles are smaller and stay cheap.
    ///
    /// What is smaller stays with the thread that freed it, up to as much: setting the one threshold leaves the other at
    /// 128 KiB, and then every buffer of a tile is given back and had again, page by page.
    static func returnLargeBlocks() {
        // A library that does not know the settings only keeps more memory.
        _ = mallopt(M_MMAP_THRESHOLD, 8 << 20)
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
    }
}
