import CKernels

/// The inner loops for compositing at one level. Every level gives the same bytes.
package struct CompositingKernels: Sendable {
    let blend: ink_blend
    let resample: ink_resample

    init(_ level: KernelLevel) {
        blend = ink_blend_kernels(level.c).pointee
        resample = ink_resample_kernels(level.c).pointee
    }

    /// The kernels of the level in use.
    package static let selected = CompositingKernels(.selected)
}

extension BlendMode {
    /// The mode as a C value.
    var c: ink_blend_mode {
        switch self {
        case .normal: INK_BLEND_NORMAL
        case .multiply: INK_BLEND_MULTIPLY
        case .screen: INK_BLEND_SCREEN
        case .overlay: INK_BLEND_OVERLAY
        case .darken: INK_BLEND_DARKEN
        case .lighten: INK_BLEND_LIGHTEN
        case .colorDodge: INK_BLEND_COLOR_DODGE
        case .colorBurn: INK_BLEND_COLOR_BURN
        case .hardLight: INK_BLEND_HARD_LIGHT
        case .softLight: INK_BLEND_SOFT_LIGHT
        case .difference: INK_BLEND_DIFFERENCE
        case .exclusion: INK_BLEND_EXCLUSION
        case .hue: INK_BLEND_HUE
        case .saturation: INK_BLEND_SATURATION
        case .color: INK_BLEND_COLOR
        case .luminosity: INK_BLEND_LUMINOSITY
        case .plus: INK_BLEND_PLUS
        case .linearDodge: INK_BLEND_LINEAR_DODGE
        case .linearBurn: INK_BLEND_LINEAR_BURN
        case .linearLight: INK_BLEND_LINEAR_LIGHT
        case .vividLight: INK_BLEND_VIVID_LIGHT
        case .pinLight: INK_BLEND_PIN_LIGHT
        case .hardMix: INK_BLEND_HARD_MIX
        case .subtract: INK_BLEND_SUBTRACT
        case .divide: INK_BLEND_DIVIDE
        case .darkerColor: INK_BLEND_DARKER_COLOR
        case .lighterColor: INK_BLEND_LIGHTER_COLOR
        }
    }
}

extension SampleFormat {
    /// A picture's format as a C value.
    ///
    /// - Precondition: it is not the format of a mask.
    var pixels: ink_pixels {
        precondition(!isMask)
        return self == .rgb8 ? INK_PIXELS_RGB8 : INK_PIXELS_RGBA8
    }
}
