import CText
import Glibc

/// A font in memory. Numbers are in its own units unless they say otherwise.
public final class Font: Sendable {
    /// The largest file, bytes.
    public static let bytesMax = 32 << 20

    // HarfBuzz's fonts may be used by several threads when nobody changes them.
    private nonisolated(unsafe) let font: OpaquePointer
    /// The family's name, as it is written in the font.
    public let family: String
    /// 1 to 1000; 400 is regular.
    public let weight: Double
    public let isItalic: Bool
    package let unitsPerEm: Double
    let ascent: Double
    /// Below the baseline, positive.
    let descent: Double
    let hasColors: Bool

    /// - Parameters:
    ///   - bytes: a TrueType or OpenType file.
    ///   - index: of the font in the file.
    ///   - weight: of a font whose weight can vary.
    ///   - place: names the file in errors.
    /// - Throws: `badInput` at `place` for other files.
    public init(_ bytes: [UInt8], index: Int = 0, weight: Double = 400, place: Place) throws(EngineError) {
        guard let font = ink_font_open(bytes, bytes.count, UInt32(index), Float(weight)) else {
            throw .badInput(place, reason: "is not a TrueType or OpenType font")
        }
        self.font = font
        var metrics = ink_font_metrics()
        ink_font_read_metrics(font, &metrics)
        unitsPerEm = Double(metrics.units_per_em)
        ascent = Double(metrics.ascent)
        descent = Double(metrics.descent)
        family = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
            ink_font_family(font, name.baseAddress, 256)
            return name.baseAddress.map { String(cString: $0) } ?? ""
        }
        self.weight = Double(ink_font_weight(font))
        isItalic = ink_font_is_italic(font) != 0
        hasColors = ink_font_has_colors(font) != 0
        // From here on deinit closes the font.
        guard ascent + descent > 0, unitsPerEm > 0 else {
            throw .badInput(place, reason: "is a font without a height")
        }
    }

    deinit { ink_font_close(font) }

    /// How many fonts a file holds; 0 for a file that is no font.
    public static func count(in bytes: [UInt8]) -> Int { Int(ink_font_count(bytes, bytes.count)) }

    func has(_ character: Unicode.Scalar) -> Bool { ink_font_has(font, character.value) != 0 }

    /// A glyph that has been placed.
    struct Glyph {
        /// 0: the font has none.
        var number: UInt32
        /// The index of the first character that it stands for.
        var character: Int
        /// To the next glyph.
        var advance: Double
        /// From the pen; y grows upwards.
        var offset: Point
    }

    /// The glyphs of some of the characters of a text, in the order in which they stand from the left.
    ///
    /// - Throws: `internalError` when there is no memory.
    func shape(
        _ text: [UInt32], _ range: Range<Int>, isRightToLeft: Bool, script: UInt32
    ) throws(EngineError) -> [Glyph] {
        var glyphs: UnsafeMutablePointer<ink_glyph>?
        let count = ink_font_shape(
            font, text, text.count, range.lowerBound, range.count, isRightToLeft ? 1 : 0, script, &glyphs)
        guard let glyphs else { throw .internalError("there is no memory for a text") }
        defer { free(glyphs) }
        return UnsafeBufferPointer(start: glyphs, count: count).map { glyph in
            Glyph(
                number: glyph.glyph, character: Int(glyph.character), advance: Double(glyph.advance),
                offset: Point(x: Double(glyph.x), y: Double(glyph.y)))
        }
    }

    /// The outline of a glyph: closed contours; y grows upwards.
    ///
    /// - Throws: `internalError` when there is no memory.
    package func outline(_ glyph: UInt32) throws(EngineError) -> GlyphOutline {
        var kinds: UnsafeMutablePointer<UInt8>?
        var points: UnsafeMutablePointer<Float>?
        var count = 0
        let isMade = ink_font_outline(font, glyph, &kinds, &count, &points) != 0
        defer {
            free(kinds)
            free(points)
        }
        guard isMade else { throw .internalError("there is no memory for a glyph") }
        var outline = GlyphOutline()
        guard let kinds, let points else { return outline }
        var at = 0
        func next() -> Point {
            defer { at += 2 }
            return Point(x: Double(points[at]), y: Double(points[at + 1]))
        }
        for index in 0..<count {
            switch ink_outline_step(UInt32(kinds[index])) {
            case INK_MOVE: outline.steps.append(.move(next()))
            case INK_LINE: outline.steps.append(.line(next()))
            case INK_QUADRATIC: outline.steps.append(.quadratic(next(), next()))
            default: outline.steps.append(.cubic(next(), next(), next()))
            }
        }
        return outline
    }
}

/// What Unicode says of characters.
enum Characters {
    /// 0 for one that takes the script of its neighbours.
    static func script(_ character: Unicode.Scalar) -> UInt32 { ink_script(character.value) }

    /// Whether nothing is drawn where a font lacks it.
    static func isIgnorable(_ character: Unicode.Scalar) -> Bool { ink_is_ignorable(character.value) != 0 }

    /// Whether it belongs to the character before it.
    static func isMark(_ character: Unicode.Scalar) -> Bool { ink_is_mark(character.value) != 0 }

    /// Odd levels run to the left.
    ///
    /// - Throws: `internalError` when there is no memory.
    static func levels(_ text: [UInt32]) throws(EngineError) -> [Int8] {
        var levels = [Int8](repeating: 0, count: text.count)
        guard ink_bidi_levels(text, text.count, &levels) != 0 else {
            throw .internalError("there is no memory for a text")
        }
        return levels
    }
}
