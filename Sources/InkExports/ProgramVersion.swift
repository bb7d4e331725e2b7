/// The version of the program, as `ink --version` says it.
package enum ProgramVersion {
    package static let text = "0.1.0"
}
