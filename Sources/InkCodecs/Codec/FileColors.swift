import CColor
import InkEngine

/// What a file says of its colours: by an ICC profile, which is converted, or by numbers (ITU-T H.273), which are not.
public struct FileColors {
    var profile: [UInt8]
    /// The code points of the colours' primaries and of their curve.
    var coded: (primaries: Int, transfer: Int)?

    package init(profile: [UInt8]? = nil, coded: (primaries: Int, transfer: Int)? = nil) {
        self.profile = profile ?? []
        self.coded = coded
    }

    /// Whether a file says anything of its colours.
    package var areSaid: Bool { !profile.isEmpty || coded != nil }

    /// What a picture in sRGB shows differently; nil where that is nothing.
    package var warning: String? {
        if !profile.isEmpty {
            return wideName.map {
                "its colours (\($0)) are converted to sRGB, which has fewer: the most vivid ones are clipped"
            }
        }
        guard let coded else { return nil }
        let names = [9: "BT.2020", 11: "DCI-P3", 12: "Display P3"]
        let curves = [16: "PQ", 18: "HLG"]
        let found = [names[coded.primaries], curves[coded.transfer]].compactMap(\.self)
        if found.isEmpty { return nil }
        return
            "its colours (\(found.joined(separator: ", ")), without an ICC profile) are taken for sRGB, and look different"
    }

    /// The name of an RGB profile with colours that sRGB does not have; nil for any other.
    private var wideName: String? {
        var name = [CChar](repeating: 0, count: 64)
        guard profile != SRGBProfile.bytes, ink_color_is_wide(profile, profile.count, &name, name.count) != 0 else {
            return nil
        }
        let end = name.firstIndex(of: 0) ?? name.endIndex
        let text = String(decoding: name[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .filter { $0.isASCII && !$0.isNewline }.trimmingBlanks
        return text.isEmpty ? "of a wide gamut" : shownText(text)
    }
}
