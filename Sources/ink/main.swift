import Glibc
import InkCommands

exit(InkCommands.main(CommandLine.arguments))
