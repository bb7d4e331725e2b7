import InkEngine
import InkExports

/// Values of options as numbers and sizes. Errors name the option.
enum TextValue {
    /// A whole number in `range`.
    static func integer(_ text: String, option: String, in range: ClosedRange<Int>) throws(CommandError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw .usage(
                "\(option): \"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A finite number in `range`.
    static func number(_ text: String, option: String, in range: ClosedRange<Double>) throws(CommandError) -> Double {
        guard let number = Double(text), number.isFinite, range.contains(number) else {
            throw .usage(
                "\(option): \"\(text)\" is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The name of a brush, for `--brush`.
    static func brushType(_ text: String) throws(CommandError) -> BrushType {
        guard let type = BrushType(rawValue: text) else {
            let known = BrushType.allCases.map(\.rawValue)
            throw .usage(
                "--brush: \"\(text)\" is not a brush\(didYouMean(text, among: known)); choose from "
                    + known.joined(separator: ", "))
        }
        return type
    }

    /// `WxH`, both in `range`.
    static func size(
        _ text: String, option: String, in range: ClosedRange<Int>
    ) throws(CommandError) -> (width: Int, height: Int) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), range.contains(width),
            range.contains(height)
        else {
            throw .usage(
                "\(option): \"\(text)\" is not WxH with edges from \(range.lowerBound) to \(range.upperBound) pixels")
        }
        return (width, height)
    }
}
