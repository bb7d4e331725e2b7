import InkEngine

/// SVG files as images of layers: shapes, paints, clips, masks, styles and embedded pictures, but nothing that depends
/// on other files, on fonts or on time; by librsvg where it is installed.
struct SVGImages: ImageDecoder {
    var name: String { "SVG" }
    var fileType: FileType? { .svg }
    var library: ImageLibrary { SVGRasterizer.library }

    /// The pixels to draw; nil: the document's own size.
    var raster: VectorRaster?

    /// Anything that begins like XML: no other format does.
    func recognizes(_ file: [UInt8]) -> Bool {
        let head = TextEncoding.utf8(Array(file.prefix(1024)))
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        header(of: try SVGDocument(reading: file, place: place))
    }

    private func header(of document: SVGDocument) -> ImageHeader {
        func edge(_ length: Double) -> Int { max(1, Int(min(length + 0.5, 1e15))) }
        var header = ImageHeader(
            size: PixelSize(width: edge(document.width), height: edge(document.height)), isHeldWhole: false)
        header.isVector = true
        return header
    }

    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        let document = try SVGDocument(reading: file, place: place)
        let header = header(of: document)
        try header.check(against: limits, place: place)
        let raster = raster ?? VectorRaster(whole: header.size)
        try raster.check(against: limits, place: place)
        let rasterizer = try SVGRasterizer(document, raster, place: place)
        var rows = StoredRows(raster.part.size, StoredPixels(colors: .rgb, hasAlpha: true), as: use)
        let row = RowBuffer(byteCount: raster.part.width * 4)
        var drawn = 0
        while drawn < raster.part.height {
            drawn += try rasterizer.forEachNextRow(into: row.base) { () throws(EngineError) in
                try rows.append(row.base, onChunk: onChunk)
            }
        }
        return try rows.finish(onChunk: onChunk)
    }
}
