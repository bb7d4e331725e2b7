import FuzzSupport
import InkDocuments
import InkEngine

/// Small enough that no input can take much memory or time.
private let limits: Limits = {
    var limits = Limits()
    limits.fileBytes = 1 << 20
    limits.imagePixels = 1 << 20
    limits.interlacedImagePixels = 1 << 18
    limits.archiveEntries = 100
    limits.points = 10_000
    limits.stamps = 100_000
    return limits
}()

/// Projects and zipped templates: whatever the bytes, reading returns or throws, errors are one line, and what was read
/// is within the limits.
private func check(_ bytes: [UInt8]) {
    let reading: ProjectReading
    do {
        reading = try ProjectLoader.load(bytes: bytes, name: "fuzz", limits: limits)
    } catch {
        if case .internalError = error { fatalError("\(error)") }
        precondition(!error.description.contains("\n"), "an error of several lines")
        return
    }
    let project = reading.project
    // An infinite canvas has no size.
    precondition(
        project.isInfinite || (1...Double(limits.edgePixels)).contains(project.canvasSize.longestEdge))
    precondition(project.layers.count <= limits.layers && reading.contentDigest.count == 32)
    for layer in project.layers {
        precondition((0...1).contains(layer.opacity))
        for stroke in layer.strokes {
            precondition(stroke.brush.spacing > 0 && stroke.brush.scale > 0 && stroke.brush.lineWidth > 0)
            for point in stroke.points {
                let most = project.isInfinite ? Limits.worldCoordinate : limits.coordinate
                precondition(abs(point.x) <= most && abs(point.y) <= most)
                precondition((0...1).contains(point.pressure))
            }
        }
    }
}

@_cdecl("FuzzProjectReader_main")
func main(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    fuzz(count, arguments) { check($0) }
}
