import InkExports

/// Why a command fails: for what an export fails for.
typealias CommandError = ExportError
