package import InkEngine

extension PackInfo {
    /// The namespace of the UUIDs of all packs.
    private static let namespace = "5d0f9a2c-7b3e-4c1f-8a66-d1e2c4b7f093"

    /// The identity of the pack, from which all UUIDs in its bundles follow: the one that it asks for, or that of its
    /// author and id.
    ///
    /// - Parameter file: the pack, for messages.
    /// - Throws: `badInput` if what it asks for is no UUID.
    package func identity(file: String) throws(EngineError) -> NameUUID {
        if let uuid {
            guard let identity = NameUUID(uuid) else {
                throw .badInput(Place(file: file, path: "uuid"), reason: "\"\(shownText(uuid))\" is not a UUID")
            }
            return identity
        }
        guard let namespace = NameUUID(Self.namespace) else { throw .internalError("no namespace of packs") }
        return try NameUUID(namespace: namespace, name: "\(author)\n\(id)")
    }
}
