import InkCodecs
package import InkEngine
package import InkProtocol

/// How the pieces of a planned picture come about: its tiles, and what is made of the tiles that are kept. A pure value:
/// a broker hands its tasks to workers, and a worker that makes a picture alone does them one after the other.
package struct PictureComposition: Sendable {
    package let plan: PicturePlan
    /// Kept tiles, by row and column: of rows that are not encoded yet, or are encoded again.
    package private(set) var tiles: [Int: [Int: BlockID]] = [:]

    package init(_ plan: PicturePlan) { self.plan = plan }

    /// The names of the kept tiles, each as often as it is kept.
    package var blocks: [BlockID] { tiles.values.flatMap(\.values) }

    package func holds(_ block: BlockID) -> Bool { tiles.values.contains { $0.values.contains(block) } }

    /// Whether rows have several tiles, so that each is encoded in a task of its own.
    package var encodesRows: Bool { !plan.whole.grid.isBands && !plan.whole.set.streamed.isEmpty }

    /// Keeps the samples of a tile.
    package mutating func keep(_ pixels: BlockID, row: Int, column: Int) { tiles[row, default: [:]][column] = pixels }

    /// Gives up the tiles of a row that has been encoded, unless files that are made of the whole picture need them.
    package mutating func giveUp(row: Int) -> [BlockID] {
        plan.whole.set.needsPixels ? [] : tiles.removeValue(forKey: row).map { Array($0.values) } ?? []
    }

    /// Gives up all tiles.
    package mutating func giveUpAll() -> [BlockID] {
        defer { tiles = [:] }
        return blocks
    }

    /// Joins the tiles of a row; nil if some are missing.
    package func encode(row: Int, _ encoding: PieceEncoding? = nil) -> EncodeTask? {
        guard let pieces = bandTiles(ofRow: row) else { return nil }
        let (picture, pictureRow) = plan.place(ofRow: row)
        let rows = picture.grid.pixelRows(ofRow: pictureRow)
        return EncodeTask(
            rect: PixelRect(x: 0, y: rows.lowerBound, width: picture.rect.width, height: rows.count),
            format: picture.format, encoding: encoding ?? plan.encoding(ofRow: row), pieces: pieces)
    }

    /// Encodes all of the picture; nil if tiles are missing.
    package func finish(_ encoding: PictureEncoding) -> FinishTask? {
        let whole = plan.whole
        let halvings = whole.halvings
        let rows = (0..<whole.grid.rows).compactMap { bandTiles(ofRow: $0, halvings: halvings) }
        guard rows.count == whole.grid.rows else { return nil }
        return FinishTask(
            size: whole.scene.picture, format: whole.format, encoding: encoding, halvings: halvings, rows: rows)
    }

    /// Makes the n-th of the files that are made of the whole picture; nil if tiles are missing.
    package func finish(file index: Int) -> WorkerTask? {
        let whole = plan.whole
        let member = whole.set.wholes[index]
        guard let drawing = whole.drawings[member] else {
            return finish(whole.set.members[member].encoding).map(WorkerTask.finish)
        }
        return images(ofFile: whole.share.uses[member].file).map { images in
            .draw(DrawTask(picture: drawing.picture, marks: drawing.marks, images: images))
        }
    }

    /// The images in a file of lines, in its order; nil if tiles are missing.
    private func images(ofFile file: Int) -> [FinishTask]? {
        var images: [(number: Int, task: FinishTask)] = []
        for (index, picture) in plan.pictures.enumerated() where picture.source.isDrawn {
            guard let member = picture.share.uses.firstIndex(where: { $0.file == file }) else { continue }
            let rows = plan.rows(ofPicture: index).compactMap { bandTiles(ofRow: $0) }
            guard rows.count == picture.rowCount else { return nil }
            let task = FinishTask(
                size: picture.scene.picture, format: picture.format, encoding: picture.set.members[member].encoding,
                rows: rows)
            images.append((picture.share.uses[member].picture, task))
        }
        return images.sorted { $0.number < $1.number }.map(\.task)
    }

    private func bandTiles(ofRow row: Int, halvings: Int = 0) -> [BandTile]? {
        guard let tiles = tiles[row], tiles.count == plan.columns else { return nil }
        let (picture, pictureRow) = plan.place(ofRow: row)
        return (0..<plan.columns).compactMap { column in
            tiles[column].map { block in
                let rect = picture.grid.rect(row: pictureRow, column: column)
                let size = rect.size.halved(halvings)
                return BandTile(
                    rect: PixelRect(
                        x: rect.x >> halvings, y: rect.y >> halvings, width: size.width, height: size.height),
                    block: block)
            }
        }
    }
}
