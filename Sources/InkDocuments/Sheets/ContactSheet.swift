package import InkEngine

/// A picture of many small pictures in rows, with a line of text under each. Made row by row.
package struct ContactSheet: Sendable {
    /// A place in the sheet.
    package struct Cell: Sendable {
        package var label: String
        /// The small picture; nil: none could be made.
        package var thumbnail: Thumbnail?

        package init(label: String, thumbnail: Thumbnail?) {
            self.label = label
            self.thumbnail = thumbnail
        }
    }

    /// The possible edges of thumbnails, pixels.
    package static let edges = 32...1024
    /// The edge of thumbnails if none is given, pixels.
    package static let standardEdge = 256
    /// The most columns of a sheet.
    package static let columnsMax = 200

    private static let padding = 8
    private static let background: UInt8 = 245
    private static let emptyColor: [UInt8] = [225, 225, 225]
    private static let textColor = RGBA8(red: 40, green: 40, blue: 40)
    private static let failureColor = RGBA8(red: 170, green: 30, blue: 30)
    /// Heights of rows are multiples of this, so that every format that is made of bands can hold them.
    private static let rowMultiple = 16

    private let count: Int
    package let columns: Int
    private let edge: Int
    private let fonts: [Font]
    private let fontSize: Double
    private let labelHeight: Int

    /// - Parameters:
    ///   - count: of cells, at least 1.
    ///   - columns: at most `columnsMax`; nil: about as many as rows, at most 8.
    ///   - edge: the longest edge of the small pictures, pixels.
    ///   - fonts: of the texts; at least one.
    package init(count: Int, columns: Int?, edge: Int, fonts: [Font]) {
        precondition(count > 0 && !fonts.isEmpty, "a contact sheet has cells and a font")
        self.count = count
        var square = 1
        while square * square < count { square += 1 }
        self.columns = min(count, columns ?? min(8, square))
        self.edge = edge
        self.fonts = fonts
        fontSize = max(11, Double(edge) / 20)
        labelHeight = Int((fontSize * 1.5).rounded(.up))
    }

    package var rowCount: Int { (count + columns - 1) / columns }

    private var cellWidth: Int { edge + 2 * ContactSheet.padding }

    private var rowHeight: Int {
        let height = edge + labelHeight + 2 * ContactSheet.padding
        return (height + ContactSheet.rowMultiple - 1) / ContactSheet.rowMultiple * ContactSheet.rowMultiple
    }

    package var size: PixelSize { PixelSize(width: columns * cellWidth, height: rowCount * rowHeight) }

    /// The pixels of a row of cells, RGB.
    ///
    /// - Parameter cells: at most as many as there are columns.
    /// - Throws: `internalError` if texts cannot be set.
    package func row(_ cells: [Cell]) throws(EngineError) -> [UInt8] {
        let size = PixelSize(width: self.size.width, height: rowHeight)
        var canvas = Canvas(size: size, pixels: Array(repeating: ContactSheet.background, count: 3 * size.area))
        for (index, cell) in cells.enumerated() {
            let (left, top) = (index * cellWidth + ContactSheet.padding, ContactSheet.padding)
            if let thumbnail = cell.thumbnail {
                canvas.draw(
                    thumbnail.pixels, thumbnail.size, x: left + (edge - thumbnail.size.width) / 2,
                    y: top + (edge - thumbnail.size.height) / 2)
            } else {
                canvas.fill(PixelRect(x: left, y: top, width: edge, height: edge), ContactSheet.emptyColor)
                try write(
                    "failed", ContactSheet.failureColor, into: &canvas, left: left, top: top + (edge - labelHeight) / 2)
            }
            try write(cell.label, ContactSheet.textColor, into: &canvas, left: left, top: top + edge)
        }
        return canvas.pixels
    }

    /// Writes a line in the middle of the columns of a cell, shortened to fit.
    private func write(
        _ text: String, _ color: RGBA8, into canvas: inout Canvas, left: Int, top: Int
    ) throws(EngineError) {
        var style = TextOverlay.Style()
        style.color = color
        guard let line = fitting(text, style) else { return }
        let box = try line.box(size: fontSize)
        let raster = try line.raster(size: fontSize, unit: 1, limits: Limits())
        canvas.blend(raster, x: left + (edge - box.width) / 2, y: top + (labelHeight - box.height) / 2)
    }

    /// The longest beginning and end of the text that fit, as the fonts can show it; nil if nothing can be seen.
    private func fitting(_ text: String, _ style: TextOverlay.Style) -> TextOverlay? {
        func line(_ text: String) -> TextOverlay? {
            // A label that the fonts cannot show is shown with question marks, or not at all.
            try? TextOverlay(text, fonts: fonts, style: style, place: Place(file: "label"))
        }
        var characters = Array(text)
        if line(text) == nil { characters = characters.map { line(String($0)) == nil && $0 != " " ? "?" : $0 } }
        // Far more than fit.
        if characters.count > 500 { characters = Array(characters.prefix(250) + characters.suffix(250)) }
        var kept = characters.count
        while kept > 0 {
            let shown =
                kept == characters.count
                ? String(characters)
                : String(characters.prefix((kept + 1) / 2)) + "..." + String(characters.suffix(kept / 2))
            // A label without anything to see has no box.
            guard let line = line(shown), let box = try? line.box(size: fontSize) else { return nil }
            if box.width <= edge { return line }
            // Nearly all characters are about equally wide.
            kept = min(kept - 1, kept * edge / box.width)
        }
        return nil
    }

    private struct Canvas {
        let size: PixelSize
        var pixels: [UInt8]

        mutating func draw(_ other: [UInt8], _ otherSize: PixelSize, x: Int, y: Int) {
            for row in 0..<otherSize.height {
                let (from, to) = (3 * row * otherSize.width, 3 * ((y + row) * size.width + x))
                pixels.replaceSubrange(
                    to..<(to + 3 * otherSize.width), with: other[from..<(from + 3 * otherSize.width)])
            }
        }

        mutating func fill(_ rect: PixelRect, _ color: [UInt8]) {
            let row = (0..<rect.width).flatMap { _ in color }
            for y in rect.rows {
                let to = 3 * (y * size.width + rect.x)
                pixels.replaceSubrange(to..<(to + row.count), with: row)
            }
        }

        mutating func blend(_ raster: OverlayRaster, x: Int, y: Int) {
            let rect = raster.rect
            for row in 0..<rect.height where (0..<size.height).contains(y + rect.y + row) {
                for column in 0..<rect.width where (0..<size.width).contains(x + rect.x + column) {
                    let from = 4 * (row * rect.width + column)
                    let to = 3 * ((y + rect.y + row) * size.width + x + rect.x + column)
                    let alpha = Int(raster.pixels[from + 3])
                    for channel in 0..<3 {
                        let (over, under) = (Int(raster.pixels[from + channel]), Int(pixels[to + channel]))
                        pixels[to + channel] = UInt8((over * alpha + under * (255 - alpha) + 127) / 255)
                    }
                }
            }
        }
    }
}
