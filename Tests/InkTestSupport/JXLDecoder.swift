import Glibc
public import InkEngine

/// Reads JPEG XL files with libjxl, which is loaded; for judging what the encoder makes.
public enum JXLDecoder {
    public struct Failure: Error { public var text: String }

    private typealias Create = @convention(c) (UnsafeRawPointer?) -> OpaquePointer?
    private typealias Destroy = @convention(c) (OpaquePointer) -> Void
    private typealias Subscribe = @convention(c) (OpaquePointer, Int32) -> Int32
    private typealias SetInput = @convention(c) (OpaquePointer, UnsafePointer<UInt8>?, Int) -> Int32
    private typealias Process = @convention(c) (OpaquePointer) -> Int32
    private typealias GetInfo = @convention(c) (OpaquePointer, UnsafeMutablePointer<UInt32>) -> Int32
    private typealias SetOutput =
        @convention(c) (
            OpaquePointer, UnsafePointer<UInt64>, UnsafeMutableRawPointer, Int
        ) -> Int32

    /// The size and all samples of a file, RGB or RGBA, 8 bits each.
    public static func pixels(_ file: [UInt8]) throws -> (size: PixelSize, format: PixelFormat, samples: [UInt8]) {
        let library = (7...11).lazy.compactMap { dlopen("libjxl.so.0.\($0)", RTLD_NOW) }.first
        guard let library else { throw Failure(text: "no libjxl") }
        func find<Function>(_ name: String) throws -> Function {
            guard let symbol = dlsym(library, "JxlDecoder" + name) else { throw Failure(text: "no \(name)") }
            return unsafeBitCast(symbol, to: Function.self)
        }
        let (create, destroy): (Create, Destroy) = (try find("Create"), try find("Destroy"))
        let (subscribe, close): (Subscribe, Destroy) = (try find("SubscribeEvents"), try find("CloseInput"))
        let (setInput, process): (SetInput, Process) = (try find("SetInput"), try find("ProcessInput"))
        let (getInfo, setOutput): (GetInfo, SetOutput) = (try find("GetBasicInfo"), try find("SetImageOutBuffer"))
        guard let decoder = create(nil) else { throw Failure(text: "no memory") }
        defer { destroy(decoder) }
        // Basic information and the whole image.
        _ = subscribe(decoder, 0x40 | 0x1000)
        var size = PixelSize(width: 0, height: 0)
        var format = PixelFormat.rgb
        var samples: [UInt8] = []
        try file.withUnsafeBufferPointer { bytes in
            _ = setInput(decoder, bytes.baseAddress, bytes.count)
            close(decoder)
            while true {
                switch process(decoder) {
                case 0: return
                case 0x40:
                    // Width and height, and the number of further channels.
                    var info = [UInt32](repeating: 0, count: 128)
                    _ = getInfo(decoder, &info)
                    size = PixelSize(width: Int(info[1]), height: Int(info[2]))
                    format = info[14] > 0 ? .rgba : .rgb
                    samples = [UInt8](repeating: 0, count: size.area * format.bytesPerPixel)
                case 5:
                    // Channels, 8 bits, no order of bytes, no alignment.
                    let kind = [UInt64(format.bytesPerPixel) | 2 << 32, 0, 0]
                    let status = samples.withUnsafeMutableBytes { buffer in
                        setOutput(decoder, kind, buffer.baseAddress!, buffer.count)
                    }
                    guard status == 0 else { throw Failure(text: "no room for the pixels") }
                case 0x1000: continue
                case let status: throw Failure(text: "status \(status) of \(file.count) bytes")
                }
            }
        }
        return (size, format, samples)
    }
}
