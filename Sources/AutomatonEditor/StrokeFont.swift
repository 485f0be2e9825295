/// Letters made of straight strokes, for pictures where no font is at hand.
///
/// Each character is a list of strokes; each stroke is pairs of digits, x from 0 to 4 and y from 0, the
/// top of capitals, over 2, the top of small letters, to 6, the line they stand on, and 8 below it.
enum StrokeFont {
  /// The units from one character to the next, and those from top to base line.
  static let advance = 6.0
  static let height = 6.0

  /// The strokes of `text`, from its left end on the base line's top left corner, in units.
  static func strokes(of text: String) -> [[Vector]] {
    text.enumerated().flatMap { index, character -> [[Vector]] in
      (glyphs[character] ?? unknown).split(separator: " ").map { stroke in
        let digits = stroke.compactMap(\.wholeNumberValue).map(Double.init)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
          Vector(Double(index) * advance + digits[$0], digits[$0 + 1])
        }
      }
    }
  }

  /// A box, for characters that are not here.
  private static let unknown = "0040460600"

  private static let glyphs: [Character: String] = [
    "A": "062046 1434", "B": "0600 003041423303 033344453606", "C": "4130100105163645",
    "D": "0600 003042443606", "E": "40000646 0333", "F": "400006 0333",
    "G": "4130100105163645 4543 4323", "H": "0006 4046 0343", "I": "1030 2026 1636",
    "J": "4045361605", "K": "0006 400346", "L": "000646", "M": "0600234046", "N": "06004640",
    "O": "103041453616050110", "P": "0600 003041423303", "Q": "103041453616050110 2446",
    "R": "0600 003041423303 2346", "S": "413010010213334445361605", "T": "0040 2026",
    "U": "000516364540", "V": "002640", "W": "0016233640", "X": "0046 4006", "Y": "002340 2326",
    "Z": "00400646", "0": "103041453616050110 3115", "1": "112026 1636", "2": "01103041420646",
    "3": "01103041423313 334445361605", "4": "36300444", "5": "400002324345361605",
    "6": "40200305163645443303", "7": "004016", "8": "133342413010010213 1304051636454433",
    "9": "43130201103041433616", "a": "12324346 441405163645", "b": "0006 0312324345361605",
    "c": "4332120305163645", "d": "4046 4332120305163645", "e": "04444332120305163645",
    "f": "30201116 0232", "g": "4332120305163645 42473818", "h": "0006 0312324346",
    "i": "2226 2020", "j": "32372818 3030", "k": "0006 420446", "l": "2026",
    "m": "0206 03122326 23324346", "n": "0206 0312324346", "o": "123243453616050312",
    "p": "0208 0312324345361605", "q": "4248 4332120305163645", "r": "0206 031232",
    "s": "43321203143445361605", "t": "10152636 0232", "u": "0205163645 4246", "v": "022642",
    "w": "0216243642", "x": "0246 4206", "y": "0226 4218", "z": "02420646",
    "ε": "433212031424 1405163645", ",": "2618", ".": "2626", "{": "30212213242536",
    "}": "10212233242516", "(": "30121436", ")": "10323416", "'": "2022", "-": "0343",
    "+": "0343 2125", "*": "0343 1135 3115", "_": "0747", "=": "0242 0444", "/": "0640",
    "|": "2027", "<": "410345", ">": "014305", "!": "2024 2626", "?": "01103041422324 2626",
    ":": "2222 2626", " ": "",
  ]
}
