/// What a vector picture may hold: what needs more becomes an image.
public struct VectorLimits: Sendable {
    /// Stamps of a layer.
    var stamps = 250_000
    /// Stamps of a picture.
    var stampsInAll = 1_000_000
    /// Lines, dots and waves that a stroke uncovers of a pattern.
    var patternParts = 50_000
    /// Dots of the box of what uncovers a pattern whose dots are drawn whole.
    var wholeDots = 1_000_000
    /// Points of the contour lines of a stroke.
    var contourPoints = 2_000_000
    /// Groups of strokes in a layer that erase what is below them, each of which is a mask round all that.
    var erasures = 16
    /// Farthest coordinate, in output pixels: readers calculate with 24 bits.
    var farthest = 1e6
    /// Lines of a plot, before they are joined.
    var plotLines = 4_000_000
    /// Definitions of stamps that are remembered.
    var definitions = 4096
    /// Bytes of a file, with its images.
    public static let fileBytes = 1 << 30
}
