import FuzzSupport
import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

/// What a draft may be asked for; the first byte of an input chooses.
private let orders: [[PictureFormat]] = [[.png], [.psd, .ora], [.svg, .png], [.vectorPDF, .plot], [.jpeg]]

/// Small, or a few bytes could ask for many tiles.
private let limits: Limits = {
    var limits = Limits()
    (limits.edgePixels, limits.imagePixels, limits.layers) = (512, 1 << 20, 50)
    return limits
}()

@_cdecl("FuzzDrafts_main")
func main(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    fuzz(count, arguments) { bytes in
        guard let first = bytes.first else { return }
        var options = PictureOptions()
        options.files = orders[Int(first) % orders.count].map {
            PictureFileOptions(encoding: PictureEncoding(format: $0))
        }
        do {
            let fault = try DraftRehearsal.run(
                [Array(bytes.dropFirst())], of: PictureSpec(size: .named("1x"), options: options), name: "fuzz",
                limits: limits)
            precondition(fault?.contains("\n") != true, "a fault of several lines")
        } catch {
            precondition(!"\(error)".contains("\n"), "an error of several lines")
        }
    }
}
