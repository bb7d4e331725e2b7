public enum InkCommands { public static func main(_ arguments: [String]) -> Int32 { 0 } }
