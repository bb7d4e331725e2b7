import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport

/// Valid values of the protocol, small and varied, from a seed.
extension SeededGenerator {
    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func double(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }
    mutating func bool() -> Bool { Bool.random(using: &self) }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
    mutating func word() -> UInt32 { UInt32.random(in: 0...UInt32.max, using: &self) }
    mutating func blockID() -> BlockID { BlockID(digest: bytes(32)) }
    mutating func text() -> String {
        ["", "layers[3].maskImage", "Zeichnung ü", "a\nb", "墨"].randomElement(using: &self)!
    }

    mutating func color() -> RGBA8 {
        let c = bytes(4)
        return RGBA8(red: c[0], green: c[1], blue: c[2], alpha: c[3])
    }

    mutating func slice() -> ImageSlice {
        let size = PixelSize(width: int(1...5000), height: int(1...1000))
        let total = (size.height + 63) / 64
        let first = int(0...(total - 1))
        let chunks = (0..<int(0...(total - first))).map { _ in
            bool() ? RowChunk.constant(word()) : .samples(blockID())
        }
        var placement: Placement?
        if int(0...3) == 0 {
            placement = Placement(
                x: double(-1e6...1e6), y: double(-9...9), width: double(0.1...1e6), height: double(1...9),
                rotation: double(-720...720))
        }
        let format = SampleFormat.allCases.randomElement(using: &self)!
        let part = placement != nil && format.isScaled ? raster().part : nil
        return ImageSlice(
            size: size, format: format, firstChunk: first, chunks: chunks, placement: placement, part: part,
            filter: !format.isScaled && bool() ? .nearest : .lanczos)
    }

    mutating func scaling() -> ImageScaling {
        let placement = Placement(
            x: double(-1e6...1e6), y: double(-9...9), width: double(0.1...1e6), height: double(1...9),
            rotation: double(-720...720))
        return ImageScaling(
            placement: bool() ? placement : nil, canvas: CanvasSize(width: double(0.1...99), height: double(1...9e6)),
            output: PixelSize(width: int(1...65_536), height: int(1...65_536)))
    }

    mutating func layer(depth: Int = 1) -> TileLayer {
        if depth < 5, int(0...3) == 0 {
            let kind: TileLayer.Kind =
                bool()
                ? .fill(paint(isFill: true))
                : .group(
                    SceneGroup.allCases.randomElement(using: &self)!,
                    (0..<int(0...3)).map { _ in layer(depth: depth + 1) })
            return TileLayer(
                opacity: double(0...1), blendMode: BlendMode.allCases.randomElement(using: &self)!,
                mask: bool() ? slice() : nil, maskShapes: bool() ? selections() : nil, kind: kind)
        }
        return TileLayer(
            opacity: double(0...1), blendMode: BlendMode.allCases.randomElement(using: &self)!,
            mask: bool() ? slice() : nil, maskShapes: bool() ? selections() : nil,
            kind: .marks(bool() ? slice() : nil, selections()))
    }

    private mutating func selections() -> [StrokeSelection] {
        (0..<int(0...3)).map { _ in
            StrokeSelection(block: blockID(), indices: Set((0..<int(0...9)).map { _ in int(0...100_000) }).sorted())
        }
    }

    mutating func encoding() -> PieceEncoding {
        PieceEncoding(pictureEncoding(), others: (0..<int(0...2)).map { _ in pictureEncoding() }, isLast: bool())
    }

    mutating func pictureEncoding() -> PictureEncoding {
        let format = PictureFormat(rawValue: UInt8(int(0...22)))
        let hasTiles = [.szi, .dzi, .iiif].contains(format)
        var encoding = PictureEncoding(
            format: format,
            effort: EncodingEffort.allCases.randomElement(using: &self)!,
            quality: bool() ? int(1...100) : nil,
            chroma: bool() ? ChromaSampling.allCases.randomElement(using: &self) : nil,
            compression: bool() ? StripCompression.allCases.randomElement(using: &self) : nil,
            bleed: bool() && !hasTiles ? int(1...500_000) : nil)
        if bool() { encoding.bytesMax = int(PictureEncoding.bounds) }
        if hasTiles, bool() { encoding.tileSize = PictureEncoding.tileSizes.randomElement(using: &self) }
        if hasTiles { encoding.tileOverlap = int(PictureEncoding.tileOverlaps) }
        encoding.plot.keepsHidden = bool()
        if bool() { encoding.plot.pens = int(PlotSettings.penCounts) }
        if bool() {
            encoding.plot.hatch = PlotSettings.Hatch(
                spacing: int(PlotSettings.spacings), angle: int(PlotSettings.angles))
        }
        return encoding
    }

    mutating func tileTask() -> TileTask {
        let output = PixelSize(width: int(1...5000), height: int(1...5000))
        let isBand = bool()
        let x = isBand ? 0 : int(0...(output.width - 1))
        let y = int(0...(output.height - 1))
        let rect = PixelRect(
            x: x, y: y, width: isBand ? output.width : int(1...(output.width - x)), height: int(1...(output.height - y))
        )
        return TileTask(
            canvas: CanvasSize(PixelSize(width: int(1...5000), height: int(1...5000))), output: output, rect: rect,
            background: color(), baseImage: bool() ? slice() : nil, layers: (0..<int(0...4)).map { _ in layer() },
            pixelFormat: bool() ? .rgb : .rgba,
            delivery: isBand ? bool() ? .band(encoding()) : .bandAndPixels(encoding(), halvings: int(0...8)) : .pixels,
            patternOrigin: bool() ? Point(x: 0, y: 0) : Point(x: double(-1e12...1e12), y: double(-100...100)))
    }

    mutating func place() -> Place { Place(file: text(), path: bool() ? text() : nil) }

    mutating func encodeTask() -> EncodeTask {
        let y = int(0...1000)
        let height = int(1...512)
        var pieces: [BandTile] = []
        var x = 0
        for _ in 0..<int(1...5) {
            let rect = PixelRect(x: x, y: y, width: int(1...512), height: height)
            pieces.append(BandTile(rect: rect, block: blockID()))
            x += rect.width
        }
        return EncodeTask(
            rect: PixelRect(x: 0, y: y, width: x, height: height), format: bool() ? .rgb : .rgba,
            encoding: encoding(), pieces: pieces)
    }

    mutating func finishTask() -> FinishTask {
        var rows: [[BandTile]] = []
        let width = int(1...900)
        var y = 0
        for _ in 0..<int(1...4) {
            let height = int(1...512)
            let cut = int(0...(width - 1))
            let columns = cut == 0 ? [0..<width] : [0..<cut, cut..<width]
            rows.append(
                columns.map {
                    BandTile(
                        rect: PixelRect(x: $0.lowerBound, y: y, width: $0.count, height: height), block: blockID())
                })
            y += height
        }
        let halvings = int(0...8)
        return FinishTask(
            size: PixelSize(width: width << halvings, height: y << halvings), format: bool() ? .rgb : .rgba,
            encoding: encoding().picture, halvings: halvings, rows: rows)
    }

    mutating func drawTask() -> DrawTask {
        DrawTask(
            picture: blockID(), marks: (0..<int(0...3)).map { _ in blockID() },
            images: (0..<int(0...2)).map { _ in finishTask() })
    }

    /// A picture of up to three levels of elements with a few strokes.
    mutating func drawnPicture() -> DrawnPicture {
        var picture = DrawnPicture(
            drawnLayers(depth: 2), name: text(), encoding: pictureEncoding(),
            canvas: CanvasSize(width: double(1...5000), height: double(1...5000)),
            output: PixelSize(width: int(1...5000), height: int(1...5000)), background: color(),
            fillsSuggested: bool())
        picture.hasBaseImage = bool()
        if bool() {
            picture.viewport = Viewport(
                center: Point(x: double(-1e9...1e9), y: double(-9...9)), zoom: double(0.1...10),
                rotation: double(-720...720), size: picture.canvas)
        }
        if bool() { picture.dotsPerInch = double(1...2400) }
        picture.description = PictureDescription(
            dotsPerInch: bool() ? 300 : nil, text: bool() ? [PictureText(.title, text())] : [],
            digest: bool() ? PictureDigest(bytes: bytes(32)) : nil, hasProfile: bool())
        if bool() { picture.description.exif = bytes(int(0...40)) }
        if bool() { picture.description.xmp = bytes(int(0...40)) }
        return picture
    }

    private mutating func drawnLayers(depth: Int) -> [Layer] {
        let image = EncodedImage(
            bytes: [], header: ImageHeader(size: PixelSize(width: 1, height: 1), isHeldWhole: false), place: "")
        return (0..<int(1...3)).map { _ in
            var layer = Layer(
                name: text(), maskImage: bool() ? image : nil, opacity: double(0.01...1),
                blendMode: BlendMode.allCases.randomElement(using: &self)!)
            layer.isClipped = bool()
            if bool() { layer.maskShapes = saidShapes() }
            switch int(0...2) {
            case 0 where depth > 0: layer.kind = .group(drawnLayers(depth: depth - 1), isPassThrough: bool())
            case 1: layer.kind = .fill(paint(isFill: true))
            default:
                layer.strokes = strokes()
                layer.shapes = saidShapes()
                if bool() { layer.contentImage = image }
                if bool() { layer.contentFilter = .nearest }
                if bool() {
                    layer.suggestedPattern = SuggestedPattern(
                        type: BrushType.allCases.randomElement(using: &self)!, rotation: double(-90...90),
                        spacing: double(1...9), color: color())
                }
            }
            return layer
        }
    }

    mutating func raster() -> VectorRaster {
        let whole = PixelSize(width: int(1...(1 << 22)), height: int(1...5000))
        let (x, y) = (int(0...(whole.width - 1)), int(0...(whole.height - 1)))
        return VectorRaster(
            whole: whole,
            part: PixelRect(x: x, y: y, width: int(1...(whole.width - x)), height: int(1...(whole.height - y))))
    }

    private mutating func readTask() -> ReadTask {
        bool() ? .document(documentTask()) : .local(blockID())
    }

    mutating func workerTask() -> WorkerTask {
        switch int(0...6) {
        case 6:
            .whole(
                WholeTask(
                    read: readTask(), nanosecondsMax: UInt64(int(0...Int.max)),
                    pieceBytesMax: int(0...WholeTask.pieceBytesLimit)))
        case 5: .read(readTask())
        case 4: .draw(drawTask())
        case 3: .finish(finishTask())
        case 0:
            .decode(
                DecodeTask(
                    image: blockID(), use: bool() ? .mask : .color, convertsProfiles: bool(),
                    raster: bool() ? raster() : nil, scalings: (0..<int(0...2)).map { _ in scaling() },
                    place: place(), limits: Limits()))
        case 1: .render(tileTask())
        default: .encode(encodeTask())
        }
    }

    mutating func workerMessage() -> WorkerMessage {
        let task = TaskID(next())
        switch int(0...8) {
        case 0:
            return .hello(
                Hello(
                    rendererVersion: text(), workerName: text(), threads: int(1...64), taskCredits: int(1...128),
                    byteCredits: next()))
        case 1: return .heartbeat
        case 2: return .blockRequest((0..<int(1...5)).map { _ in BlockRange(id: blockID(), offset: next()) })
        case 3:
            return .resultPart(ResultPart(task: task, attempt: word(), sequence: word(), bytes: bytes(int(1...99))))
        case 4:
            return .taskDone(
                TaskDone(
                    task: task, attempt: word(), partCount: word(), resultBytes: next(),
                    phases: PhaseTimes(decode: next(), raster: next(), composite: next(), encode: next())))
        case 5:
            let kinds: [TaskFailureKind] = [.badInput, .internalError, .cancelled]
            return .taskFailed(
                TaskFailed(
                    task: task, attempt: word(), kind: kinds.randomElement(using: &self)!,
                    place: bool() ? place() : nil, text: text()))
        case 6: return .acknowledge(next())
        case 7: return .underWay((0..<int(1...5)).map { _ in TaskAttempt(task: TaskID(next()), attempt: word()) })
        default: return .goodbye(bool() ? .draining : .left)
        }
    }

    mutating func brokerMessage() -> BrokerMessage {
        switch int(0...7) {
        case 0:
            let heartbeat = int(1...60_000)
            return .welcome(
                Welcome(heartbeatMilliseconds: heartbeat, livenessMilliseconds: int(heartbeat...3_600_000)))
        case 1: return .refuse(reason: text())
        case 2:
            return .task(
                TaskAssignment(
                    task: TaskID(next()), attempt: word(), deadlineMilliseconds: int(1...100_000),
                    resultLimitBytes: next(),
                    payload: bool() ? .inline(workerTask().encoded()) : .block(blockID())))
        case 3:
            let total = int(1...2_000_000_0)
            let offset = int(0...(total - 1))
            return .blockPart(
                BlockPart(
                    id: blockID(), offset: UInt64(offset), totalBytes: UInt64(total),
                    bytes: bytes(int(1...min(99, total - offset)))))
        case 4: return .blockMissing(blockID())
        case 5: return .cancel(TaskID(next()))
        case 6: return .heartbeat
        default: return .drain
        }
    }

    mutating func brush() -> Brush {
        let isTied = bool()
        return Brush(
            type: BrushType.allCases.randomElement(using: &self)!, rotation: double(-720...720),
            spacing: double(0.01...100), opacity: double(0...1), scale: double(0.1...10), lineWidth: double(0.1...50),
            anchor: isTied ? .canvas : .stamp, size: isTied ? double(0.1...500) : Brush.defaultSize, color: color(),
            dynamics: BrushDynamics(
                pressureAffectsOpacity: bool(), pressureAffectsSize: bool(), tiltAffectsRotation: bool()))
    }

    /// Strokes without what does not travel; with or without pressure and azimuth.
    /// Shapes that may say something.
    mutating func saidShapes() -> [Shape] {
        var shapes = shapes(int(0...3))
        for index in shapes.indices {
            if bool() { shapes[index].text = text() }
            if bool() { shapes[index].textOf = text() }
        }
        return shapes
    }

    mutating func strokes() -> [Stroke] {
        let brushes = (0..<int(1...3)).map { _ in
            var brush = brush()
            if bool() {
                brush.lines = 2 * int(0...31) + 1
                (brush.dotRadius, brush.waveLength) = (double(0.1...64), double(0.5...1e6))
                brush.stampSpacing = bool() ? double(0.1...99) : nil
                (brush.edge, brush.caps, brush.followsPath) = (.whole, .round, bool())
                (brush.dynamics.minimumSize, brush.dynamics.minimumOpacity) = (double(0...1), double(0...1))
            }
            return brush
        }
        let (hasPressure, hasAzimuth) = (bool(), bool())
        return (0..<int(0...6)).map { _ in
            var stroke = Stroke(
                brush: brushes.randomElement(using: &self)!, mode: bool() ? .paint : .erase,
                points: (0..<int(0...40)).map { _ in
                    StrokePoint(
                        x: double(-1e6...1e6), y: double(-1e6...1e6), pressure: hasPressure ? double(0...1) : 1,
                        azimuth: hasAzimuth ? double(-360...360) : 0)
                })
            stroke.smoothing = Smoothing.allCases.randomElement(using: &self)!
            stroke.isClosed = bool()
            return stroke
        }
    }
}
