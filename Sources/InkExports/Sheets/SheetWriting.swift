import InkEngine
import InkSystem

/// Writes PNG files of a run as one sprite sheet, with a JSON file of where they are.
struct SheetWriting {
    /// Of the picture.
    var path: String
    /// The pictures, in their order; at least one.
    var pictures: [String]
    var limits: Limits

    private static let edgePixelsMax = 65_536

    /// The JSON file of a sheet: `sheet.json` for `sheet.png`.
    static func description(of path: String) -> String {
        let (folder, name) = path.splitPath()
        return folder.appendingPath(name.prefix(name.count - 4) + ".json")
    }

    /// - Throws: if a picture cannot be read, or a file not written; a sheet that was there is then still there.
    func run() throws(EngineError) {
        var sprites: [SpriteSheet.Sprite] = []
        for (name, picture) in zip(names, pictures) {
            sprites.append(
                try SpriteSheet.Sprite(
                    name: name, file: try read(picture), place: Place(file: picture), limits: limits))
        }
        let sheet = SpriteSheet(sprites)
        guard sheet.size.longestEdge <= SheetWriting.edgePixelsMax else {
            throw .overLimit(
                Place(file: path), what: "the sheet", found: "\(sheet.size) pixels",
                limit: "\(SheetWriting.edgePixelsMax) pixels")
        }
        var file = try RowsFile(path, PictureHead(size: sheet.size, pixels: .rgba))
        do throws(EngineError) {
            for (index, shelf) in sheet.shelves.enumerated() {
                let isLast = index == sheet.shelves.count - 1
                // With the gap under it.
                let height = isLast ? shelf.height : sheet.shelves[index + 1].y - shelf.y
                var rows = [UInt8](repeating: 0, count: 4 * sheet.size.width * height)
                for number in shelf.sprites {
                    try sheet.sprites[number].copy(
                        try read(pictures[number]), into: &rows, shelf: shelf, sheetWidth: sheet.size.width,
                        place: Place(file: pictures[number]), limits: limits)
                }
                try file.add(rows)
            }
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
        let text = sheet.json(
            image: path.splitPath().name, app: "ink", version: ProgramVersion.text)
        try FileSystem.writeAtomically(Array(text.utf8), to: SheetWriting.description(of: path))
    }

    private func read(_ picture: String) throws(EngineError) -> [UInt8] {
        try FileSystem.read(picture, limitBytes: limits.fileBytes)
    }

    /// File names; where two have one name, paths below the folder that holds all of them.
    private var names: [String] {
        let names = pictures.map { $0.splitPath().name }
        guard Set(names).count < names.count else { return names }
        let paths = pictures.map { $0.split(separator: "/", omittingEmptySubsequences: false) }
        let shared = paths.dropFirst().reduce(paths[0].dropLast()) { shared, path in
            shared.prefix(zip(shared, path.dropLast()).prefix { $0 == $1 }.count)
        }
        return paths.map { $0.dropFirst(shared.count).joined(separator: "/") }
    }
}
