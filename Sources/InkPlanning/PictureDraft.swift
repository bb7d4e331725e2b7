import Glibc
package import InkCodecs
package import InkEngine
package import InkProtocol

/// An image that has to be decoded before the picture can be split.
package struct ImageRequest: Sendable {
    /// The block that holds the file.
    package var file: BlockID
    /// As it is held: the block's frame, or the file itself when it stays in the process.
    package var fileBytes: Int
    package var use: ImageUse
    /// Whether an embedded colour profile counts: in files of version 1.2.
    package var convertsProfiles = false
    /// How it becomes pixels of another size. Only samples that travel as they are can be chosen from.
    package var filter = ContentFilter.lanczos
    /// The pixels that a vector image is drawn in.
    package var raster: VectorRaster?
    /// How it is scaled when it is decoded, once for each place where it lies in the scene; empty: its samples travel.
    package var scalings: [ImageScaling] = []
    /// As declared in its header, or of the raster.
    package var size: PixelSize
    /// For messages: the project's file, and the path inside it.
    package var place: Place

    /// Estimated nanoseconds of its task.
    package var decodingNanoseconds: UInt64 { UInt64(min(size.area, 1 << 50)) * 20 }
    /// Approximate decoding time, in units of a mask's pixel.
    package var decodingCost: Int { size.area.multipliedReportingOverflow(by: use == .mask ? 1 : 3).partialValue }

    /// The sizes of the images that its task gives.
    package var resultSizes: [PixelSize] {
        scalings.isEmpty ? [size] : scalings.compactMap { $0.size(of: size, as: use) }
    }

    /// What its task may give at most, bytes.
    package var resultLimit: UInt64 {
        resultSizes.reduce(0) { $0 + ResultLimit.image(size: $1, bytesPerPixel: bytesPerPixelMax) }
    }

    package var chunkLimit: UInt64 {
        resultSizes.map { ResultLimit.chunk(imageWidth: $0.width, bytesPerPixel: bytesPerPixelMax) }.max() ?? 0
    }

    private var bytesPerPixelMax: Int {
        scalings.isEmpty ? SampleFormat.rgba8.bytesPerPixel : use.scaledFormat.bytesPerPixel
    }
}

extension ImageRequest {
    /// What a worker is asked for it.
    package func task(_ limits: Limits) -> DecodeTask {
        DecodeTask(
            image: file, use: use, convertsProfiles: convertsProfiles, raster: raster, scalings: scalings,
            place: place, limits: limits)
    }

    /// With the scalings of all its places if they are to be made when it is decoded, else with none.
    fileprivate var scaledIfWorthwhile: ImageRequest {
        var request = self
        if raster != nil || filter == .nearest || !ImageScaling.isWorthwhile(scalings, of: size, as: use) {
            request.scalings = []
        }
        return request
    }
}

/// A decoded image and the blocks of its rows.
package struct DecodedImage: Hashable, Sendable {
    package var info: DecodedImageInfo
    /// All chunks of the image, from the top.
    package var chunks: [RowChunk]
    /// The pixels that it was scaled to, if it is placed (`ImageScaling.part`).
    package var part: PixelRect?

    package init(info: DecodedImageInfo, chunks: [RowChunk], part: PixelRect? = nil) {
        self.info = info
        self.chunks = chunks
        self.part = part
    }

    package var size: PixelSize { info.size }
    package var format: SampleFormat { info.format }
    /// For masks: bounds of the pixels above 0, in mask pixels; nil if there are none. Not used for colour.
    package var maskBounds: PixelRect? { info.maskBounds }

    /// Whether the image matches the request for one of this size: a worker's answer is not trusted.
    package func answers(_ request: ImageRequest, _ wanted: PixelSize) -> Bool {
        let perChunk = ImageSlice.rowsPerChunk
        guard size == wanted, chunks.count == (size.height + perChunk - 1) / perChunk,
            format.isScaled == !request.scalings.isEmpty
        else { return false }
        switch request.use {
        case .mask:
            guard format.isMask else { return false }
            guard let bounds = maskBounds else { return true }
            return bounds.x >= 0 && bounds.y >= 0 && bounds.width > 0 && bounds.height > 0
                && bounds.width <= size.width && bounds.height <= size.height
                && bounds.x <= size.width - bounds.width && bounds.y <= size.height - bounds.height
        case .color: return !format.isMask
        }
    }

    /// The chunks that contain `rows`.
    package func slice(rows: Range<Int>) -> ImageSlice {
        let range = ImageSlice.chunks(of: rows)
        return ImageSlice(size: size, format: format, firstChunk: range.lowerBound, chunks: Array(chunks[range]))
    }
}

/// A picture that files are made of, with its strokes split into blocks.
package struct DraftPicture: Sendable {
    package var source: PictureSource
    /// Images are indices into the draft's `images`.
    package var scene: Scene<SceneImage<Int>, MarkBlockIndex>
    package var format: PixelFormat
    package var costs: RowCosts
    /// How its rows are encoded for the files that have it, and which of their pictures it is.
    package var uses: [(encoding: PictureEncoding, file: Int, picture: Int, drawing: DrawingDraft?)] = []
    /// Whether a file is made of its pixels.
    package var isRendered: Bool { uses.contains { $0.drawing == nil } }
}

/// A project and its options, split into blocks: everything that can be done before the images are decoded.
///
/// It contains only values; the project itself is no longer needed.
package struct PictureDraft: Sendable {
    package var name: String
    /// The picture itself first.
    package var pictures: [DraftPicture] = []
    package var tile: PixelSize?
    /// At least one.
    package var files: [PictureFileOptions]
    /// The layers of each file that holds them.
    package var layers: [[LayeredNode]?] = []
    /// The description of each file but for its digest.
    var common: PictureDescription
    package var limits: Limits
    package var images: [ImageRequest] = []

    /// The longest edge of a canvas or an output that can be split, in pixels.
    package static let edgeMax = 1 << 24

    /// Appends the blocks that `images` and `layers` refer to to `blocks`, each once.
    ///
    /// - Parameters:
    ///   - measures: of this project.
    ///   - name: the project's name in messages.
    /// - Throws: an input error if the project or the picture exceeds a limit, `internalError` if something cannot be packed.
    package init(
        _ project: Project, _ measures: ProjectMeasures = ProjectMeasures(), order: PictureOrder, name: String,
        limits: Limits, encoder: BlockEncoder, blocks: inout [EncodedBlock]
    ) throws(EngineError) {
        let hasPages = project.pages != nil
        let (project, view) = try project.page(order.options.view, place: Place(file: name))
        let measures = hasPages ? ProjectMeasures() : measures
        var order = order
        order.options.view = view
        let options = order.options
        self.name = name
        self.limits = limits
        tile = options.tile
        files = options.files
        common = options.description(of: project, output: order.output, software: order.software, digest: nil)
        let place = Place(file: name)
        try options.check(place: place)
        let codecs = try files.map { file throws(EngineError) in try PictureCodecs.codec(file.encoding.format) }
        let viewport = try project.viewport(options.view, place: place)
        try PictureDraft.check(
            project, measures.of(project), viewport, order.output, options, limits: limits, name: name)
        let recipes = try zip(codecs, files).map { (codec, file) throws(EngineError) in
            try codec.recipe(project, options, size: order.output, file.encoding, place: place)
        }
        layers = recipes.map { $0.layers?.nodes }
        var requests = ImageRequests(
            project: name, convertsProfiles: project.hasColorProfiles, limits: limits, encoder: encoder)
        for (file, recipe) in recipes.enumerated() {
            try add(recipe, ofFile: file, project, measures, order, encoder: encoder, &requests, &blocks)
        }
        // Bands are written by rows of tiles, which these do not have.
        pictures = pictures.filter { !$0.source.isDrawn } + pictures.filter(\.source.isDrawn)
        images = requests.requests.map(\.scaledIfWorthwhile)
        putSlowImagesFirst()
    }

    /// Adds the pictures of a file's recipe. One that another file has too is there once.
    private mutating func add(
        _ recipe: FileRecipe, ofFile file: Int, _ project: Project, _ measures: ProjectMeasures, _ order: PictureOrder,
        encoder: BlockEncoder, _ requests: inout ImageRequests, _ blocks: inout [EncodedBlock]
    ) throws(EngineError) {
        for (number, picture) in recipe.pictures.enumerated() {
            let index: Int
            if let known = pictures.firstIndex(where: { $0.source == picture.source }) {
                index = known
            } else {
                let subject = recipe.subject(of: picture.source, project, order.options, size: order.output)
                var own = order
                (own.options, own.output) = (subject.options, subject.size)
                pictures.append(
                    try DraftPicture(
                        picture.source, of: subject.project, picture.source == .whole ? measures : ProjectMeasures(),
                        order: own, name: name, encoder: encoder, &requests, &blocks))
                index = pictures.count - 1
            }
            var drawing: DrawingDraft?
            if picture.source == .whole, var drawn = recipe.drawing?.picture {
                drawn.description = description(files[file])
                let layers = project.layers.flattened().map(\.layer)
                drawing = try DrawingDraft(
                    drawn, cost: DrawingDraft.cost(of: layers, measures.of(project)), encoder: encoder,
                    blocks: &blocks)
            }
            pictures[index].uses.append((picture.encoding, file, number, drawing))
        }
    }

    package func description(_ file: PictureFileOptions) -> PictureDescription {
        var description = common
        description.digest = file.digest.flatMap { PictureDigest(bytes: $0) }
        return description
    }

    /// Sorts slow images first, so that no worker begins a slow image when the others have nothing left to do.
    private mutating func putSlowImagesFirst() {
        let order = images.indices.sorted {
            (images[$0].decodingCost, $1) > (images[$1].decodingCost, $0)
        }
        var places = Array(repeating: 0, count: images.count)
        for (place, image) in order.enumerated() { places[image] = place }
        images = order.map { images[$0] }
        for index in pictures.indices {
            pictures[index].scene.baseImage = pictures[index].scene.baseImage.map { $0.map { places[$0] } }
            pictures[index].scene.layers = pictures[index].scene.layers.map { $0.renumbered(places) }
        }
    }

    private static func check(
        _ project: Project, _ measures: [[StrokeMeasure]], _ viewport: Viewport?, _ size: PixelSize,
        _ options: PictureOptions, limits: Limits, name: String
    ) throws(EngineError) {
        let canvas = viewport?.size ?? project.canvasSize
        guard size.width > 0, size.height > 0, canvas.width > 0, canvas.height > 0 else {
            throw .badInput(Place(file: name), reason: "a picture of \(size) pixels cannot be made")
        }
        // A limit for any settings: tables with a value per row, and 32-bit coordinates, must suffice.
        let edge = max(Double(size.longestEdge), viewport == nil ? canvas.longestEdge : 0)
        guard edge <= Double(PictureDraft.edgeMax) else {
            throw .overLimit(
                Place(file: name), what: "the longest edge", found: "\(Int(edge)) pixels",
                limit: "\(edgeMax) pixels")
        }
        try options.checkFormats(size, place: Place(file: name))
        try ExportSize.check(size, limits: limits, place: Place(file: name))
        try StampCount.check(project, measures, limits: limits, file: name)
    }
}

extension DraftPicture {
    /// - Parameter codecs: of the files that are made of pixels.
    static func format(_ mode: ColorMode, on background: RGBA8, _ codecs: [any PictureCodec]) -> PixelFormat {
        switch mode {
        case .automatic: background.isOpaque || !codecs.contains(where: \.hasAlpha) ? .rgb : .rgba
        case .rgb: .rgb
        case .rgba: .rgba
        }
    }

    /// - Parameters:
    ///   - project: with the elements that the picture shows.
    ///   - measures: of this project.
    ///   - requests: the images of all pictures.
    fileprivate init(
        _ source: PictureSource, of project: Project, _ measures: ProjectMeasures, order: PictureOrder, name: String,
        encoder: BlockEncoder, _ requests: inout ImageRequests, _ blocks: inout [EncodedBlock]
    ) throws(EngineError) {
        let options = order.options
        let viewport = try project.viewport(options.view, place: Place(file: name))
        var order = order
        let place =
            source == .whole
            ? try FramedDrawing(
                of: project, canvas: viewport?.size ?? project.canvasSize, order, limits: requests.limits,
                place: Place(file: name))
            : FramedDrawing(size: order.output)
        order.output = place.size
        var codecs = try options.files.map { file throws(EngineError) in try PictureCodecs.codec(file.encoding.format) }
        self.source = source
        scene = Scene(
            canvas: viewport?.size ?? project.canvasSize, output: order.output,
            background: options.background ?? project.background,
            patternOrigin: viewport.map { ViewMap($0).point(Point(x: 0, y: 0)) } ?? Point(x: 0, y: 0))
        scene.frame = place.frame
        codecs = codecs.filter { !$0.isVector }
        format = DraftPicture.format(options.colorMode, on: scene.background, codecs)
        costs = RowCosts(output: scene.picture)
        // Nothing is rendered of a picture that is only drawn.
        if codecs.isEmpty { return }
        var builder = SceneBuilder(
            project, measures.of(project), through: viewport, order: order, images: requests, encoder: encoder)
        if options.includesBaseImage, let base = project.baseImage {
            scene.baseImage = try builder.image(base, .color, nil)
        }
        let tree = DrawnTree(project.layers, chosen: options.layers)
        scene.layers = try builder.elements(tree.drawn(fillsSuggested: options.fillsSuggested))
        costs = place.frame.map { builder.costs.framed($0) } ?? builder.costs
        requests = builder.images
        blocks += builder.blocks
    }
}

extension SceneLayer where Image == SceneImage<Int> {
    /// With the images at their new places.
    fileprivate func renumbered(_ places: [Int]) -> SceneLayer {
        var layer = self
        layer.mask = mask.map { $0.map { places[$0] } }
        switch kind {
        case .marks(let content, let strokes):
            layer.kind = .marks(content.map { $0.map { places[$0] } }, strokes)
        case .fill: break
        case .group(let group, let children):
            layer.kind = .group(group, children.map { $0.renumbered(places) })
        }
        return layer
    }
}

/// The images of a draft. The same bytes for the same use are decoded once.
package struct ImageRequests {
    package let project: String
    package let convertsProfiles: Bool
    package let limits: Limits
    package let encoder: BlockEncoder
    package var requests: [ImageRequest] = []
    /// The files that have blocks. A name alone would not identify local blocks.
    private var files: [(bytes: [UInt8], block: (id: BlockID, byteCount: Int))] = []

    package init(project: String, convertsProfiles: Bool, limits: Limits, encoder: BlockEncoder) {
        self.project = project
        self.convertsProfiles = convertsProfiles
        self.limits = limits
        self.encoder = encoder
    }

    /// - Parameters:
    ///   - raster: of a vector image; the same file is drawn once in each size.
    ///   - scaling: how it lies in the scene.
    ///   - filter: how it becomes pixels of another size.
    /// - Throws: `overLimit` for a raster beyond the limits.
    package mutating func index(
        of image: EncodedImage, _ use: ImageUse, _ raster: VectorRaster?, _ scaling: ImageScaling,
        _ filter: ContentFilter, _ blocks: inout [EncodedBlock]
    ) throws(EngineError) -> Int {
        let place = Place(file: project, path: image.place.isEmpty ? nil : image.place)
        try raster?.check(against: limits, place: place)
        let file = try block(of: image.bytes, &blocks)
        let known = requests.firstIndex {
            $0.file == file.id && $0.use == use && $0.raster == raster && $0.filter == filter
        }
        if let known {
            if !requests[known].scalings.contains(scaling) { requests[known].scalings.append(scaling) }
            return known
        }
        requests.append(
            ImageRequest(
                file: file.id, fileBytes: file.byteCount, use: use, convertsProfiles: convertsProfiles,
                filter: filter, raster: raster, scalings: [scaling], size: raster?.part.size ?? image.size, place: place
            ))
        return requests.count - 1
    }

    private mutating func block(
        of bytes: [UInt8], _ blocks: inout [EncodedBlock]
    ) throws(EngineError) -> (id: BlockID, byteCount: Int) {
        if let known = files.first(where: { ImageRequests.areEqual($0.bytes, bytes) }) { return known.block }
        let block = try encoder.bytes(bytes)
        blocks.append(block)
        let held = (id: block.id, byteCount: block.frame.isEmpty ? bytes.count : block.frame.count)
        files.append((bytes, held))
        return held
    }

    /// Whether two arrays are equal. `==` compares byte by byte and is slower.
    private static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && (a.isEmpty || memcmp(a, b, a.count) == 0)
    }
}
