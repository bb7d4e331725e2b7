import InkEngine

/// The tags that TIFF and EXIF share.
extension TagDirectory {
    /// - Parameters:
    ///   - description: what to write.
    ///   - textBytesMax: longer texts are cut.
    mutating func add(_ description: PictureDescription, textBytesMax: Int = PictureText.byteCountMax) {
        func text(_ keyword: PictureText.Keyword) -> Value? {
            description.text(keyword).map { .text($0.prefix(utf8: textBytesMax)) }
        }
        self[270] = text(.title)
        self[305] = text(.software)
        self[306] = description.date.map { .text($0.exif) }
        self[315] = text(.author)
        self[33432] = text(.copyright)
        if let density = description.density { set(density) }
    }

    /// The resolution, in dots per inch.
    mutating func set(_ density: PictureDensity) {
        self[282] = TagDirectory.rational(density.across)
        self[283] = TagDirectory.rational(density.down)
        self[296] = .short([2])
    }

    /// To a thousandth, in lowest terms.
    private static func rational(_ value: Double) -> Value {
        let over = UInt32((min(value, 4_000_000) * 1000).rounded())
        var (a, b) = (over, 1000 as UInt32)
        while b != 0 { (a, b) = (b, a % b) }
        return .rational(over / max(a, 1), 1000 / max(a, 1))
    }
}
