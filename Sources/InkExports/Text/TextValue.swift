package import InkCodecs
package import InkEngine

/// Values of options as numbers and sizes. Errors name the option.
package enum TextValue {
    /// A canvas has so many pixels in an inch where it is about paper, as those of SVG have.
    package static let canvasResolution = 96.0

    /// A whole number in `range`.
    package static func integer(_ text: String, option: String, in range: ClosedRange<Int>) throws(ExportError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw .usage(
                "\(option): \"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The error for a word that is none of those that there are.
    package static func noChoice(_ text: String, option: String, among words: [String]) -> ExportError {
        let list =
            words.count > 1
            ? words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1] : words.joined()
        return .usage("\(option): \"\(text)\" is not \(list)\(didYouMean(text, among: words))")
    }

    /// A finite number in `range`.
    package static func number(_ text: String, option: String, in range: ClosedRange<Double>) throws(ExportError)
        -> Double
    {
        guard let number = Double(text), number.isFinite, range.contains(number) else {
            throw .usage(
                "\(option): \"\(text)\" is not a number from \(Shown.plain(range.lowerBound)) to \(Shown.plain(range.upperBound))"
            )
        }
        return number
    }

    /// The kinds of `--keep`, or `all` alone.
    package static func metadataKinds(_ texts: [String]) throws(ExportError) -> MetadataKinds {
        if texts == ["all"] { return .all }
        var kinds: MetadataKinds = []
        let known = MetadataKinds.named.map(\.name)
        for text in texts {
            guard let kind = MetadataKinds.named.first(where: { $0.name == text })?.kind else {
                if text == "none" { throw .usage("--keep: to keep nothing, use --no-metadata") }
                if text == "all" { throw .usage("--keep: \"all\" stands alone") }
                let reason =
                    text.isEmpty ? "a kind is empty" : "\"\(text)\" is not a kind\(didYouMean(text, among: known))"
                throw .usage("--keep: \(reason); choose from \(known.joined(separator: ", "))")
            }
            if !kinds.isDisjoint(with: kind) { throw .usage("--keep: \(text) is given more than once") }
            kinds.insert(kind)
        }
        return kinds
    }

    /// The name of a brush, for `--brush`.
    package static func brushType(_ text: String) throws(ExportError) -> BrushType {
        guard let type = BrushType(rawValue: text) else {
            let known = BrushType.allCases.map(\.rawValue)
            throw .usage(
                "--brush: \"\(text)\" is not a brush\(didYouMean(text, among: known)); choose from "
                    + known.joined(separator: ", "))
        }
        return type
    }

    /// A number with a unit or without one.
    package static func length(_ text: String, option: String) throws(ExportError) -> WrittenLength {
        guard let length = WrittenLength(text) else {
            throw .usage(
                "\(option): \"\(text)\" is not a length; use a number of pixels, or \(WrittenLength.shownUnits)")
        }
        return length
    }

    /// A length in canvas pixels.
    package static func canvasLength(
        _ text: String, option: String, in range: ClosedRange<Double>
    ) throws(ExportError) -> Double {
        let pixels = try length(text, option: option).pixels(dotsPerInch: canvasResolution)
        return try checked(pixels, of: text, option: option, in: range)
    }

    /// - Throws: `usage` for pixels out of `range`, which are those of `text`.
    package static func checked(
        _ pixels: Double, of text: String, option: String, in range: ClosedRange<Double>
    ) throws(ExportError) -> Double {
        guard range.contains(pixels) else {
            throw .usage(
                "\(option): \(text) is not from \(Shown.plain(range.lowerBound)) to \(Shown.plain(range.upperBound)) pixels"
            )
        }
        return pixels
    }

    /// `WxH`, both in `range`; lengths on paper to the nearest pixel of the resolution.
    package static func size(
        _ text: String, option: String, in range: ClosedRange<Int>, dotsPerInch: Double
    ) throws(ExportError) -> (width: Int, height: Int) {
        func edge(_ length: WrittenLength) -> Int? {
            let pixels = length.pixels(dotsPerInch: dotsPerInch)
            guard pixels < 1e9, length.isPhysical || pixels == pixels.rounded() else { return nil }
            return Int(pixels.rounded())
        }
        guard let (first, second) = WrittenLength.pair(text), let width = edge(first), let height = edge(second),
            range.contains(width), range.contains(height)
        else {
            throw .usage(
                "\(option): \"\(text)\" is not WxH, as in 1200x800 or 210x297mm, with edges from \(range.lowerBound) to "
                    + "\(range.upperBound) pixels")
        }
        return (width, height)
    }
}
