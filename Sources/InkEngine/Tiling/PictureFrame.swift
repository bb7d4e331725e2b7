/// A picture with a drawing in it: the drawing's pixels, each repeated, at a place of a larger picture.
///
/// What lies around the drawing is as the picture is where nothing is drawn.
public struct PictureFrame: Hashable, Sendable {
    /// The picture's size.
    public var size: PixelSize
    /// Where the drawing begins, pixels of the picture.
    public var x: Int
    public var y: Int
    /// How many pixels of the picture a pixel of the drawing takes in either direction, at least 1.
    public var magnification: Int

    public init(size: PixelSize, x: Int, y: Int, magnification: Int = 1) {
        self.size = size
        self.x = x
        self.y = y
        self.magnification = magnification
    }

    /// Whether a drawing of this size lies inside the picture.
    public func holds(_ drawing: PixelSize) -> Bool {
        let edges = 1...Limits.edgePixelsMax
        guard [size.width, size.height, drawing.width, drawing.height, magnification].allSatisfy(edges.contains),
            x >= 0, y >= 0
        else { return false }
        return x <= size.width - drawing.width * magnification && y <= size.height - drawing.height * magnification
    }

    /// The pixels of a drawing that a part of the picture shows; nil for none.
    ///
    /// - Parameter drawing: the drawing's size.
    public func shown(in rect: PixelRect, of drawing: PixelSize) -> PixelRect? {
        func range(_ range: Range<Int>, _ start: Int, _ length: Int) -> Range<Int>? {
            let first = max(range.lowerBound - start, 0) / magnification
            let last = min(range.upperBound - start, length * magnification) - 1
            return last < 0 || first > last / magnification ? nil : first..<(last / magnification + 1)
        }
        guard let columns = range(rect.columns, x, drawing.width), let rows = range(rect.rows, y, drawing.height)
        else { return nil }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    /// Puts pixels of a drawing into those of a part of the picture.
    ///
    /// - Parameters:
    ///   - drawn: rows of pixels, without padding.
    ///   - part: which pixels of the drawing they are: those that `rect` shows.
    ///   - pixels: rows of the part of the picture, without padding, to be written over where the drawing is.
    ///   - rect: which part of the picture that is.
    ///   - drawing: the drawing's size.
    ///   - pixelBytes: of one pixel.
    func put(
        _ drawn: [UInt8], _ part: PixelRect, into pixels: inout [UInt8], _ rect: PixelRect, of drawing: PixelSize,
        pixelBytes: Int
    ) {
        let columns = rect.columns.clamped(to: x..<(x + drawing.width * magnification))
        let rows = rect.rows.clamped(to: y..<(y + drawing.height * magnification))
        var (line, lineRow) = ([UInt8](), -1)
        for row in rows {
            let drawnRow = (row - y) / magnification
            if drawnRow != lineRow {
                lineRow = drawnRow
                let start = (drawnRow - part.y) * part.width
                line.removeAll(keepingCapacity: true)
                line.reserveCapacity(columns.count * pixelBytes)
                for column in columns {
                    let pixel = (start + (column - x) / magnification - part.x) * pixelBytes
                    line += drawn[pixel..<(pixel + pixelBytes)]
                }
            }
            let target = ((row - rect.y) * rect.width + columns.lowerBound - rect.x) * pixelBytes
            pixels.replaceSubrange(target..<(target + line.count), with: line)
        }
    }
}
