/// How much of what a file says about itself is read and written.
package enum MetadataSize {
    /// What a file of a format has room for: the data of one segment of a JPEG, with some room to spare.
    package static let bytesMax = 65_000
    /// All of the room of a segment that EXIF may take.
    static let segmentBytesMax = 65_500
    /// What is read of one kind, before anything is taken out of it.
    static let embeddedBytesMax = 4 << 20
}
