public import InkEngine

extension PictureOptions {
    /// Checks that the formats of all files can represent a picture of a size.
    ///
    /// - Throws: `EngineError.overLimit` or `badInput` at `place`, `internalError` for a format that only another version
    ///   knows.
    public func checkFormats(_ size: PixelSize, place: Place) throws(EngineError) {
        for file in files {
            let codec = try PictureCodecs.codec(file.encoding.format)
            guard size.longestEdge <= codec.edgePixelsMax else {
                throw .overLimit(
                    place, what: "the longest edge that --size gives", found: "\(size.longestEdge) pixels",
                    limit:
                        "\(codec.edgePixelsMax) pixels in \(codec.name); choose a smaller --size, or another --format")
            }
            try codec.check(size, file.encoding, dotsPerInch: dotsPerInch, place: place)
        }
    }

    /// - Throws: `EngineError.badInput` at `place` for invalid options.
    public func check(place: Place) throws(EngineError) {
        func fault(_ reason: String) -> EngineError { .badInput(place, reason: reason) }
        if let dotsPerInch, !PictureOptions.dotsPerInchRange.contains(dotsPerInch) {
            throw fault("\(dotsPerInch) dpi, 1 to 100000 are possible")
        }
        guard files.count <= PictureSet.countMax else {
            throw fault("\(files.count) files of one picture, at most \(PictureSet.countMax) are possible")
        }
        for file in files { try check(file.encoding, fault) }
    }

    private func check(
        _ encoding: PictureEncoding, _ fault: (String) -> EngineError
    ) throws(EngineError) {
        let codec: any PictureCodec
        do { codec = try PictureCodecs.codec(encoding.format) } catch { throw fault(error.description) }
        if let quality = encoding.quality {
            guard PictureEncoding.qualities.contains(quality) else {
                throw fault("quality \(quality), 1 to 100 are possible")
            }
            guard codec.settings.contains(.quality) else { throw fault("\(codec.name) has no quality") }
        }
        if encoding.isProgressive, !codec.settings.contains(.progressive) {
            throw fault("\(codec.name) is never progressive")
        }
        if encoding.isLossless, !codec.settings.contains(.lossless) {
            throw fault("\(codec.name) has no choice of losses")
        }
        if encoding.chroma != nil, !codec.settings.contains(.chroma) {
            throw fault("\(codec.name) has no chroma sampling")
        }
        if encoding.compression != nil, !codec.settings.contains(.compression) {
            throw fault("\(codec.name) has no choice of compression")
        }
        if let bleed = encoding.bleed {
            guard PictureEncoding.bleeds.contains(bleed) else {
                throw fault("a bleed of \(bleed) thousandths of a point, 1 to 500000 are possible")
            }
            guard codec.settings.contains(.bleed) else { throw fault("\(codec.name) has no bleed") }
        }
        if let tile = encoding.tileSize {
            guard PictureEncoding.tileSizes.contains(tile) else {
                throw fault("tiles of \(tile) pixels, 128, 256 and 512 are possible")
            }
            guard codec.settings.contains(.tileSize) else { throw fault("\(codec.name) has no tiles") }
        }
        guard PictureEncoding.tileOverlaps.contains(encoding.tileOverlap) else {
            throw fault("an overlap of \(encoding.tileOverlap) pixels, 0 and 1 are possible")
        }
        if encoding.tileOverlap > 0, !codec.settings.contains(.tileOverlap) {
            throw fault("\(codec.name) has no tiles that overlap")
        }
        if encoding.plot.keepsHidden, !codec.settings.contains(.plotHidden) {
            throw fault("\(codec.name) is no plot, of which hidden lines could be kept")
        }
        if let pens = encoding.plot.pens {
            guard PlotSettings.penCounts.contains(pens) else { throw fault("\(pens) pens, 1 to 1000 are possible") }
            guard codec.settings.contains(.pens) else { throw fault("\(codec.name) has no pens") }
        }
        if let hatch = encoding.plot.hatch {
            guard PlotSettings.spacings.contains(hatch.spacing), PlotSettings.angles.contains(hatch.angle) else {
                throw fault("hatching by \(hatch.spacing) micrometres at \(hatch.angle) degrees is not possible")
            }
            guard codec.settings.contains(.plotFill) else { throw fault("\(codec.name) is no plot to be hatched") }
        }
        if let bytesMax = encoding.bytesMax {
            guard PictureEncoding.bounds.contains(bytesMax) else {
                throw fault("at most \(bytesMax) bytes, 1 to \(PictureEncoding.bounds.upperBound) are possible")
            }
            guard codec.settings.contains(.maxBytes), !encoding.isLossless else {
                throw fault("\(codec.name)\(encoding.isLossless ? " without loss" : "") has no quality to fit a size")
            }
            guard otherFiles.isEmpty else { throw fault("a file of limited size is a picture of its own") }
        }
        if colorMode == .rgba, !codec.hasAlpha, otherFiles.isEmpty { throw fault("\(codec.name) has no transparency") }
    }
}
