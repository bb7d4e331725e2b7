import InkEngine

/// Names of a template's layers, for people and for files.
package enum RegionNames {
    /// Such as `Dark green`, by hue and lightness.
    static func name(of color: RGBA8) -> String {
        let channels = [color.red, color.green, color.blue].map(Int.init)
        let (most, least) = (channels.max() ?? 0, channels.min() ?? 0)
        let (range, lightness) = (most - least, (most + least) / 2)
        guard range >= grayRange else {
            let names = ["Black", "Dark grey", "Grey", "Light grey", "White"]
            return names[[40, 90, 165, 230].firstIndex { lightness < $0 } ?? 4]
        }
        // Degrees, from red to yellow, green and so on.
        let hue =
            most == channels[0]
            ? 60 * (channels[1] - channels[2]) / range
            : most == channels[1]
                ? 120 + 60 * (channels[2] - channels[0]) / range : 240 + 60 * (channels[0] - channels[1]) / range
        let name = hues.last { (hue + 360) % 360 >= $0.from }?.name ?? ""
        if name == "Orange" || name == "Yellow" {
            if lightness > 215, range < 60 { return "Beige" }
            if name == "Orange", lightness < 110 { return lightness < 55 ? "Dark brown" : "Brown" }
            if name == "Yellow", lightness < 90 { return "Olive" }
        }
        return lightness < 105 ? "Dark \(name.lowercased())" : lightness > 195 ? "Light \(name.lowercased())" : name
    }

    /// Less colour than that is none.
    private static let grayRange = 18

    /// Degrees from which a name counts.
    private static let hues: [(from: Int, name: String)] = [
        (0, "Red"), (15, "Orange"), (43, "Yellow"), (68, "Green"), (160, "Turquoise"), (195, "Blue"), (248, "Purple"),
        (290, "Pink"), (346, "Red"),
    ]

    /// Such as `Light blue, top left`; each differs from the others.
    package static func names(of regions: FlatRegions) -> [String] {
        unique(
            regions.regions.map { region in
                "\(name(of: region.color.opaque))\(place(region, in: regions.size))"
            })
    }

    private static func place(_ region: FlatRegions.Region, in size: PixelSize) -> String {
        if !region.isThin, region.bounds.x <= 0, region.bounds.y <= 0, region.bounds.size == size {
            return " background"
        }
        func third(_ value: Double, _ edge: Int, _ names: [String]) -> String {
            names[min(2, max(0, Int(value * 3 / Double(edge))))]
        }
        let row = third(region.centerY, size.height, ["top", "", "bottom"])
        let column = third(region.centerX, size.width, ["left", "", "right"])
        let words = [row, column].filter { !$0.isEmpty }
        return ", " + (words.isEmpty ? "centre" : words.joined(separator: " "))
    }

    /// Numbers names that are there already: `Red`, `Red 2`.
    package static func unique(_ names: [String], separator: String = " ") -> [String] {
        var taken: Set<[UInt8]> = []
        return names.map { name in
            var candidate = name
            var number = 2
            while !taken.insert(Array(candidate.lowercased().utf8)).inserted {
                candidate = "\(name)\(separator)\(number)"
                number += 1
            }
            return candidate
        }
    }

    /// Ids, which are also parts of file names: letters and digits of ASCII and dashes; each differs from the others.
    package static func ids(of names: [String]) -> [String] { unique(names.map(id), separator: "-") }

    package static func id(of name: String) -> String {
        var id = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                id.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): id.unicodeScalars.append(Unicode.Scalar(byte + 32))
            default: if !id.isEmpty, !id.hasSuffix("-") { id += "-" }
            }
            if id.utf8.count >= 60 { break }
        }
        while id.hasSuffix("-") { id.removeLast() }
        return id.isEmpty ? "layer" : id
    }
}
