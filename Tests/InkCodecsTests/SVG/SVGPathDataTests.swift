import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

/// Path data (SVG 2, section 9.3), which drawings and SVGs have.
@Suite("Path data") struct SVGPathDataTests {
    private func path(_ text: String) throws -> ShapePath {
        let data = SVGPathData(text)
        #expect(data.fault == nil, "\(text)")
        return data.path
    }

    @Test(
        "Every command, number and separator of the grammar",
        arguments: [
            ("", "", []), (" \n", "", []), ("M1 2", "m", [1, 2]), ("m1,2", "m", [1, 2]),
            ("M 1-2L+3,4 5 6", "mll", [1, -2, 3, 4, 5, 6]), ("M1 2 3 4", "ml", [1, 2, 3, 4]),
            ("m1 2 3 4-5-6", "mll", [1, 2, 4, 6, -1, 0]), ("M1 2h3v4H0V0z", "mllllz", [1, 2, 4, 2, 4, 6, 0, 6, 0, 0]),
            ("M1.5.5.25-.5", "ml", [1.5, 0.5, 0.25, -0.5]), ("M1e1-2E-1l1e+0,0", "ml", [10, -0.2, 11, -0.2]),
            ("M0 0C1 2 3 4 5 6s1 1 2 2", "mcc", [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 7, 7, 8]),
            ("M0 0S1 2 3 4", "mc", [0, 0, 0, 0, 1, 2, 3, 4]),
            ("M0 0q1 2 3 4t1 1", "mqq", [0, 0, 1, 2, 3, 4, 5, 6, 4, 5]),
            ("M1 1T3 4", "mq", [1, 1, 1, 1, 3, 4]), ("M1 2l1 1zl5 5", "mlzml", [1, 2, 2, 3, 1, 2, 6, 7]),
            ("M1 2zzm3 4", "mzm", [1, 2, 4, 6]), ("M0 0A0 5 0 0 1 3 4", "ml", [0, 0, 3, 4]),
            ("M0 0A5 5 0 0 1 0 0L1 1", "ml", [0, 0, 1, 1]), ("M3 4m-3-4zm1 1", "mzm", [0, 0, 1, 1]),
            ("M0 0L9007199254740993 1L.30000000000000004 2", "mll", [0, 0, 9007199254740992, 1, 0.1 + 0.2, 2]),
        ] as [(String, String, [Double])])
    func grammar(text: String, verbs: String, numbers: [Double]) throws {
        let letters = "mlqcaz".map { $0 }
        let path = try path(text)
        #expect(String(path.verbs.map { letters[Int($0.rawValue)] }) == verbs)
        #expect(path.points.flatMap { [$0.x, $0.y] } == numbers)
    }

    @Test("A number may have any count of digits before and behind its point")
    func manyDigits() throws {
        for count in Array(0...24) + [100, 400, 5_000] {
            let zeros = String(repeating: "0", count: count)
            for text in [".\(zeros)1", "0.\(zeros)12345", "\(zeros)7.\(zeros)5", "\(zeros)1.", "-.\(zeros)9"] {
                #expect(try path("M\(text) 0").points == [Point(x: #require(Double(text)), y: 0)], "\(text)")
                #expect(SVGNumbers.all(text) == [Double(text)], "\(text)")
            }
            let large = "1\(zeros).\(zeros)1"
            #expect(SVGNumbers.all(large).first == (count < 309 ? Double(large) : nil), "\(large)")
        }
    }

    @Test("Moves without anything between them are one move")
    func moves() throws {
        let path = try path("M1 1" + String(repeating: "M2 3", count: 200_000) + "h1M4 4M5 5")
        #expect(path.verbs == [.move, .line, .move])
        #expect(path.points == [Point(x: 2, y: 3), Point(x: 3, y: 3), Point(x: 5, y: 5)])
    }

    @Test("A mistake is named with its place, and what stands before it is read")
    func mistakes() {
        let faults: [(String, offset: Int, excerpt: String, what: String, segments: Int)] = [
            ("L1 2", 0, "L1 2", "a move (M)", 0), ("M1 2 x", 5, "x", "a command (one of MLHVCSQTAZ)", 0),
            ("M1", 2, "", "a number", 0), ("M1 2 3", 6, "", "a number", 0), ("M1,,2", 3, ",2", "a number", 0),
            ("M,1 2", 1, ",1 2", "a number", 0), ("M1 2,L3 4", 5, "L3 4", "a number", 0),
            ("M1 2L3 4,", 9, "", "a number", 1), ("M0 0A1 1 0 2 1 3 4", 11, "2 1 3 4", "a flag (0 or 1)", 0),
            ("M0 0h1e", 6, "e", "a command (one of MLHVCSQTAZ)", 1), ("M0 0h-", 5, "-", "a number", 0),
            ("M0 0L1 2é", 8, "é", "a command (one of MLHVCSQTAZ)", 1),
            ("none", 0, "none", "a command (one of MLHVCSQTAZ)", 0),
            ("M0 0z1 2", 5, "1 2", "a command (one of MLHVCSQTAZ)", 1), ("M0 0h.", 5, ".", "a number", 0),
        ]
        for (text, offset, excerpt, what, segments) in faults {
            let data = SVGPathData(text)
            #expect(data.fault == SVGPathFault(reason: .missing(what), offset: offset, excerpt: excerpt), "\(text)")
            #expect(data.path.segmentCount == segments, "\(text)")
        }
        #expect(
            SVGPathData("M1 2L3 x").fault?.description == #"at character 8 ("x"): must have a number there"#)
        #expect(SVGPathData("M1 2L3").fault?.description == "at its end: must have a number there")
    }

    @Test("An arc lies on its ellipse and goes the way that its flags say", arguments: 0..<200 as Range<UInt64>)
    func arcs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        let (from, to) = (
            Point(x: number(-50...50), y: number(-50...50)), Point(x: number(-50...50), y: number(-50...50))
        )
        let (rx, ry, turn) = (number(5...100), number(5...100), number(-400...400))
        let (isLarge, isClockwise) = (Bool.random(using: &random), Bool.random(using: &random))
        let path = try path(
            "M\(from.x) \(from.y)A\(rx) \(ry) \(turn) \(isLarge ? 1 : 0)\(isClockwise ? 1 : 0)\(to.x) \(to.y)")
        try #require(path.verbs == [.move, .arc])
        let arc = PathArc(path.points[1...])
        #expect((arc.place(0) - from).length < 1e-9 && (arc.place(1) - to).length < 1e-9 && arc.end == to)
        #expect((arc.sweep > 0) == isClockwise && abs(arc.sweep) <= 2 * .pi)
        // Conjugate radii: their lengths are those of the ellipse, and its area is that of its axes.
        let squares = arc.u.length * arc.u.length + arc.v.length * arc.v.length
        let area = arc.u.x * arc.v.y - arc.u.y * arc.v.x
        let grown = max(1, (area / (rx * ry)).squareRoot())
        #expect(abs(squares - (rx * rx + ry * ry) * grown * grown) < 1e-8 * squares && area > 0.999 * rx * ry)
        if grown > 1 + 1e-12 {
            #expect(abs(abs(arc.sweep) - .pi) < 1e-6)
        } else {
            #expect((abs(arc.sweep) > .pi) == isLarge)
        }
        // The axes have the turn that was asked for.
        let (sine, cosine) = sinCos(degrees: turn)
        for place in [arc.place(0.3), arc.place(0.8)].map({ $0 - arc.center }) {
            let (x, y) = (cosine * place.x + sine * place.y, cosine * place.y - sine * place.x)
            let unit = (x / (rx * grown)) * (x / (rx * grown)) + (y / (ry * grown)) * (y / (ry * grown))
            #expect(abs(unit - 1) < 1e-9)
        }
        // As curves it is the same within a millionth.
        let curves = path.withoutArcs
        #expect(!curves.verbs.contains(.arc) && curves.points.last == to)
        for end in curves.points.enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) {
            let place = end - arc.center
            let (x, y) = (cosine * place.x + sine * place.y, cosine * place.y - sine * place.x)
            let unit = (x / (rx * grown)) * (x / (rx * grown)) + (y / (ry * grown)) * (y / (ry * grown))
            #expect(abs(unit - 1) < 1e-6)
        }
    }

    @Test("Flags need nothing behind them, and radii that are too small are scaled up")
    func arcWriting() throws {
        #expect(try path("M0 0a1 1 0 01.5.5") == path("M0 0 a 1,1 0 0,1 0.5,0.5"))
        #expect(try path("M0 0a-1-1-0 10 2 2") == path("M0 0 a 1 1 0 1 0 2 2"))
        for radius in ["1e-300", "1e-5", "0.5", "4"] {
            let arc = PathArc(try path("M0 0A\(radius) \(radius) 30 0 1 10 0").points[1...])
            #expect((arc.center - Point(x: 5, y: 0)).length < 1e-12 && abs(arc.u.length - 5) < 1e-12, "\(radius)")
            #expect(abs(arc.sweep - .pi) < 1e-12)
        }
    }

    @Test(
        "An arc of a huge circle is a curve that bulges as much, down to a line",
        arguments: [1e4, 1e6, 1e9, 1e13, 1e100, 1e155, 1e300])
    func hugeArcs(radius: Double) throws {
        let path = try path("M0 0A\(radius) \(radius) 0 0 1 6 8")
        let bulge = 100 / (8 * radius)
        if path.verbs == [.move, .line] {
            #expect(bulge < 1e-100)
        } else {
            try #require(path.verbs == [.move, .cubic])
            let (b, c) = (path.points[1], path.points[2])
            let middle = 0.125 * (3 * b + 3 * c + Point(x: 6, y: 8))
            #expect(abs((middle - Point(x: 3, y: 4)).length - bulge) < 1e-6 * bulge + 1e-14)
        }
        // The other way round it is beyond all drawings.
        let large = SVGPathData("M0 0A\(radius) \(radius) 0 1 1 6 8")
        if let fault = large.fault {
            #expect(fault.reason == .tooLarge && fault.offset == 5 && radius > 1e150)
        } else {
            #expect(PathArc(large.path.points[1...]).center.length > 0.99 * radius)
        }
    }

    @Test("What is beyond the limits is refused where it is, before anything is made of it")
    func limits() {
        func fault(_ text: String, segments: Int = 3) -> SVGPathFault? {
            var text = text
            return text.withUTF8 { SVGPathData($0, segmentsMax: segments, coordinateMax: 100).fault }
        }
        #expect(fault("M0 0h1h1z") == nil && fault("M100-100") == nil)
        #expect(fault("M0 0h1h1h1z")?.reason == .tooManySegments(3))
        #expect(fault("M0 0 1 1 2 2 3 3 4 4")?.offset == 17)
        #expect(fault("M0 0zm1 1zm1 1zm1 1zz")?.reason == .tooManySegments(3))
        #expect(fault("M101 0")?.reason == .tooLarge && fault("M0 0h99h2")?.offset == 8)
        #expect(fault("M0 0L1e400 0")?.reason == .tooLarge && fault("M1e400 0")?.offset == 1)
        #expect(fault("M0 0C0 0 0 101 0 0")?.reason == .tooLarge)
        let long = "M0 0" + String(repeating: "h1h-1", count: 5_000_000)
        #expect(fault(long, segments: 100_000)?.reason == .tooManySegments(100_000))
    }

    @Test(
        "A path that was read from short numbers is written as it stood",
        arguments: [
            "", "M0 0", "M1 2L-3.5 4e-07Q5 6 7 8C1 2 3 4 5 6Z", "M0 0L1 1ZM0 0L2 2",
            "M10 20A5 3 30 0 1 12 22", "M10 20A5 3 29.75 1 0 12 22", "M0 0A5 5 0 0 1 10 0A5 5 0 0 1 0 0Z",
            "M0 0A8 8 0 1 1 0.001 0", "M-1e+15 0L0.1 0.3",
        ])
    func writing(text: String) throws {
        let path = try path(text)
        let written = String(decoding: path.data, as: UTF8.self)
        #expect(try self.path(written) == path, "\(written)")
        #expect(written == text.replacing("e+15", with: "000000000000000"))
    }

    @Test("A whole ellipse is written in parts, a flat one as curves, and none of them moves")
    func writingOfEllipses() throws {
        func written(_ u: Point, _ v: Point, _ sweep: Double) throws -> [Point] {
            let center = Point(x: 30, y: -7)
            var path = ShapePath()
            path.move(to: center + u)
            let (sine, cosine) = sinCos(degrees: sweep * 180 / .pi)
            path.arc(center: center, u: u, v: v, start: 0, sweep: sweep, to: center + cosine * u + sine * v)
            let read = try self.path(String(decoding: path.data, as: UTF8.self))
            #expect(read.points.last == path.points.last)
            var places: [Point] = []
            for (index, verb) in read.verbs.enumerated() where verb == .arc {
                let first = read.verbs[..<index].reduce(0) { $0 + $1.pointCount }
                let arc = PathArc(read.points[first..<first + 5])
                places += (0...8).map { arc.place(Double($0) / 8) - center }
            }
            if places.isEmpty { places = read.points.map { $0 - center } }
            return places
        }
        for (u, v) in [
            (Point(x: 5, y: 0), Point(x: 0, y: 5)), (Point(x: 3, y: 4), Point(x: 1, y: -2)),
            (Point(x: 1e-3, y: 0), Point(x: 1, y: 700)),
        ] {
            let area = u.x * v.y - u.y * v.x
            for sweep in [2 * .pi, -2 * .pi, .pi, 5.9, 6.2, 0.01, -3] {
                for place in try written(u, v, sweep) {
                    // In the coordinates of u and v it is the unit circle.
                    let (a, b) = ((place.x * v.y - place.y * v.x) / area, (u.x * place.y - u.y * place.x) / area)
                    #expect(abs(a * a + b * b - 1) < 1e-6, "\(u) \(v) \(sweep)")
                }
            }
        }
        // Without an area: a line there and back.
        let flat = try written(Point(x: 5, y: 5), Point(x: 2, y: 2), 2 * .pi)
        #expect(flat.allSatisfy { abs($0.x - $0.y) < 1e-9 } && flat.map(\.x).min()! < -5 && flat.map(\.x).max()! > 5)
    }

    @Test("The angle of a direction", arguments: 0..<50 as Range<UInt64>)
    func angles(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let degrees = Double.random(in: -180...180, using: &random)
        let (sine, cosine) = sinCos(degrees: degrees)
        let length = [1e-300, 1, 1e300].randomElement(using: &random)!
        #expect(abs(angle(of: Point(x: length * cosine, y: length * sine)) - degrees * .pi / 180) < 2e-15)
        #expect(angle(of: Point(x: 0, y: 0)) == 0 && angle(of: Point(x: -1, y: 0)) == .pi)
        #expect(angle(of: Point(x: 0, y: 2)) == .pi / 2 && angle(of: Point(x: 0, y: -2)) == -.pi / 2)
    }
}
