"""`predict`: a question to answer before reading on; the answer is folded and opens without scripts."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from concdocs.places import Directive


class predict(nodes.Element):
    """The whole, as <details>."""


class question(nodes.TextElement):
    """The question, as <summary>."""


class Predict(Directive):
    """The argument is the question, the content the answer."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def build(self) -> list[nodes.Node]:
        inline, messages = self.parse_inline(self.arguments[0])
        asked = question("", "", *inline)
        answer = nodes.container("", *self.parse_content_to_nodes(), classes=["predict-answer"])
        return [predict("", asked, answer), *messages]


def open_details(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append('<details class="predict">')


def close_details(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</details>\n")


def open_question(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append('<summary><span class="predict-label">Before you read on</span> <span class="predict-question">')


def close_question(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</span></summary>\n")


def setup(app: Sphinx) -> None:
    app.add_node(predict, html=(open_details, close_details))
    app.add_node(question, html=(open_question, close_question))
    app.add_directive("predict", Predict)
