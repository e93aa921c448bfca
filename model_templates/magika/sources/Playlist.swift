import Foundation

struct Track: Codable, Hashable {
    let title: String
    let artist: String
    let seconds: Int
}

enum PlaylistError: Error {
    case empty
    case duplicate(Track)
}

final class Playlist {
    private(set) var tracks: [Track] = []
    var onChange: (([Track]) -> Void)?

    func append(_ track: Track) throws {
        guard !tracks.contains(track) else {
            throw PlaylistError.duplicate(track)
        }
        tracks.append(track)
        onChange?(tracks)
    }

    func longest() throws -> Track {
        guard let track = tracks.max(by: { $0.seconds < $1.seconds }) else {
            throw PlaylistError.empty
        }
        return track
    }

    func save(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(tracks).write(to: url, options: .atomic)
    }
}

let playlist = Playlist()
playlist.onChange = { print("now \($0.count) tracks") }
try? playlist.append(Track(title: "Harbour", artist: "The Gulls", seconds: 214))
if let track = try? playlist.longest() {
    print(track.title)
}
