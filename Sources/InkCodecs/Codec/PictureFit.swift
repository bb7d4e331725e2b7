/// Where a drawing lies in a picture whose size does not follow from the drawing's: as large as the picture has room for,
/// in the middle of its width.
public struct PictureFit: Hashable, Sendable {
    /// Where it lies in the picture's height.
    public enum Alignment: UInt8, Hashable, Sendable, CaseIterable {
        case top = 0
        case center = 1
        case bottom = 2

        public var name: String {
            switch self {
            case .top: "top"
            case .center: "center"
            case .bottom: "bottom"
            }
        }
    }

    /// Pixels that stay free at each edge.
    public var margin: Int
    public var alignment: Alignment
    /// Whether the drawing is made in its canvas' size and its pixels are repeated, whatever the project says.
    public var repeatsPixels: Bool

    public init(margin: Int = 0, alignment: Alignment = .center, repeatsPixels: Bool = false) {
        self.margin = margin
        self.alignment = alignment
        self.repeatsPixels = repeatsPixels
    }
}
