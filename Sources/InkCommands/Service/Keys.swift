import InkEngine
import InkExports
import InkProtocol
import InkService

/// Reads the keys that settings name.
enum Keys {
    /// The keys of a worker or a client; nil without keys.
    static func security(
        role: KeyRole, keyPath: String?, brokerKeyPath: String?
    ) throws(CommandError) -> SocketSecurity? {
        guard let keyPath, let brokerKeyPath else { return nil }
        do throws(KeyError) {
            let own = try KeyFile.secret(path: keyPath, role: role)
            let broker = try KeyFile.publicKey(path: brokerKeyPath, role: .broker)
            return .client(own.pair, serverKey: broker.publicKey)
        } catch {
            throw .refused(.configuration, Cause(error))
        }
    }
}

extension BrokerArguments {
    /// The broker's key and those of its workers and clients; nil without keys.
    func security() throws(CommandError) -> ServiceSecurity? {
        guard let keyPath else { return nil }
        do throws(KeyError) {
            return ServiceSecurity(
                pair: try KeyFile.secret(path: keyPath, role: .broker).pair,
                workers: try AllowList(path: allowWorkers, role: .worker),
                clients: try AllowList(path: allowClients, role: .client))
        } catch {
            throw .refused(.configuration, Cause(error))
        }
    }
}
