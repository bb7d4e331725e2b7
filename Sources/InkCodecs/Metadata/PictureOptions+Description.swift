public import InkEngine

extension PictureOptions {
    /// What is written into a file of a picture apart from its pixels.
    ///
    /// - Parameters:
    ///   - project: what the picture shows.
    ///   - output: the picture's size in pixels.
    ///   - software: the program's name and version.
    ///   - digest: of this file.
    public func description(
        of project: Project, output: PixelSize, software: String, digest: [UInt8]?
    ) -> PictureDescription {
        var description = PictureDescription(
            text: hasMetadata ? PictureText.entries(of: project, software: software, keeping: keeps) : [],
            digest: digest.flatMap { PictureDigest(bytes: $0) }, hasProfile: hasMetadata)
        description.density = density(of: project, output: output)
        guard hasMetadata else { return description }
        (description.exif, description.xmp) = (project.metadata.exif, project.metadata.xmp)
        guard keeps != .all else { return description }
        description.exif = description.exif.flatMap { bytes in
            let kept = ExifTree(bytes)?.keeping(keeps)
            return kept?.isEmpty == false ? kept?.written(nil, nil) : nil
        }
        description.xmp = description.xmp.flatMap { bytes in
            // What cannot be read cannot be sorted.
            guard var data = try? XMPData(bytes) else { return nil }
            data.removeAll { !keeps.keeps($0) }
            return data.packet()
        }
        return description
    }
}
