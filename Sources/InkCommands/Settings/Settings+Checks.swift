import InkEngine
import InkExports
import InkSystem
import InkProtocol

/// Checks of settings against each other and against the disk; each error names the setting and where it stands.
extension Settings {
    /// Every path of the setting leads to a folder.
    func requireFolders(_ setting: SettingSyntax) throws(CommandError) {
        for path in texts(setting) {
            let status = try CommandError.wrapping(try FileSystem.status(path))
            guard status?.isFolder == true else { throw refusal(setting, "\(path): no such folder") }
        }
    }

    /// Every path of a setting of keys leads to something.
    func requireKeys(_ setting: SettingSyntax) throws(CommandError) {
        for path in texts(setting) {
            let exists = try CommandError.wrapping(try FileSystem.exists(path))
            guard exists else { throw .configuration("\(place(setting)): \(path): no such file or folder") }
        }
    }

    /// Own key and the other side's go together, and only this machine may be reached without.
    func requireKeysOrLoopback(_ endpoint: SettingSyntax) throws(CommandError) {
        let hasKey = isSet(KeySetting.key)
        let hasBrokerKey = isSet(KeySetting.brokerKey)
        if hasKey, !hasBrokerKey {
            throw refusal(KeySetting.key, "also needs --broker-key, the broker's public key")
        }
        if hasBrokerKey, !hasKey { throw refusal(KeySetting.brokerKey, "also needs --key, your secret key") }
        try requireKeyOrLoopback(endpoint, hasKey: hasKey)
        try requireKeys(KeySetting.key)
        try requireKeys(KeySetting.brokerKey)
    }

    /// A host's name to listen on is one of this machine.
    func requireListening(_ endpoint: SettingSyntax) throws(CommandError) {
        guard let text = text(endpoint) else { return }
        _ = try rethrowing(try Endpoint(text).listeningEndpoints()) { (error: ProtocolError) in
            refusal(endpoint, error.description)
        }
    }

    /// Without keys, only this machine may be reached, unless `--insecure` is given.
    func requireKeyOrLoopback(_ endpoint: SettingSyntax, hasKey: Bool) throws(CommandError) {
        // A malformed endpoint is refused where it is used.
        guard !hasKey, !isOn(KeySetting.insecure), let text = text(endpoint), (try? Endpoint(text))?.isLocal != true
        else {
            return
        }
        throw refusal(
            endpoint,
            "\(text) is not limited to this machine: pass keys (made by ink keygen), or --insecure to go without")
    }
}
