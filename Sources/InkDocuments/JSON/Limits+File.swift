import InkCodecs
public import InkEngine

extension Limits {
    /// Reads limits from a JSON file: an object whose keys are the names of this type's properties. Missing limits keep
    /// their defaults.
    ///
    /// - Throws: `badInput` for an unknown key or a value that is not a whole number above 0, `io` when the file
    ///   cannot be read.
    public static func read(path: String) throws(EngineError) -> Limits {
        try read(try InputFile.read(path: path, limitBytes: 1 << 20), file: path)
    }

    /// Reads limits from the bytes of such a file.
    static func read(_ bytes: [UInt8], file: String) throws(EngineError) -> Limits {
        guard !bytes.isEmpty else { throw .badInput(Place(file: file), reason: "the file is empty") }
        try TextEncoding.requireUTF8(bytes, file: file)
        let document = try JSONDocument(bytes, file: file, limits: Limits())
        defer { withExtendedLifetime(document) {} }
        let root = try JSONObject(document.root, path: .root, file: file)
        var limits = Limits()
        for key in root.value.keys where !limits.isName(key) {
            throw .badInput(
                Place(file: file, path: JSONPath.field(.root, key).text),
                reason:
                    "is not a limit\(didYouMean(key, among: names)); the limits are \(names.joined(separator: ", "))")
        }
        for (name, property) in integers {
            guard let number = try root.number(name) else { continue }
            guard number >= 1, number <= 0x1p53, number.rounded(.towardZero) == number else {
                throw root.error(name, "is \(shownNumber(number)), must be a whole number above 0")
            }
            guard property != \.edgePixels || Int(number) <= edgePixelsMax else {
                throw root.error(name, "is \(shownNumber(number)), must be at most \(edgePixelsMax)")
            }
            limits[keyPath: property] = Int(number)
        }
        if let number = try root.number("coordinate") {
            guard number > 0 else { throw root.error("coordinate", "is \(shownNumber(number)), must be above 0") }
            limits.coordinate = number
        }
        return limits
    }

    private func isName(_ key: String) -> Bool { Limits.names.contains(key) }

    private static var names: [String] { integers.map { "\($0.name)" } + ["coordinate"] }

    private static var integers: [(name: StaticString, property: WritableKeyPath<Limits, Int>)] {
        [
            ("edgePixels", \.edgePixels), ("outputPixels", \.outputPixels), ("imagePixels", \.imagePixels),
            ("interlacedImagePixels", \.interlacedImagePixels), ("heldImagePixels", \.heldImagePixels),
            ("svgBytes", \.svgBytes),
            ("fileBytes", \.fileBytes),
            ("jsonDepth", \.jsonDepth), ("jsonValues", \.jsonValues), ("archiveEntries", \.archiveEntries),
            ("archiveRatio", \.archiveRatio), ("layers", \.layers), ("strokes", \.strokes),
            ("pointsPerStroke", \.pointsPerStroke), ("points", \.points), ("stamps", \.stamps),
            ("shapes", \.shapes), ("symbols", \.symbols), ("pathSegments", \.pathSegments), ("segments", \.segments),
            ("packBytes", \.packBytes), ("packItems", \.packItems), ("packPictures", \.packPictures),
            ("recipeBytes", \.recipeBytes), ("recipeFiles", \.recipeFiles),
        ]
    }
}
