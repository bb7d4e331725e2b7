import InkExports

/// Why a command fails; the same reasons as for exports.
typealias CommandError = ExportError
