import InkCodecs
import InkEngine

extension ProjectMetadata {
    /// Takes over what a file says about its picture; what stays behind is a warning.
    mutating func take(_ source: SourceMetadata, _ warnings: inout Warnings) {
        (exif, xmp, density) = (source.exif, source.xmp, source.density)
        (author, license) = (source.author, source.copyright)
        for what in source.leftOut { warnings.add(.leftOut, at: nil, what) }
    }
}
