import InkEngine

extension PlotPicture {
    /// How far lines may be moved to be joined, in millimetres: a fraction of the width of any pen.
    static let tolerance = 0.05
    /// Lines that are shorter are left out, in millimetres.
    private static let shortest = 0.02
    /// The length of the line that a dot is, in millimetres.
    private static let dotLength = 0.1
    private static let shownPenWidth = "0.3"

    func writeFile() throws(EngineError) {
        var output = VectorOutput(scene)
        func text(_ value: Double) -> String {
            var text: [UInt8] = []
            text.add(value, decimals: 3)
            return String(decoding: text, as: UTF8.self)
        }
        let (width, height) = (text(scene.canvas.width * millimetres.x), text(scene.canvas.height * millimetres.y))
        var head = SVGHead.start(width: "\(width)mm", height: "\(height)mm")
        head.add("viewBox=\"0 0 \(width) \(height)\">\n")
        SVGHead.addText(scene.description.text, to: &head)
        try output.write(head)
        for (index, pen) in pens.enumerated() {
            var text: [UInt8] = []
            text.add("<g inkscape:groupmode=\"layer\" id=\"pen\(index + 1)\" inkscape:label=\"")
            text.add(label(of: pen, number: index + 1).xmlEscaped)
            text.add("\" fill=\"none\" stroke=\"\(pen.color.shortHex)\" stroke-width=\"\(PlotPicture.shownPenWidth)\"")
            text.add(" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n")
            let lines = ordered(pen.lines)
            for index in 0..<lines.count {
                var path = VectorPath(decimals: 2)
                for (number, point) in lines[index].enumerated() {
                    if number == 0 { path.move(to: point) } else { path.line(to: point) }
                }
                text.add("<path d=\"")
                text += path.text
                text.add("\"/>\n")
                if text.count > 1 << 16 {
                    try output.write(text)
                    text.removeAll(keepingCapacity: true)
                }
            }
            text.add("</g>\n")
            try output.write(text)
        }
        try SVGHead.end(&output, digest: scene.description.digest)
    }

    /// The lines of a pen in millimetres, as they are drawn.
    private func ordered(_ lines: PlotLines) -> PlotLines {
        let all = lines.map { Point(x: $0.x * millimetres.x, y: $0.y * millimetres.y) }
        let joined = all.joined(tolerance: PlotPicture.tolerance)
        let width = scene.canvas.width * millimetres.x
        var drawn = PlotLines()
        for index in 0..<joined.count {
            if joined.isDot(index) {
                // Inside the page also at its edges: plotters refuse what is not, or run against their stops.
                let dot = joined.start(index)
                let left = min(dot.x - PlotPicture.dotLength / 2, width - PlotPicture.dotLength)
                let start = Point(x: max(left, 0), y: dot.y)
                drawn.add([start, start + Point(x: PlotPicture.dotLength, y: 0)])
                continue
            }
            let box = joined[index].reduce(into: Rect.empty) { $0.formUnion($1) }
            if max(box.maxX - box.minX, box.maxY - box.minY) >= PlotPicture.shortest { drawn.add(joined[index]) }
        }
        return drawn.sorted()
    }

    /// The number by which plotters choose a layer, its colour, and whose it is. Signs that plotters read as orders are
    /// left out.
    private func label(of pen: Pen, number: Int) -> String {
        var names = ""
        for name in pen.names {
            let own = String(name.map { "+!%#".contains($0) ? "_" : $0 })
            if names.utf8.count + own.utf8.count > 60 {
                names += names.isEmpty ? String(own.prefix(20)) : ", ..."
                break
            }
            names += (names.isEmpty ? "" : ", ") + own
        }
        return "\(number) \(pen.color.shortHex)\(names.isEmpty ? "" : " \(names)")"
    }
}
