/// How a client reaches its broker.
package struct RemoteOptions: Hashable, Sendable {
    package var endpoint: String
    /// Both or none.
    package var keyPath: String?
    package var brokerKeyPath: String?
    /// How long to wait for an answer from the broker, milliseconds; nil: the command's default.
    package var timeoutMilliseconds: Int?
    /// Whether fetched pictures replace existing files.
    package var replacesFiles = true

    package init(endpoint: String, keyPath: String? = nil, brokerKeyPath: String? = nil, timeoutMilliseconds: Int?) {
        self.endpoint = endpoint
        self.keyPath = keyPath
        self.brokerKeyPath = brokerKeyPath
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}
