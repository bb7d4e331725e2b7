import InkClient
import InkEngine
import InkExports
import InkHTTP
import InkProtocol
import InkService
import InkSystem

/// The settings of a broker's HTTP front.
struct HTTPArguments: Sendable {
    let configuration: GatewayConfiguration

    /// nil if there is none.
    ///
    /// - Throws: `configuration`.
    init?(_ settings: Settings) throws(CommandError) {
        typealias Own = BrokerSetting
        guard let text = settings.text(Own.http) else {
            for setting in [Own.httpTokens, Own.httpHost] where settings.isSet(setting) {
                throw settings.refusal(setting, "also needs --http")
            }
            return nil
        }
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let port = UInt16(text[text.index(after: colon)...])
        else { throw settings.refusal(Own.http, "\"\(text)\" is not HOST:PORT, as in 127.0.0.1:8080 or [::1]:8080") }
        var configuration = GatewayConfiguration(host: String(text[..<colon]), port: port)
        if let problem = configuration.addressProblem { throw settings.refusal(Own.http, problem) }
        configuration.hosts = settings.texts(Own.httpHost)
        let asked = settings.bytes(Own.httpDocument) ?? configuration.documentBytesMax
        configuration.documentBytesMax = min(asked, Memory.read().documentBytesMax ?? asked)
        if let path = settings.text(Own.httpTokens) {
            let bytes: [UInt8]
            do throws(EngineError) { bytes = try InputFile.read(path: path, limitBytes: 1 << 20) } catch {
                throw settings.refusal(Own.httpTokens, "\(error)")
            }
            do throws(GatewayError) {
                configuration.tokens = try AccessToken.read(String(decoding: bytes, as: UTF8.self), file: path)
            } catch {
                throw CommandError(error)
            }
            guard !configuration.tokens.isEmpty else {
                throw settings.refusal(Own.httpTokens, "\(path) has no token; make one by ink keygen --http")
            }
        }
        guard !configuration.isOpen else {
            throw settings.refusal(
                Own.http,
                "\(configuration.host) is not limited to this machine: pass --http-tokens (from ink keygen --http)")
        }
        self.configuration = configuration
    }

    func address(port: UInt16) -> String { "http://\(HostAddress.bracketed(configuration.host)):\(port)" }
}
