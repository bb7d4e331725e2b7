import CJSON

/// A project's text without its bulk, the points of strokes and the images, which are read straight from the text.
///
/// A document of the whole text takes 12 bytes of memory a number and a copy of every image, and most of the time of a
/// reading. What stands for a value that was left out, `ink_json_reduction.h` describes.
final class ProjectText {
    private let reduction: OpaquePointer
    private let text: UnsafeBufferPointer<UInt8>
    private let pieces: UnsafeBufferPointer<ink_json_piece>
    private var isRead: [Bool]
    /// Reads the points ahead.
    private let reading: PointReading
    /// The pieces of points that somebody wants.
    private var awaited: [Int] = []

    private var hasUnsound = false
    /// Whether the rest seems to be of a project with an infinite canvas, whose coordinates may be larger.
    let isInfinite: Bool

    /// nil when there is nothing to leave out, or something that can only be read with the rest.
    ///
    /// - Parameter text: UTF-8 without a byte order mark; has to outlive this until `stopReading`.
    init?(_ text: UnsafeBufferPointer<UInt8>, limits: Limits) {
        // More than a project may have of strokes and images; such a text is refused however it is read.
        let piecesMax = max(0, limits.strokes &+ 2 &* limits.layers &+ 16)
        guard let base = text.baseAddress, let reduction = ink_json_reduce(base, text.count, piecesMax) else {
            return nil
        }
        self.reduction = reduction
        self.text = text
        var count = 0
        let pieces = ink_json_reduction_pieces(reduction, &count)
        self.pieces = UnsafeBufferPointer(start: pieces, count: count)
        isInfinite = ink_json_reduction_holds(reduction, "\"infinite\"") != 0
        reading = PointReading(
            of: self.pieces, in: text, limits: limits,
            coordinateMax: isInfinite ? max(limits.coordinate, Limits.worldCoordinate) : limits.coordinate)
        isRead = Array(repeating: false, count: count)
    }

    deinit { ink_json_reduction_free(reduction) }

    /// The rest, with `INK_JSON_PADDING` bytes behind it.
    var rest: UnsafeBufferPointer<UInt8> {
        var count = 0
        let start = ink_json_reduction_text(reduction, &count)
        return UnsafeBufferPointer(start: start, count: count)
    }

    /// Whether all that was left out has been read and is sound, and so the whole text.
    var isSound: Bool { !hasUnsound && !isRead.contains(false) }

    /// How many elements the array has that `value` stands for; nil when it stands for none.
    func pointCount(of value: JSONNode) -> Int? { piece(of: value).map { pieces[$0].count } }

    /// Leaves the points of the array that `value` stands for to `readPoints`; false when it stands for none.
    func awaitPoints(of value: JSONNode) -> Bool {
        guard let index = piece(of: value) else { return false }
        isRead[index] = true
        awaited.append(index)
        return true
    }

    /// All points that were left to this, one array after the other; to be called when the rest has been read. What is not
    /// sound is empty, and all is when something was left out that nobody asked for.
    func readPoints() -> [[StrokePoint]] {
        guard !isRead.contains(false) else { return [] }
        let arrays = reading.finish()
        hasUnsound = hasUnsound || awaited.contains { arrays[$0].count != pieces[$0].count }
        return awaited.map { arrays[$0] }
    }

    /// To be called before the text goes away, whatever came of it: until then other threads look at it.
    func stopReading() { reading.stop() }

    /// The string that `value` stands for, as it is in the text; nil when it stands for none.
    ///
    /// It has no backslash, and may have bytes that no JSON string has: a reader that takes it has to take none of these.
    func string(of value: JSONNode) -> UnsafeBufferPointer<UInt8>? {
        guard let bytes = value.utf8, bytes.first == 1,
            let index = Int(String(decoding: bytes.dropFirst(), as: UTF8.self)), pieces.indices.contains(index),
            pieces[index].count == 0
        else { return nil }
        isRead[index] = true
        return UnsafeBufferPointer(rebasing: text[pieces[index].offset..<(pieces[index].offset + pieces[index].length)])
    }

    private func piece(of value: JSONNode) -> Int? {
        var elements = value.elements
        guard value.count == 1, let inner = elements.next(), inner.kind == .array, inner.count == 7 else { return nil }
        var numbers = inner.elements
        guard let number = numbers.next()?.number, let index = Int(exactly: number), pieces.indices.contains(index),
            pieces[index].count > 0
        else { return nil }
        return index
    }
}
