import Glibc
import InkCommands

// All that is written has been written. Threads that still run may go on until they are gone: `exit` would take down under
// them what they use.
_exit(InkCommands.main())
