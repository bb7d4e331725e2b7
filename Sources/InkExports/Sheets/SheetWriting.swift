import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import InkPlanning
import InkSystem

/// Writes PNG files of a run as one sprite sheet, with a JSON file of where they are.
struct SheetWriting {
    /// The path of the picture.
    var path: String
    /// The pictures, in their order; at least one.
    var pictures: [Picture]
    var limits: Limits

    struct Picture {
        var path: String
        /// What it shows: the project and its size, a layer of it, and a page.
        var input: String
        var size: ExportSize?
        var layer: Int?
        var page: Int?
        /// How the pages of its project follow each other; nil where they do not.
        var animation: Animation?

        init(path: String) { (self.path, input) = (path, path) }

        init(_ record: ExportRecord, path: String, _ animation: Animation?) {
            self.path = path
            self.animation = animation
            input = record.input.path
            (size, layer, page) = (record.size, record.layer, record.viewport)
        }

        /// Milliseconds; nil for what is no frame.
        var duration: Int? {
            guard let animation else { return nil }
            let frame = page ?? 0
            return animation.durations.indices.contains(frame) ? animation.durations[frame] : nil
        }

        /// Whether both are frames of one animation.
        func isPlayed(with other: Picture) -> Bool {
            animation != nil && animation == other.animation && input == other.input && size == other.size
        }
    }

    private static let edgePixelsMax = 65_536

    /// The JSON file of a sheet: `sheet.json` for `sheet.png`.
    static func description(of path: String) -> String {
        let (folder, name) = path.splitPath()
        return folder.appendingPath(name.prefix(name.count - 4) + ".json")
    }

    /// - Throws: if a picture cannot be read, or a file not written; a sheet that was there is then still there.
    func run() throws(EngineError) {
        var sprites: [SpriteSheet.Sprite] = []
        var shown: [Picture] = []
        for (name, picture) in zip(names, pictures) {
            var sprite = try SpriteSheet.Sprite(
                name: name, file: try read(picture.path), place: Place(file: picture.path), limits: limits)
            // A frame takes its time though nothing is to be seen. A layer without anything visible is nothing.
            if sprite.isEmpty, picture.duration == nil || picture.layer != nil { continue }
            sprite.duration = picture.duration ?? sprite.duration
            sprites.append(sprite)
            shown.append(picture)
        }
        guard !sprites.isEmpty else {
            throw .badInput(Place(file: path), reason: "none of its pictures shows anything, so there is no sheet")
        }
        let sheet = SpriteSheet(sprites)
        guard sheet.size.longestEdge <= SheetWriting.edgePixelsMax else {
            throw .overLimit(
                Place(file: path), what: "the sheet", found: "\(sheet.size) pixels",
                limit: "\(SheetWriting.edgePixelsMax) pixels")
        }
        try RowsFile.write(path, PictureHead(size: sheet.size, pixels: .rgba)) { (file) throws(EngineError) in
            for (index, shelf) in sheet.shelves.enumerated() {
                let isLast = index == sheet.shelves.count - 1
                // With the gap under it.
                let height = isLast ? shelf.height : sheet.shelves[index + 1].y - shelf.y
                var rows = [UInt8](repeating: 0, count: 4 * sheet.size.width * height)
                for number in shelf.sprites {
                    try sheet.sprites[number].copy(
                        try read(shown[number].path), into: &rows, shelf: shelf, sheetWidth: sheet.size.width,
                        place: Place(file: shown[number].path), limits: limits)
                }
                try file.add(rows)
            }
        }
        let text = sheet.json(
            image: path.splitPath().name, app: "ink", version: ProgramVersion.text, tags: Self.tags(of: shown))
        try FileSystem.writeAtomically(Array(text.utf8), to: SheetWriting.description(of: path))
    }

    /// The tags of all animations, whose frames are numbered as in the sheet.
    private static func tags(of pictures: [Picture]) -> [Animation.Tag] {
        var tags: [Animation.Tag] = []
        var start = 0
        while start < pictures.count {
            var places: [Int: Int] = [:]
            var end = start
            while end < pictures.count, end == start || pictures[end].isPlayed(with: pictures[start]) {
                places[pictures[end].page ?? 0] = end
                end += 1
            }
            // A tag whose frames are not all there, one after the other, would name others.
            for tag in pictures[start].animation?.tags ?? [] {
                guard let first = places[tag.frames.lowerBound],
                    tag.frames.allSatisfy({ places[$0] == first + $0 - tag.frames.lowerBound })
                else { continue }
                var own = tag
                own.frames = first...(first + tag.frames.count - 1)
                tags.append(own)
            }
            start = end
        }
        return tags
    }

    private func read(_ picture: String) throws(EngineError) -> [UInt8] {
        try FileSystem.read(picture, limitBytes: limits.fileBytes)
    }

    /// File names; where two have one name, paths below the folder that holds all of them.
    private var names: [String] {
        let names = pictures.map { $0.path.splitPath().name }
        guard Set(names).count < names.count else { return names }
        let paths = pictures.map { $0.path.split(separator: "/", omittingEmptySubsequences: false) }
        let shared = paths.dropFirst().reduce(paths[0].dropLast()) { shared, path in
            shared.prefix(zip(shared, path.dropLast()).prefix { $0 == $1 }.count)
        }
        return paths.map { $0.dropFirst(shared.count).joined(separator: "/") }
    }
}
