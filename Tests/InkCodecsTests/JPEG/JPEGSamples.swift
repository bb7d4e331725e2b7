import Foundation

/// Small files that Pillow 9.4.0 wrote: what kind they are, their bytes, and its pixels at (0, 0), (18, 12) and (7, 5).
enum JPEGSamples {
    static let all: [(name: String, file: [UInt8], pixels: [[Int]])] = [
        (
            "gray",
            bytes(
                """
                /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEYGh0d
                Hx8fExciJCIeJBweHx7/wAALCAANABMBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF
                BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW
                V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi
                4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APnjRvDP3f3f6V2ujeGfu/u/0rqIvDP7tf3fb0qXRtItvl4/Su00bSLb5eP0rqYt
                ItvLXjt6V//Z
                """),
            [[0, 0, 0], [175, 175, 175], [71, 71, 71]]
        ),
        (
            "baseline 4:2:0",
            bytes(
                """
                /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEYGh0d
                Hx8fExciJCIeJBweHx7/2wBDAQUFBQcGBw4ICA4eFBEUHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4e
                Hh4eHh4eHh7/wAARCAANABMDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF
                BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW
                V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi
                4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC
                AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm
                Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq
                8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD540bwz9393+ldro3hn7v7v9K63RtItvl4/Su00bSLb5eP0rrwdU5uG+J56HDReGf3a/u+
                3pRXsUWkW3lrx29KK9tVT9RjxPPlR//Z
                """),
            [[0, 1, 2], [199, 156, 209], [79, 64, 85]]
        ),
        (
            "progressive",
            bytes(
                """
                /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEYGh0d
                Hx8fExciJCIeJBweHx7/2wBDAQUFBQcGBw4ICA4eFBEUHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4e
                Hh4eHh4eHh7/wgARCAANABMDAREAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABQIH/8QAFwEBAQEBAAAAAAAAAAAAAAAABQQC
                B//aAAwDAQACEAMQAAABzvWG631KGaH5I1W+rQz/AP/EABoQAAIDAQEAAAAAAAAAAAAAAAADAQIEESH/2gAIAQEAAQUCTmE5iM3i
                VVEqqQqvP//EABkRAAMBAQEAAAAAAAAAAAAAAAACBAMRIf/aAAgBAwEBPwGasmrFr8JtmJtmF2bh/8QAFxEAAwEAAAAAAAAAAAAA
                AAAAAAECEf/aAAgBAgEBPwGGQzSGQzT/xAAWEAEBAQAAAAAAAAAAAAAAAAAxACD/2gAIAQEABj8CIjH/xAAXEAEBAQEAAAAAAAAA
                AAAAAAAAITER/9oACAEBAAE/IcTEiIkTiP/aAAwDAQACAAMAAAAQxGq//8QAFxEBAQEBAAAAAAAAAAAAAAAAACExEf/aAAgBAwEB
                PxDCsKgqJE4j/8QAFxEBAQEBAAAAAAAAAAAAAAAAAAEhEP/aAAgBAgEBPxDizKiiYf/EABoQAAEFAQAAAAAAAAAAAAAAAAAxQVGh
                8YH/2gAIAQEAAT8QyDIOQgbqG6hONB//2Q==
                """),
            [[0, 0, 2], [199, 156, 210], [79, 64, 83]]
        ),
        (
            "CMYK",
            bytes(
                """
                /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAFAwQEBAMFBAQEBQUFBgcMCAcHBwcPCwsJDBEPEhIRDxERExYcFxMUGhURERghGBodHR8f
                HxMXIiQiHiQcHh8e/8AAFAgADQATBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIB
                AwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZH
                SElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV
                1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwD5w+Hn/LP8K+e/+EE/6Y/pXgPhTw/9z5P0r7Lr6N+Hn/LP
                8KP+EE/6Y/pXrPhTw/8Ac+T9KK9rsP8Ajzi/3aP+EE/6Y/pXott4f/cJ8nb0or4H+Hn/ACz/AAr6X/4Ruw9P0rzLwpplv8nH6UV9
                G/Dz/ln+FH/CN2Hp+les+FNMt/k4/Siva7D/AI84v92j/hG7D0/SvRbbTLfyE47elFf/2Q==
                """),
            [[0, 0, 0], [198, 155, 209], [78, 65, 85]]
        ),
    ]

    private static func bytes(_ text: String) -> [UInt8] {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { Array($0) } ?? []
    }
}
