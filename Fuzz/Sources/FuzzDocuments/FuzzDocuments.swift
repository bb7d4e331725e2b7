import FuzzSupport
import InkCodecs
import InkDocuments
import InkEngine

/// Small enough that no input can take much memory or time.
private let limits: Limits = {
    var limits = Limits()
    limits.fileBytes = 1 << 20
    limits.imagePixels = 1 << 18
    limits.interlacedImagePixels = 1 << 18
    limits.heldImagePixels = 1 << 18
    limits.edgePixels = 4096
    limits.archiveEntries = 100
    limits.points = 10_000
    return limits
}()

/// Names of which the ending alone tells what a file is.
private let names = ["f", "f.svc", "f.dat", "f.kra", "f.ora", "f.xopp", "f.bww"]

/// Documents of other programs: whatever the bytes, reading returns or throws, errors are one line, and so does the
/// decoding of the images that were found.
private func check(_ bytes: [UInt8], _ name: String) {
    do {
        let reading = try ProjectLoader.load(bytes: bytes, name: name, limits: limits)
        for layer in reading.project.layers.flattened() { check(layer.layer) }
    } catch {
        if case .internalError = error { fatalError("\(error)") }
        precondition(!error.description.contains("\n"), "an error of several lines")
    }
}

/// The same of an SVG whose outlines become strokes.
private func checkOutlines(_ bytes: [UInt8]) {
    var context = DocumentContext(limits: limits)
    context.takesOutlines = true
    context.brush = BrushChange(type: .crossHatch)
    do {
        try DocumentReaders.importPages(bytes, name: "f.svg", context) { page in
            guard case .success(let page) = page else { return }
            for layer in page.reading.project.layers.flattened() { check(layer.layer) }
        }
    } catch {
        if case .internalError = error { fatalError("\(error)") }
        precondition(!error.description.contains("\n"), "an error of several lines")
    }
}

private func check(_ layer: Layer) {
    precondition((0...1).contains(layer.opacity))
    for stroke in layer.strokes {
        precondition(stroke.brush.lineWidth > 0 && (0...1).contains(stroke.brush.opacity))
        for point in stroke.points {
            precondition(abs(point.x) <= Limits.worldCoordinate && abs(point.y) <= Limits.worldCoordinate)
            precondition((0...1).contains(point.pressure))
        }
    }
    for image in [layer.contentImage, layer.maskImage] {
        guard let image, !image.header.isVector else { continue }
        do {
            _ = try ImageDecoders.decode(
                image.bytes, as: .color, convertsProfiles: true, place: Place(file: "fuzz"), limits: limits
            ) { _ in }
        } catch {
            if case .internalError = error { fatalError("\(error)") }
        }
    }
}

@_cdecl("FuzzDocuments_main")
func main(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    fuzz(count, arguments) { bytes in
        for name in names { check(bytes, name) }
        checkOutlines(bytes)
    }
}
