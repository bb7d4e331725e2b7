package import InkCodecs
package import InkEngine

/// A picture of a job, divided into tiles.
package struct PlannedPicture: Sendable {
    package typealias PlanLayer = SceneLayer<SceneImage<DecodedImage>, MarkBlockIndex>

    package let source: PictureSource
    package let scene: Scene<SceneImage<DecodedImage>, MarkBlockIndex>
    package let format: PixelFormat
    package let share: PictureShare
    /// Those of the members that are drawn; nil for the others.
    package let drawings: [DrawingDraft?]
    /// The part of the picture that is rendered, in its pixels; empty if there is nothing in it.
    package let rect: PixelRect
    /// The tiles of that part.
    package let grid: TileGrid
    /// Rows of tiles.
    package var rowCount: Int { rect.isEmpty ? 0 : grid.rows }
    package let costs: RowCosts

    package var set: PictureSet { share.set }

    /// Rows of a tile that may be looked up: few, since one stroke changes all tiles that it meets.
    private static let keptRows = 64

    /// - Parameters:
    ///   - tile: its wanted size; nil: bands of a height that the costs suggest.
    /// - Throws: `EngineError.internalError` if a format is unknown.
    fileprivate init(
        _ picture: DraftPicture, _ draft: PictureDraft, decoded: [[DecodedImage]], tile: PixelSize?, keepsResults: Bool
    ) throws(EngineError) {
        source = picture.source
        format = picture.format
        costs = picture.costs
        share = PictureShare(
            set: try PictureSet(picture.uses.map(\.encoding), pixels: picture.format),
            uses: picture.uses.map { ($0.file, $0.picture) })
        drawings = picture.uses.map(\.drawing)
        /// The image as it was scaled for its place, if it was.
        func image(_ image: SceneImage<Int>) -> SceneImage<DecodedImage> {
            let request = draft.images[image.source]
            let position = request.scalings.firstIndex(of: picture.scene.scaling(of: image)) ?? 0
            var found = decoded[image.source][position]
            if image.placement != nil, !request.scalings.isEmpty {
                found.part = request.scalings[position].part(of: request.size, as: request.use)
            }
            return image.map { _ in found }
        }
        var scene = Scene<SceneImage<DecodedImage>, MarkBlockIndex>(
            canvas: picture.scene.canvas, output: picture.scene.output, background: picture.scene.background,
            patternOrigin: picture.scene.patternOrigin, baseImage: picture.scene.baseImage.map(image))
        scene.frame = picture.scene.frame
        for layer in picture.scene.layers {
            let planned = layer.mapped { (layer, children) -> PlanLayer? in
                let mask = layer.mask.map(image)
                if let mask, mask.source.maskBounds == nil, mask.placement == nil || mask.outside == 0 { return nil }
                let kind: PlanLayer.Kind
                switch layer.kind {
                case .fill(let color): kind = .fill(color)
                case .group(let group, _): kind = .group(group, children)
                case .marks(let content, let strokes):
                    kind = .marks(content.map(image), strokes)
                }
                return PlanLayer(
                    opacity: layer.opacity, blendMode: layer.blendMode, mask: mask, maskShapes: layer.maskShapes,
                    kind: kind)
            }
            if let planned { scene.layers.append(planned) }
        }
        self.scene = scene
        let rect =
            !picture.isRendered
            ? PixelRect(x: 0, y: 0, width: 0, height: 0)
            : source.isCropped
                ? scene.inkedRect : PixelRect(x: 0, y: 0, width: scene.picture.width, height: scene.picture.height)
        self.rect = rect
        let multiple = share.set.rowMultiple
        if rect.isEmpty {
            grid = TileGrid(output: scene.picture, tile: scene.picture)
        } else if let tile = tile ?? (keepsResults ? PixelSize(width: rect.width, height: Self.keptRows) : nil) {
            grid = TileGrid(output: rect.size, tile: tile, rowMultiple: multiple)
        } else {
            grid = TileGrid(output: rect.size, rowCosts: Array(costs.perRow[rect.rows]), rowMultiple: multiple)
        }
    }

    /// How often the samples of tiles are halved. Those of a part of a row are needed as they are for the row.
    package var halvings: Int { grid.isBands && !set.streamed.isEmpty ? set.halvings(of: scene.picture) : 0 }

    /// In the picture that its tiles are a part of.
    package func pixelRows(ofRow row: Int) -> Range<Int> {
        let rows = grid.pixelRows(ofRow: row)
        return (rows.lowerBound + rect.y)..<(rows.upperBound + rect.y)
    }

    fileprivate func task(row: Int, column: Int) -> TileTask {
        var rect = grid.rect(row: row, column: column)
        rect.x += self.rect.x
        rect.y += self.rect.y
        var task = TileTask(
            canvas: scene.canvas, output: scene.output, rect: rect, background: scene.background, baseImage: nil,
            layers: [], pixelFormat: format, delivery: delivery(isLast: row == grid.rows - 1),
            patternOrigin: scene.patternOrigin, frame: scene.frame)
        // A tile beside the drawing shows nothing of it.
        let drawn = if let frame = scene.frame { frame.shown(in: rect, of: scene.output) } else { PixelRect?(rect) }
        if let drawn {
            task.baseImage = scene.baseImage.flatMap { visibleSlice(of: $0, drawn, filter: .lanczos3) }
            task.layers = scene.layers.compactMap { tileLayer($0, drawn) }
        }
        return task
    }

    private func delivery(isLast: Bool) -> TileDelivery {
        guard grid.isBands, !set.streamed.isEmpty, !source.isDrawn else { return .pixels }
        let encoding = encoding(isLast: isLast)
        return !set.needsPixels ? .band(encoding) : .bandAndPixels(encoding, halvings: halvings)
    }

    fileprivate func encoding(isLast: Bool) -> PieceEncoding {
        let encodings = set.streamed.map(\.encoding)
        return PieceEncoding(encodings[0], others: Array(encodings.dropFirst()), isLast: isLast)
    }

    /// Nil if nothing of the element can be visible in `rect`.
    private func tileLayer(_ layer: PlanLayer, _ rect: PixelRect) -> TileLayer? {
        layer.mapped { (layer, children) -> TileLayer? in
            var mask: ImageSlice?
            if let image = layer.mask {
                guard let slice = visibleSlice(of: image, rect, filter: .triangle) else { return nil }
                mask = slice
            }
            let maskShapes = layer.maskShapes?.selections(meeting: rect)
            if let maskShapes, !maskShapes.arePainting { return nil }
            let kind: TileLayer.Kind
            switch layer.kind {
            case .fill(let paint): kind = .fill(paint)
            case .group(let group, _): kind = .group(group, children)
            case .marks(let image, let blocks):
                let content = image.flatMap { visibleSlice(of: $0, rect, filter: .lanczos3) }
                let marks = blocks.selections(meeting: rect)
                guard content != nil || marks.arePainting else { return nil }
                kind = .marks(content, marks.all)
            }
            return TileLayer(
                opacity: layer.opacity, blendMode: layer.blendMode, mask: mask, maskShapes: maskShapes?.all, kind: kind)
        }
    }

    /// The chunks that a part of the output needs; nil if they are all transparent, or all 0 in a mask, or none shows.
    private func visibleSlice(
        of image: SceneImage<DecodedImage>, _ rect: PixelRect, filter: ResampleFilter
    ) -> ImageSlice? {
        let decoded = image.source
        let needed: Range<Int>?
        if let placement = image.placement {
            needed = ImageSlice.rowsNeeded(
                for: rect, placement, image: decoded.size, part: decoded.part, canvas: scene.canvas,
                output: scene.output, filter: filter)
        } else {
            needed = ImageSlice.rowsNeeded(
                for: rect.rows, imageHeight: decoded.size.height, outputHeight: scene.output.height, filter: filter)
        }
        var slice =
            needed.map { decoded.slice(rows: $0) }
            ?? ImageSlice(size: decoded.size, format: decoded.format, firstChunk: 0, chunks: [])
        slice.placement = image.placement
        slice.outside = image.outside
        slice.part = decoded.part
        slice.filter = image.filter
        let isHidden = slice.chunks.allSatisfy { chunk in
            if case .constant(let value) = chunk { decoded.format.isInvisible(value) } else { false }
        }
        return isHidden && (image.placement == nil || image.outside == 0) ? nil : slice
    }
}

/// The division of a job's pictures into tiles, and the data that each tile needs. The rows of tiles of all pictures are
/// numbered through.
package struct PicturePlan: Sendable {
    /// The picture itself first.
    package let pictures: [PlannedPicture]
    /// One a file.
    package let heads: [PictureHead]
    /// Average estimate for a tile, in nanoseconds.
    package let tileNanoseconds: Double
    /// Whether results of earlier exports may serve for its tiles, which are then cut where they do not change with what
    /// the picture shows.
    package let looksUpTiles: Bool
    /// The picture of each row of tiles.
    private let owners: [Int]
    /// The first row of tiles of each picture.
    private let firstRows: [Int]

    /// - Parameters:
    ///   - decoded: for each of the draft's images, in order: itself, or what each of its scalings gave.
    ///   - keepsResults: whether results of tiles are kept for other exports.
    /// - Throws: `internalError` if the picture's format is unknown.
    package init(
        _ draft: PictureDraft, decoded: [[DecodedImage]], keepsResults: Bool = false
    ) throws(EngineError) {
        // Rows of all pictures have as many tiles: where there are several pictures, one.
        let width = draft.pictures[0].scene.picture.width
        let tile =
            draft.pictures.count == 1 ? draft.tile : draft.tile.map { PixelSize(width: width, height: $0.height) }
        let pictures = try draft.pictures.map { picture throws(EngineError) in
            // Images in a file of lines are what they would be without it.
            let isDrawn = picture.source.isDrawn
            return try PlannedPicture(
                picture, draft, decoded: decoded, tile: isDrawn ? nil : tile, keepsResults: keepsResults && !isDrawn)
        }
        self.pictures = pictures
        heads = draft.files.indices.map { file in
            var parts: [LayeredLayout.Part] = []
            for number in 0... {
                let found = pictures.first { picture in
                    picture.share.uses.contains { $0.file == file && $0.picture == number }
                }
                guard let found else { break }
                parts.append(LayeredLayout.Part(source: found.source, rect: found.rect, pixels: found.format))
            }
            let encoding = draft.files[file].encoding
            let hasAlpha = PictureCodecs.codec(of: encoding.format)?.hasAlpha == true
            return PictureHead(
                size: pictures[0].scene.picture, pixels: hasAlpha ? pictures[0].format : .rgb, encoding: encoding,
                description: draft.description(draft.files[file]),
                layers: draft.layers[file].map { LayeredLayout(nodes: $0, parts: parts) })
        }
        firstRows = pictures.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.rowCount) }
        owners = pictures.enumerated().flatMap { Array(repeating: $0, count: $1.rowCount) }
        looksUpTiles = keepsResults
        tileNanoseconds =
            pictures.reduce(0) { $0 + $1.costs.perRow[$1.rect.rows].reduce(0, +) }
            / Double(max(1, pictures.reduce(0) { $0 + $1.rowCount * $1.grid.columns }))
    }

    /// The picture that was asked for.
    package var whole: PlannedPicture { pictures[0] }
    /// Rows of tiles of all pictures.
    package var rowCount: Int { owners.count }
    /// Tiles in each row.
    package var columns: Int { whole.grid.columns }
    package var tileCount: Int { rowCount * columns }

    /// The picture of a row of tiles, and the row's number in it.
    package func place(ofRow row: Int) -> (picture: PlannedPicture, row: Int) {
        let owner = owners[row]
        return (pictures[owner], row - firstRows[owner])
    }

    /// Pixels of all images in files of lines.
    package var drawnPixels: Int { pictures.reduce(0) { $0 + ($1.source.isDrawn ? $1.scene.picture.area : 0) } }

    /// The rows of tiles of a picture.
    package func rows(ofPicture picture: Int) -> Range<Int> { firstRows[picture]..<firstRows[picture + 1] }

    /// The number of the picture of a row of tiles.
    package func picture(ofRow row: Int) -> Int { owners[row] }

    /// The task for a tile; the same for the same draft and decoded images.
    package func task(row: Int, column: Int) -> TileTask {
        let place = place(ofRow: row)
        return place.picture.task(row: place.row, column: column)
    }

    /// The blocks that hold the samples of images.
    package var imageBlocks: Set<BlockID> {
        var blocks: Set<BlockID> = []
        func add(_ image: SceneImage<DecodedImage>?) {
            for case .samples(let block) in image?.source.chunks ?? [] { blocks.insert(block) }
        }
        for scene in pictures.map(\.scene) {
            add(scene.baseImage)
            for layer in scene.layers {
                layer.forEach { layer in
                    add(layer.mask)
                    if case .marks(let image, _) = layer.kind { add(image) }
                }
            }
        }
        return blocks
    }

    /// How a row of tiles is encoded, for the files that are encoded piece by piece.
    package func encoding(ofRow row: Int) -> PieceEncoding {
        let place = place(ofRow: row)
        return place.picture.encoding(isLast: place.row == place.picture.grid.rows - 1)
    }

    /// Size of a tile's samples as they are delivered, in bytes.
    package func pixelBytes(row: Int, column: Int) -> Int {
        let (picture, row) = place(ofRow: row)
        return picture.grid.rect(row: row, column: column).size.halved(picture.halvings).area
            * picture.format.bytesPerPixel
    }

    /// Size of the raw bytes of the piece for a row of tiles; 0 where there are none.
    package func rawBytes(ofRow row: Int) -> Int {
        guard row < rowCount else { return 0 }
        let (picture, row) = place(ofRow: row)
        let rowCount = picture.grid.pixelRows(ofRow: row).count
        return picture.set.streamed.isEmpty
            ? rowCount * picture.rect.width * picture.format.bytesPerPixel
            : picture.set.rawByteCount(rowCount: rowCount, width: picture.rect.width)
    }
}

extension Scene {
    /// How one of its images is scaled if that is done when it is decoded.
    func scaling(of image: SceneImage<Int>) -> ImageScaling {
        ImageScaling(placement: image.placement, canvas: canvas, output: output)
    }
}

extension Scene where Image == SceneImage<DecodedImage>, Strokes == MarkBlockIndex {
    /// A rectangle outside of which nothing is drawn, in output pixels; empty if nothing is.
    fileprivate var inkedRect: PixelRect {
        var box = PixelBox()
        for layer in layers { box.add(inkedBox(of: layer)) }
        return box.rect ?? PixelRect(x: 0, y: 0, width: 0, height: 0)
    }

    private func inkedBox(of layer: SceneLayer<Image, Strokes>) -> PixelBox {
        let everything = PixelBox(columns: 0..<output.width, rows: 0..<output.height)
        var box = PixelBox()
        switch layer.kind {
        case .fill: box = everything
        case .marks(let content, let blocks):
            if let content { box = shownBox(of: content) ?? everything }
            box.add(paintedBox(of: blocks))
        case .group(_, let children): for child in children { box.add(inkedBox(of: child)) }
        }
        if let shapes = layer.maskShapes { box.clamp(to: paintedBox(of: shapes)) }
        if let mask = layer.mask, let shown = reach(of: mask) { box.clamp(to: shown) }
        return box
    }

    private func paintedBox(of blocks: [MarkBlockIndex]) -> PixelBox {
        var box = PixelBox()
        for block in blocks where block.union.isPaint {
            box.add(
                PixelBox(
                    columns: Int(block.union.minX)..<Int(block.union.maxX),
                    rows: Int(block.union.minY)..<Int(block.union.maxY)))
        }
        return box
    }

    /// The output pixels of an image that is placed upright; nil for others.
    private func shownBox(of image: Image) -> PixelBox? {
        guard let placement = image.placement, placement.rotation == 0 else { return nil }
        let scaling = ImageScaling(placement: placement, canvas: canvas, output: output)
        let part = image.source.part ?? scaling.part(of: image.source.size, as: .color)
        return part.map { PixelBox(columns: $0.columns, rows: $0.rows) } ?? PixelBox()
    }

    /// The output pixels that a mask shows anything of; nil if they are not known.
    private func reach(of mask: Image) -> PixelBox? {
        if mask.placement != nil, mask.outside > 0 { return nil }
        if mask.source.part != nil { return shownBox(of: mask) }
        let placement = mask.placement ?? Placement(filling: canvas)
        guard placement.rotation == 0, let bounds = mask.source.maskBounds else { return nil }
        let size = mask.source.size
        return PixelBox(
            columns: reach(
                of: bounds.columns, size.width, from: placement.x, over: placement.width,
                scale: Double(output.width) / canvas.width, output.width),
            rows: reach(
                of: bounds.rows, size.height, from: placement.y, over: placement.height,
                scale: Double(output.height) / canvas.height, output.height))
    }

    /// The output pixels that some samples of a mask can reach, which the triangle filter spreads to their neighbours.
    private func reach(
        of samples: Range<Int>, _ count: Int, from start: Double, over length: Double, scale: Double, _ outputCount: Int
    ) -> Range<Int> {
        let step = length * scale / Double(count)
        let margin = 2 * max(1, step)
        let first = start * scale + Double(samples.lowerBound) * step - margin
        let end = start * scale + Double(samples.upperBound) * step + margin
        // A placement beyond all measure may be anywhere.
        guard first.isFinite, end.isFinite else { return 0..<outputCount }
        func pixel(_ value: Double) -> Int { Int(min(max(0, value), Double(outputCount))) }
        return pixel(first.rounded(.down))..<pixel(max(first, end).rounded(.up))
    }
}

/// Some pixels; empty at first.
private struct PixelBox {
    var columns = 0..<0
    var rows = 0..<0

    var rect: PixelRect? {
        columns.isEmpty || rows.isEmpty
            ? nil : PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    mutating func clamp(to other: PixelBox) {
        (columns, rows) = (columns.clamped(to: other.columns), rows.clamped(to: other.rows))
    }

    mutating func add(_ other: PixelBox) {
        guard other.rect != nil else { return }
        guard rect != nil else { return self = other }
        columns = min(columns.lowerBound, other.columns.lowerBound)..<max(columns.upperBound, other.columns.upperBound)
        rows = min(rows.lowerBound, other.rows.lowerBound)..<max(rows.upperBound, other.rows.upperBound)
    }
}
