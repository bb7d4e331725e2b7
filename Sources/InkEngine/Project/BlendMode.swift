/// The 27 blend modes of layers.
///
/// The first sixteen and `plus` are from W3C Compositing and Blending Level 1, sections 10 and 9.1. The others are
/// Photoshop's, evaluated in the same general formula.
public enum BlendMode: String, Hashable, Sendable, CaseIterable {
    case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight
    case difference, exclusion, hue, saturation, color, luminosity
    case plus
    case linearDodge, linearBurn, linearLight, vividLight, pinLight, hardMix, subtract, divide
    case darkerColor, lighterColor

    /// Accepts the project's name (`colorDodge`) and the CSS one (`color-dodge`, `plus-lighter`).
    public init?(name: String) {
        if let mode = BlendMode(rawValue: name) {
            self = mode
            return
        }
        if name == "plus-lighter" {
            self = .plus
            return
        }
        guard let mode = BlendMode.byHyphenatedName[name] else { return nil }
        self = mode
    }

    /// The CSS spelling: `color-dodge`.
    public var hyphenatedName: String {
        rawValue.reduce(into: "") { name, character in
            if character.isUppercase { name += "-" }
            name += character.lowercased()
        }
    }

    private static let byHyphenatedName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.hyphenatedName, $0) })
}
