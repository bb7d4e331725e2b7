public import InkEngine

extension EncodedImage {
    /// Accepts an image with a valid header and a size within the limits; only the header is read.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - place: where the image is; becomes its `place`.
    ///   - limits: larger images are rejected.
    /// - Throws: `badInput` if the format is unknown or the header is invalid, `overLimit` for its pixels.
    public init(checking bytes: [UInt8], place: Place, limits: Limits) throws(EngineError) {
        let decoder = try ImageDecoders.decoder(of: bytes, place: place)
        guard !(decoder is SVGImages) || bytes.count <= limits.svgBytes else {
            throw .overLimit(
                place, what: "the SVG", found: "\(bytes.count) bytes",
                limit: "\(limits.svgBytes) bytes (svgBytes in a file for --limits)")
        }
        let header = try decoder.header(bytes, place: place)
        try header.check(against: limits, place: place)
        self.init(bytes: bytes, header: header, place: place.path ?? place.file)
    }

    /// Accepts an image in base64, with or without a prefix like `data:image/png;base64,`.
    ///
    /// - Parameter takesBlanks: whether white space in the text is skipped or an error.
    /// - Throws: like `init(checking:place:limits:)`, and `badInput` if the text is not base64.
    package init(
        base64 text: UnsafeBufferPointer<UInt8>, takesBlanks: Bool = true, place: Place, limits: Limits
    ) throws(EngineError) {
        var text = text
        func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
            String(decoding: bytes, as: UTF8.self).lowercased()
        }
        if lowercased(text.prefix(5)) == "data:" {
            let prefixes = ImageDecoders.all.compactMap(\.fileType).map { "data:\($0.mediaType);base64," }
            guard let prefix = prefixes.first(where: { lowercased(text.prefix($0.utf8.count)) == $0 }) else {
                throw .badInput(
                    place,
                    reason: "\"\(shownText(String(decoding: text.prefix(40), as: UTF8.self), limit: 30))\""
                        + " is not a data URL of the form \(prefixes[0])..., or of \(ImageDecoders.names)")
            }
            text = UnsafeBufferPointer(rebasing: text.dropFirst(prefix.utf8.count))
        }
        let bytes = try rethrowing(try Base64.decode(text, takesBlanks: takesBlanks)) { (error: Base64.Fault) in
            EngineError.badInput(place, reason: error.reason)
        }
        try self.init(checking: bytes, place: place, limits: limits)
    }
}

extension EncodedImage {
    /// Whether the image has colours of its own that count where profiles do.
    package var hasColorProfile: Bool {
        header.inks == .profiled
            || ImageDecoders.all.first { $0.recognizes(bytes) }?.colors(of: bytes).areSaid ?? false
    }

    /// Passes on warnings about the image's colours.
    ///
    /// - Parameters:
    ///   - convertsProfiles: whether an embedded colour profile counts.
    ///   - isMask: whether only its brightness counts.
    package func addColorWarnings(convertsProfiles: Bool, isMask: Bool = false, _ add: (String) -> Void) {
        if header.guessesColors(convertsProfiles: convertsProfiles) { add(ImageHeader.guessWarning) }
        guard convertsProfiles, !isMask, header.inks == nil,
            let decoder = ImageDecoders.all.first(where: { $0.recognizes(bytes) })
        else { return }
        if let warning = decoder.colors(of: bytes).warning { add(warning) }
    }
}
