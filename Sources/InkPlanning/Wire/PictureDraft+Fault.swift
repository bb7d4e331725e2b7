import InkCodecs
package import InkEngine
import InkProtocol

/// Why a draft is useless.
private struct DraftFault: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// - Parameter reason: what it is if the condition does not hold.
private func require(_ isGood: Bool, _ reason: @autoclosure () -> String) throws(DraftFault) {
    if !isGood { throw DraftFault(reason()) }
}

/// Workers are not trusted. A draft that is planned must fit the order and hold together, because what is made of it
/// relies on that:
///
/// - An index of an image, a file, a picture or a row leads out of an array.
/// - A file without its first picture, or with a picture twice or in the wrong format, has no pieces, or pieces that
///   its assembler cannot take apart.
/// - Pictures that are wider than the first, or that are not streamed, have tiles that no row of tiles has.
/// - Scalings that show nothing give fewer images than there are scalings; those that enlarge without bounds overflow.
/// - Numbers of a placement that are no numbers any more in output pixels become no `Int`.
/// - Blocks that did not come are waited for, and sizes of blocks that are not theirs break the memory budget.
///
/// What the reader checks is not checked again: ranges of single values, extents that are empty, costs of another
/// number of rows, costs that are no numbers, runs without a rounding. What nobody checks, because only the pixels show
/// it: whether strokes, costs, extents and digests are those of the document.
extension PictureDraft {
    /// What makes a draft that was decoded for `order` useless, nil when nothing does.
    ///
    /// - Parameters:
    ///   - order: the one that it was made and decoded for.
    ///   - blocks: those that came with it or are there, and the bytes of their frames.
    package func fault(for order: DraftOrder, blocks: [BlockID: Int]) -> String? {
        do throws(DraftFault) {
            try checkDescription(order)
            try checkFiles(order)
            let whole = try checkWhole(order)
            // Before the pictures: few scalings of an image are worthwhile, and pictures look theirs up.
            let sizes = Set(
                pictures.map { ImageScaling(placement: nil, canvas: $0.scene.canvas, output: $0.scene.output) })
            for image in images { try check(image, sizes, order, blocks) }
            for picture in pictures { try check(picture, whole, order) }
            if let missing = self.blocks.first(where: { blocks[$0] == nil }) {
                throw DraftFault("block \(missing), which did not come")
            }
            return nil
        } catch {
            return error.reason
        }
    }

    private func checkDescription(_ order: DraftOrder) throws(DraftFault) {
        let options = order.picture.options
        let keywords = common.text.map { PictureText.Keyword.allCases.firstIndex(of: $0.keyword) ?? 0 }
        try require(zip(keywords, keywords.dropFirst()).allSatisfy { $0 < $1 }, "a description with a text twice")
        try require(common.digest == nil, "a digest that is not the order's")
        try require(common.hasProfile == options.hasMetadata, "a profile that is not asked for, or none")
        try require(
            max(common.exif?.count ?? 0, common.xmp?.count ?? 0) <= MetadataSize.bytesMax,
            "metadata that no file has room for")
        try require(
            options.hasMetadata || common.text.isEmpty && common.exif == nil && common.xmp == nil,
            "metadata that is not asked for")
        try require(
            common.text.allSatisfy { $0.keyword != .software || $0.text == order.software }, "other software")
        if let dots = options.dotsPerInch {
            try require(common.density == PictureDensity(across: dots, down: dots), "another resolution")
        }
    }

    // MARK: - Files

    /// Each file has exactly the pictures that it consists of, numbered from 0, and each picture is for some file.
    private func checkFiles(_ order: DraftOrder) throws(DraftFault) {
        try require(pictures.first?.source == .whole, "a draft without the picture itself")
        try require(Set(pictures.map(\.source)).count == pictures.count, "a picture twice")
        let kinds = pictures.map(\.source.isDrawn)
        try require(!zip(kinds, kinds.dropFirst()).contains { $0 && !$1 }, "images of a drawing before other pictures")
        try require(layers.count == files.count, "layers of \(layers.count) files, of which there are \(files.count)")
        var found: [[Int: PictureSource]] = Array(repeating: [:], count: files.count)
        for picture in pictures {
            let numbers = picture.uses.map(\.file)
            try require(!numbers.isEmpty && numbers.count <= PictureSet.countMax, "a picture of no file, or too many")
            try require(
                numbers.allSatisfy(files.indices.contains) && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 },
                "a picture of files that are not asked for")
            for use in picture.uses {
                try require(found[use.file][use.picture] == nil, "two pictures \(use.picture) of file \(use.file)")
                found[use.file][use.picture] = picture.source
                try check(use.encoding, use.drawing, of: picture, in: files[use.file].encoding)
            }
        }
        for file in files.indices {
            let sources = (0..<found[file].count).map { found[file][$0] }
            let expected = try sourcesExpected(file, count: sources.count, order)
            try require(sources == expected, "pictures that file \(file) does not consist of")
        }
    }

    /// - Parameter count: of the pictures that there are.
    private func sourcesExpected(_ file: Int, count: Int, _ order: DraftOrder) throws(DraftFault) -> [PictureSource?] {
        let codec = try codec(files[file].encoding)
        guard let abilities = codec.layerAbilities else {
            try require(layers[file] == nil, "layers of a \(codec.name) file")
            guard codec.isVector else { return [.whole] }
            return [.whole] + (0..<max(0, count - 1)).map { .drawn(codec.format, $0) }
        }
        guard let nodes = layers[file] else { throw DraftFault("a \(codec.name) file without layers") }
        // Beside the project's: background and base image.
        let elements = nodes.reduce(0) { $0 + $1.elementCount }
        try require(elements - 2 <= order.layersMax, "\(elements) layers of a file")
        return [.whole] + nodes.flatMap(\.parts) + (abilities.hasThumbnail ? [.thumbnail] : [])
    }

    private func check(
        _ encoding: PictureEncoding, _ drawing: DrawingDraft?, of picture: DraftPicture, in file: PictureEncoding
    ) throws(DraftFault) {
        let codec = try codec(file)
        try require(
            (drawing != nil) == (codec.isVector && picture.source == .whole), "a drawing of what is not drawn, or none")
        try require(encoding == codec.encoding(of: picture.source, file), "an encoding that is not asked for")
    }

    private func codec(_ encoding: PictureEncoding) throws(DraftFault) -> any PictureCodec {
        guard let codec = PictureCodecs.codec(of: encoding.format) else {
            throw DraftFault("a picture of format \(encoding.format.rawValue), which is not known")
        }
        return codec
    }

    // MARK: - Pictures

    /// The scene of the picture itself.
    private func checkWhole(_ order: DraftOrder) throws(DraftFault) -> Scene<SceneImage<Int>, MarkBlockIndex> {
        guard let scene = pictures.first?.scene else { throw DraftFault("no picture") }
        let (options, place) = (order.picture.options, Place(file: name))
        do throws(EngineError) {
            try options.check(place: place)
            let size: PixelSize
            switch order.picture.size {
            case .exact(let exact): size = exact
            case .named(let name):
                guard let named = ExportSize(name) else { throw .badInput(place, reason: "\"\(name)\" is not a size") }
                size = try named.outputSize(canvas: scene.canvas, limits: limits, place: place)
            }
            guard scene.picture == size else {
                throw .badInput(place, reason: "a picture of \(scene.picture), \(size) was asked for")
            }
            try ExportSize.check(size, limits: limits, place: place)
            try options.checkFormats(size, place: place)
        } catch {
            throw DraftFault(error.description)
        }
        try require(scene.output.longestEdge <= PictureDraft.edgeMax, "a picture of \(scene.output)")
        try require(scene.background == options.background ?? scene.background, "another background")
        try require(options.includesBaseImage || scene.baseImage == nil, "a base image that is not asked for")
        return scene
    }

    private func check(
        _ picture: DraftPicture, _ whole: Scene<SceneImage<Int>, MarkBlockIndex>, _ order: DraftOrder
    ) throws(DraftFault) {
        let (scene, size) = (picture.scene, picture.scene.picture)
        // Only the picture itself is made of repeated pixels.
        try require(scene.frame == nil || picture.source == .whole, "a frame of a layer")
        try require(scene.canvas == whole.canvas, "pictures of two canvases")
        let codecs = try files.map { file throws(DraftFault) in try codec(file.encoding) }.filter { !$0.isVector }
        let format = DraftPicture.format(order.picture.options.colorMode, on: scene.background, codecs)
        switch picture.source {
        case .whole: try require(picture.format == format, "the wrong channels")
        case .thumbnail:
            try require(picture.format == format, "the wrong channels")
            try require(
                size.width <= whole.picture.width && size.height <= whole.picture.height
                    && size.longestEdge <= LayeredPicture.thumbnailEdge, "a thumbnail of \(size)")
        case .background, .baseImage, .element, .mask:
            try require(size == whole.picture && picture.format == .rgba, "a layer of \(size), \(picture.format)")
        case .drawn:
            try require(
                size.longestEdge <= max(whole.picture.longestEdge, VectorImage.maskEdge), "an image of \(size)")
        }
        try check(ImageScaling(placement: nil, canvas: scene.canvas, output: scene.output))
        let origin = scene.patternOrigin
        try require(max(abs(origin.x), abs(origin.y)) <= 2 * ProtocolLimits.coordinate, "patterns from \(origin)")
        if let base = scene.baseImage { try check(base, .color, in: scene) }
        var (elements, marks) = (0, 0)
        for layer in scene.layers { try check(layer, in: scene, &elements, &marks) }
        // Clipping has an element of its own.
        let elementsMax = StampCount.saturatingSum(order.layersMax, order.layersMax)
        try require(elements <= elementsMax, "\(elements) elements of a picture")
        // An empty layer may have a stroke that fills it.
        let marksMax = StampCount.saturatingSum(limits.strokes, limits.shapes)
        try require(marks <= StampCount.saturatingSum(marksMax, order.layersMax), "\(marks) strokes and shapes")
    }

    private func check(
        _ layer: SceneLayer<SceneImage<Int>, MarkBlockIndex>, in scene: Scene<SceneImage<Int>, MarkBlockIndex>,
        _ elements: inout Int, _ marks: inout Int
    ) throws(DraftFault) {
        elements += 1
        if let mask = layer.mask { try check(mask, .mask, in: scene) }
        if let content = layer.content { try check(content, .color, in: scene) }
        for block in layer.marks {
            marks += block.extents.count
            try require(
                Int(block.union.maxX) <= scene.output.width && Int(block.union.maxY) <= scene.output.height,
                "marks beyond the picture")
        }
        for child in layer.children { try check(child, in: scene, &elements, &marks) }
    }

    // MARK: - Images

    private func check(
        _ image: SceneImage<Int>, _ use: ImageUse, in scene: Scene<SceneImage<Int>, MarkBlockIndex>
    ) throws(DraftFault) {
        try require(images.indices.contains(image.source), "an image \(image.source) of \(images.count)")
        let request = images[image.source]
        try require(request.use == use, "a mask for a picture, or a picture for a mask")
        try require(image.outside == 0 || use == .mask, "a value beyond no mask")
        try require(image.filter == .lanczos || use == .color, "a mask of which samples are chosen")
        try require(
            image.filter == .lanczos || request.scalings.isEmpty, "a scaled image of which samples are chosen")
        try check(scene.scaling(of: image))
        try require(
            request.scalings.isEmpty || request.scalings.contains(scene.scaling(of: image)),
            "an image that is not scaled for its place")
    }

    /// In output pixels, what places an image is still a number.
    private func check(_ scaling: ImageScaling) throws(DraftFault) {
        let scale = OutputScale(canvas: scaling.canvas, output: scaling.output)
        try require([scale.x, scale.y].allSatisfy(DraftPicture.lengths.contains), "a canvas of \(scaling.canvas)")
        guard let placement = scaling.placement else { return }
        let sizes = [placement.width, placement.height].flatMap { [$0 * scale.x, $0 * scale.y] }
        let places = [placement.x, placement.y].flatMap { [$0 * scale.x, $0 * scale.y] }
        try require(
            sizes.allSatisfy(DraftPicture.lengths.contains)
                && places.allSatisfy { abs($0) <= DraftPicture.lengths.upperBound }
                && placement.rotation.isFinite, "a placement that is beyond numbers")
    }

    /// - Parameter sizes: of the canvases and outputs of the pictures.
    private func check(
        _ image: ImageRequest, _ sizes: Set<ImageScaling>, _ order: DraftOrder, _ blocks: [BlockID: Int]
    ) throws(DraftFault) {
        try require(blocks[image.file] == image.fileBytes, "an image's file that is not \(image.fileBytes) bytes")
        try require(image.place.file == order.name, "an image of another project")
        let pixelsMax = max(limits.imagePixels, limits.interlacedImagePixels, limits.heldImagePixels)
        try require(
            image.size.longestEdge <= ImageHeader.edgePixelsMax && image.size.area <= pixelsMax,
            "an image of \(image.size)")
        if let raster = image.raster {
            do throws(EngineError) { try raster.check(against: limits, place: image.place) } catch {
                throw DraftFault(error.description)
            }
            try require(image.size == raster.part.size && image.scalings.isEmpty, "a raster that is not its image's")
        }
        guard !image.scalings.isEmpty else { return }
        try require(Set(image.scalings).count == image.scalings.count, "an image that is scaled the same way twice")
        for scaling in image.scalings {
            let size = ImageScaling(placement: nil, canvas: scaling.canvas, output: scaling.output)
            try require(sizes.contains(size), "an image that is scaled for no picture")
            try check(scaling)
        }
        try require(
            ImageScaling.isWorthwhile(image.scalings, of: image.size, as: image.use), "an image that is scaled in vain")
    }
}

extension DraftPicture {
    /// Lengths in output pixels with which the geometry of images can be computed: no product of two of them and a
    /// number of samples, and no quotient, is beyond numbers.
    fileprivate static let lengths = 1e-100...1e100
}
