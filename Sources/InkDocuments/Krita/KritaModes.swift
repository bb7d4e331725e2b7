import InkEngine

/// Krita's names of modes, as its files have them.
enum KritaModes {
    static let modes: [String: BlendMode] = [
        "normal": .normal, "multiply": .multiply, "screen": .screen, "overlay": .overlay, "darken": .darken,
        "lighten": .lighten, "dodge": .colorDodge, "burn": .colorBurn, "hard_light": .hardLight,
        "soft_light": .softLight, "soft_light_svg": .softLight, "diff": .difference, "exclusion": .exclusion,
        "hue": .hue, "saturation": .saturation, "color": .color, "luminize": .luminosity, "add": .linearDodge,
        "linear_dodge": .linearDodge, "linear_burn": .linearBurn, "linear light": .linearLight,
        "linear_light": .linearLight, "vivid_light": .vividLight, "pin_light": .pinLight, "hard mix": .hardMix,
        "hard_mix": .hardMix, "subtract": .subtract, "divide": .divide, "darker color": .darkerColor,
        "lighter color": .lighterColor,
    ]
}
