"""The pages of the reference, made from the contract, the handwritten texts, the guides and facts.jsonl."""

import html


def escape(text):
    """Escapes a text for HTML and XML."""
    return html.escape(text, quote=False).replace('"', "&quot;")
