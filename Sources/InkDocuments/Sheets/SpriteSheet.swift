import InkCodecs
package import InkEngine

/// Pictures side by side in one, each without its transparent border, and where they are in the form of Aseprite.
package struct SpriteSheet: Sendable {
    package struct Sprite: Hashable, Sendable {
        /// Unique in the sheet.
        package var name: String
        /// The size of the picture, pixels.
        package var size: PixelSize
        /// What of it is not transparent; of an empty picture its first pixel.
        package var shown: PixelRect
        /// How long it is shown in an animation, milliseconds. Pictures that are no frames have what Aseprite gives new
        /// ones.
        package var duration = 100
        /// Whether all of it is transparent.
        package let isEmpty: Bool
        /// Where that is in the sheet.
        package fileprivate(set) var place = PixelRect(x: 0, y: 0, width: 0, height: 0)

        /// - Parameter shown: nil for an empty picture.
        package init(name: String, size: PixelSize, shown: PixelRect?) {
            self.name = name
            self.size = size
            isEmpty = shown == nil
            self.shown = shown ?? PixelRect(x: 0, y: 0, width: 1, height: 1)
        }
    }

    /// Sprites whose tops are at one row.
    package struct Shelf: Hashable, Sendable {
        package var y: Int
        package var height: Int
        /// Numbers of sprites, from the left.
        package var sprites: [Int] = []
    }

    package private(set) var sprites: [Sprite]
    package private(set) var shelves: [Shelf] = []
    package private(set) var size: PixelSize

    /// Between sprites, so that a texture's filter does not mix them.
    static let gap = 1

    /// Packs sprites in rows, the highest first, about as wide as all of it is high. Equal sprites give equal sheets.
    ///
    /// - Parameter sprites: at least one.
    package init(_ sprites: [Sprite]) {
        precondition(!sprites.isEmpty, "a sheet has sprites")
        self.sprites = sprites
        let area = sprites.reduce(0.0) {
            $0 + Double($1.shown.width + SpriteSheet.gap) * Double($1.shown.height + SpriteSheet.gap)
        }
        let widest = sprites.map(\.shown.width).max() ?? 1
        let width = max(widest, Int(area.squareRoot().rounded(.up)))
        let order = sprites.indices.sorted {
            (sprites[$1].shown.height, sprites[$1].shown.width, $0) < (
                sprites[$0].shown.height, sprites[$0].shown.width, $1
            )
        }
        var (x, used) = (0, 0)
        for index in order {
            let shown = sprites[index].shown
            if shelves.isEmpty || x + shown.width > width {
                let y = shelves.last.map { $0.y + $0.height + SpriteSheet.gap } ?? 0
                shelves.append(Shelf(y: y, height: shown.height))
                x = 0
            }
            shelves[shelves.count - 1].sprites.append(index)
            self.sprites[index].place = PixelRect(
                x: x, y: shelves[shelves.count - 1].y, width: shown.width, height: shown.height)
            used = max(used, x + shown.width)
            x += shown.width + SpriteSheet.gap
        }
        size = PixelSize(width: used, height: shelves.last.map { $0.y + $0.height } ?? 1)
    }

    /// The frames as JSON, in Aseprite's form with names as keys.
    ///
    /// - Parameters:
    ///   - image: file name of the sheet.
    ///   - app, version: of this program.
    ///   - tags: of the sprites, by their numbers.
    package func json(image: String, app: String, version: String, tags: [Animation.Tag] = []) -> String {
        func text(_ text: String) -> String {
            var quoted = "\""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"", "\\": quoted += "\\\(scalar)"
                case _ where scalar.value < 32:
                    quoted += "\\u" + String(scalar.value + 0x10000, radix: 16).dropFirst()
                default: quoted.unicodeScalars.append(scalar)
                }
            }
            return quoted + "\""
        }
        func rect(_ rect: PixelRect) -> String {
            "{ \"x\": \(rect.x), \"y\": \(rect.y), \"w\": \(rect.width), \"h\": \(rect.height) }"
        }
        func size(_ size: PixelSize) -> String { "{ \"w\": \(size.width), \"h\": \(size.height) }" }
        let frames = sprites.map { sprite in
            """
               \(text(sprite.name)): {
                "frame": \(rect(sprite.place)),
                "rotated": false,
                "trimmed": \(sprite.shown.size != sprite.size),
                "spriteSourceSize": \(rect(sprite.shown)),
                "sourceSize": \(size(sprite.size)),
                "duration": \(sprite.duration)
               }
            """
        }
        let tagged = tags.map { tag in
            "   { \"name\": \(text(tag.name)), \"from\": \(tag.frames.lowerBound), \"to\": \(tag.frames.upperBound), "
                + "\"direction\": \"\(tag.direction.rawValue)\""
                + (tag.repeatCount.map { ", \"repeat\": \"\($0)\"" } ?? "") + " }"
        }
        let tagList = tagged.isEmpty ? "" : ",\n  \"frameTags\": [\n\(tagged.joined(separator: ",\n"))\n  ]"
        return """
            { "frames": {
            \(frames.joined(separator: ",\n"))
             },
             "meta": {
              "app": \(text(app)),
              "version": \(text(version)),
              "image": \(text(image)),
              "format": "RGBA8888",
              "size": \(size(self.size)),
              "scale": "1"\(tagList)
             }
            }

            """
    }
}

extension SpriteSheet.Sprite {
    /// A sprite of a picture's file, which is decoded a few rows at a time.
    ///
    /// - Throws: as `ImageDecoders.decode`.
    package init(name: String, file: [UInt8], place: Place, limits: Limits) throws(EngineError) {
        let size = try ImageDecoders.decoder(of: file, place: place).header(file, place: place).size
        var (left, right, top, bottom) = (size.width, 0, size.height, 0)
        try DecodedRows.decode(file, width: size.width, place: place, limits: limits) { part in
            for (index, y) in part.rows.enumerated() {
                func isShown(_ x: Int) -> Bool {
                    part.channels == 3 || part.samples[4 * (index * size.width + x) + 3] != 0
                }
                guard let first = (0..<size.width).first(where: isShown),
                    let last = (0..<size.width).last(where: isShown)
                else { continue }
                (left, right) = (min(left, first), max(right, last + 1))
                (top, bottom) = (min(top, y), y + 1)
            }
        }
        self.init(
            name: name, size: size,
            shown: right > left ? PixelRect(x: left, y: top, width: right - left, height: bottom - top) : nil)
    }

    /// Copies what is shown into the rows of a shelf.
    ///
    /// - Parameter rows: RGBA, of the sheet's width.
    /// - Throws: as `ImageDecoders.decode`, also if the file is another than before.
    package func copy(
        _ file: [UInt8], into rows: inout [UInt8], shelf: SpriteSheet.Shelf, sheetWidth: Int, place filePlace: Place,
        limits: Limits
    ) throws(EngineError) {
        guard try ImageDecoders.decoder(of: file, place: filePlace).header(file, place: filePlace).size == size else {
            throw .badInput(filePlace, reason: "the picture has changed while the sheet was made")
        }
        try DecodedRows.decode(file, width: size.width, place: filePlace, limits: limits) { part in
            for (index, y) in part.rows.enumerated() where shown.rows.contains(y) {
                let to = 4 * ((place.y - shelf.y + y - shown.y) * sheetWidth + place.x)
                for x in 0..<shown.width {
                    let from = part.channels * (index * size.width + shown.x + x)
                    for channel in 0..<3 { rows[to + 4 * x + channel] = part.samples[from + channel] }
                    rows[to + 4 * x + 3] = part.channels == 4 ? part.samples[from + 3] : 255
                }
            }
        }
    }
}
