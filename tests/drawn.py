"""What the picture of a state machine says, as a page shows it."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree as ET

_SOURCE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")


def words_of(shown: str) -> list[str]:
    """The texts in the picture of an HTML image, or of the image's source."""
    found = _SOURCE.search(shown)
    assert found is not None, "there is no picture"
    root = ET.fromstring(base64.b64decode(found[1]))
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
