import Synchronization

/// A cache for the outlines of solid strokes, for each size of the export, with limited memory. All threads of the
/// process share it.
///
/// It evicts at random. Cells process the strokes of a tile in the same order; if they are too many, the least recently
/// used outline would always be the next one needed.
final class OutlineCache: Sendable {
    static let shared = OutlineCache(limitBytes: 64 << 20)

    private struct Key: Hashable {
        var path: UInt64
        var scale: OutputScale
    }

    private struct Entry {
        let outline: SolidOutline
        let bytes: Int
        /// Index of its key among all keys.
        var place: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var keys: [Key] = []
        /// The sizes for which a path has outlines.
        var scales: [UInt64: [OutputScale]] = [:]
        var bytes = 0
        var chance: UInt64 = 1

        mutating func remove(_ key: Key) {
            guard let entry = entries.removeValue(forKey: key) else { return }
            bytes -= entry.bytes
            let last = keys.removeLast()
            if last != key {
                keys[entry.place] = last
                entries[last]?.place = entry.place
            }
            scales[key.path]?.removeAll { $0 == key.scale }
            if scales[key.path]?.isEmpty == true { scales[key.path] = nil }
        }

        /// A random number below `count` (Knuth's MMIX generator).
        mutating func any(below count: Int) -> Int {
            chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((chance >> 33) % UInt64(count))
        }
    }

    private let limitBytes: Int
    private let state = Mutex(State())

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// Size of all outlines in bytes.
    var bytes: Int { state.withLock { $0.bytes } }

    /// The outline of a path at a size of the export, if cached.
    func outline(of path: UInt64, _ scale: OutputScale) -> SolidOutline? {
        state.withLock { $0.entries[Key(path: path, scale: scale)]?.outline }
    }

    /// Adds an outline, unless it is too large for the cache.
    func keep(_ outline: SolidOutline, of path: UInt64, _ scale: OutputScale) {
        let bytes = outline.byteCount
        guard bytes <= limitBytes else { return }
        let key = Key(path: path, scale: scale)
        state.withLock { state in
            // Another thread may have added it meanwhile.
            guard state.entries[key] == nil else { return }
            while state.bytes + bytes > limitBytes {
                let chosen = state.any(below: state.keys.count)
                state.remove(state.keys[chosen])
            }
            state.entries[key] = Entry(outline: outline, bytes: bytes, place: state.keys.count)
            state.keys.append(key)
            state.scales[path, default: []].append(scale)
            state.bytes += bytes
        }
    }

    /// Removes the outlines of a path that no longer exists.
    func removeOutlines(of path: UInt64) {
        state.withLock { state in
            for scale in state.scales[path] ?? [] { state.remove(Key(path: path, scale: scale)) }
        }
    }
}
