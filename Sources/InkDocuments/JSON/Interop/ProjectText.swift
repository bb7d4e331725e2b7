import CJSON
import InkEngine

/// A project's text without points and images, which are read directly from the text.
///
/// Parsing the whole text takes 12 bytes per number, a copy of every image, and most of the reading time.
/// `ink_json_reduction.h` describes the placeholders of omitted values.
final class ProjectText {
    private let reduction: OpaquePointer
    private let text: UnsafeBufferPointer<UInt8>
    private let pieces: UnsafeBufferPointer<ink_json_piece>
    private var isRead: [Bool]
    /// Reads the points ahead.
    private let reading: PointReading
    /// The requested pieces of points.
    private var awaited: [Int] = []

    private var hasUnsound = false
    /// Whether the rest seems to be of a project with an infinite canvas, whose coordinates may be larger.
    let isInfinite: Bool

    /// nil if there is nothing to omit, or something that can only be read with the rest.
    ///
    /// - Parameter text: UTF-8 without a byte order mark; must exist until `stopReading`.
    init?(_ text: UnsafeBufferPointer<UInt8>, limits: Limits) {
        // More strokes and images than a project may have; such a text is rejected in any case.
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

    /// The rest, followed by `INK_JSON_PADDING` bytes.
    var rest: UnsafeBufferPointer<UInt8> {
        var count = 0
        let start = ink_json_reduction_text(reduction, &count)
        return UnsafeBufferPointer(start: start, count: count)
    }

    /// Whether everything omitted has been read and is valid, and therefore the whole text.
    var isSound: Bool { !hasUnsound && !isRead.contains(false) }

    /// The number of elements of the omitted array at `value`; nil if no array was omitted there.
    func pointCount(of value: JSONNode) -> Int? { piece(of: value).map { pieces[$0].count } }

    /// Leaves the omitted array of points at `value` to `readPoints`; false if no array was omitted there.
    func awaitPoints(of value: JSONNode) -> Bool {
        guard let index = piece(of: value) else { return false }
        isRead[index] = true
        awaited.append(index)
        return true
    }

    /// All requested points, one array after the other; call it when the rest has been read. Invalid arrays are empty;
    /// all are empty if an omitted value was not requested.
    func readPoints() -> [[StrokePoint]] {
        guard !isRead.contains(false) else { return [] }
        let arrays = reading.finish()
        hasUnsound = hasUnsound || awaited.contains { arrays[$0].count != pieces[$0].count }
        return awaited.map { arrays[$0] }
    }

    /// Call this before the text is freed, in any case: until then other threads may read it.
    func stopReading() { reading.stop() }

    /// The omitted string at `value`, as in the text; nil if no string was omitted there.
    ///
    /// It has no backslash, but may contain bytes that are invalid in JSON strings; its reader must reject these.
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
