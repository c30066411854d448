"""The words that stand in for recorded ones, by length, and characters of other scripts. Our own; no rule is here."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[int, tuple[str, ...]] = {
    1: ("a", "o", "i", "u", "e"),
    2: ("we", "on", "up", "by", "at", "to", "in", "so"),
    3: ("oar", "tar", "net", "sea", "bay", "fog", "jar", "rye", "elm", "oat"),
    4: ("mast", "rope", "pier", "buoy", "kelp", "reef", "gull", "dune", "loaf", "plum", "sail", "cove"),
    5: ("ankle", "brine", "cabin", "ferry", "heron", "otter", "plank", "shoal", "thyme", "wharf", "amber", "quilt"),
    6: ("anchor", "barley", "beacon", "canvas", "dinghy", "galley", "kettle", "ladder", "pebble", "rudder", "walnut"),
    7: ("bollard", "currant", "dolphin", "estuary", "gangway", "halyard", "lantern", "mooring", "oatmeal", "pannier"),
    8: ("bulkhead", "capstans", "driftway", "foremast", "headland", "lobsters", "mackerel", "sandbank", "windmill"),
    9: ("boathouse", "deckhands", "cormorant", "fishermen", "gooseneck", "lightship", "moonlight", "sailcloth"),
    10: (
        "breakwater",
        "buttermilk",
        "cloudberry",
        "gingerroot",
        "lighthouse",
        "marshlands",
        "navigators",
        "weathering",
    ),
    11: ("bellringers", "elderflower", "fisherwomen", "herringbone", "horseradish", "quarterdeck", "tillerropes"),
    12: ("beachcombers", "boatbuilders", "gooseberries", "harbourfront", "marlinspikes", "thunderstorm"),
}
"""Lower case, ASCII. A longer run is joined from these."""

LONGEST = max(WORDS)

LATIN = "éàöñçøå"
"""Letters of two bytes, lower case, whose upper case has two bytes as well."""

GREEK = "αβγδζθλ"
CYRILLIC = "бгджзил"
HIRAGANA = "あかさたなはま"
KATAKANA = "アカサタナハマ"
HANGUL = "가나다라마바사"
HAN = "港船灯海風松米"
LATIN_RARE = "ạẹịọụẽỹ"
DESERET = "𐐨𐐩𐐪𐐫"
"""Letters of three and four bytes that have capitals of as many."""

HAN_RARE = "𠀋𠮟𡈽𡌛"
"""Letters of four bytes."""

SYMBOLS = "☂★☕♜⚓☀"
"""Symbols of three bytes."""

EMOJI = "🌊🍞🚲🎈🐚🧭🍋"
"""Symbols of four bytes."""
