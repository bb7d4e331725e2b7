import InkEngine

/// A unit letter after a number, and its factor.
package struct SettingUnit: Sendable {
    var name: String
    var factor: Int

    /// From the largest down.
    package static let sizes = [
        SettingUnit(name: "T", factor: 1 << 40), SettingUnit(name: "G", factor: 1 << 30),
        SettingUnit(name: "M", factor: 1 << 20), SettingUnit(name: "K", factor: 1 << 10),
    ]
    package static let durations = [
        SettingUnit(name: "d", factor: 86_400_000), SettingUnit(name: "h", factor: 3_600_000),
        SettingUnit(name: "m", factor: 60_000), SettingUnit(name: "s", factor: 1000),
        SettingUnit(name: "ms", factor: 1),
    ]

    /// The value in the largest unit of which it is a whole multiple.
    package static func text(_ value: Int, _ units: [SettingUnit]) -> String {
        let unit = value == 0 ? nil : units.first { value % $0.factor == 0 }
        guard let unit else { return String(value) + (value == 0 && units.last?.factor == 1 ? "ms" : "") }
        return String(value / unit.factor) + unit.name
    }

    /// A number with one of the units behind it, or with none: then it counts `plain`, and is wrong when that is nil.
    package static func value(_ text: String, _ units: [SettingUnit], plain: Int?) -> Int? {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let rest = text.dropFirst(digits.count)
        let factor = rest.isEmpty ? plain : units.first { $0.name == rest }?.factor
        guard let factor, let number = Double(plainDecimal: digits) else { return nil }
        // Exact for every size that a machine of today can have.
        let product = (number * Double(factor)).rounded()
        return product < 0x1p53 ? Int(product) : nil
    }
}
