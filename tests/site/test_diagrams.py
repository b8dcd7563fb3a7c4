"""The diagrams of the pages: what their text says is in the picture, and nothing hides anything."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from scripts.website.diagrams.flow import flow_picture
from scripts.website.diagrams.page import description, figure, with_pictures
from scripts.website.diagrams.picture import MOST, PHONE, Box, Line, Words
from scripts.website.diagrams.sequence import sequence_picture
from scripts.website.diagrams.source import DiagramError, Flow, Message, read_diagram
from scripts.website.diagrams.words import SIZE, size, width, wrapped
from scripts.website.layout import DOCS, LANGUAGES

FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def diagrams(language):
    for page in sorted((DOCS / language).rglob("*.md")):
        for number, text in enumerate(FENCE.findall(page.read_text(encoding="utf-8"))):
            yield f"{page.relative_to(DOCS / language).as_posix()}-{number}", text


TEXTS = {f"{language}-{name}": text for language in LANGUAGES for name, text in diagrams(language)}
EACH = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())


@cache
def picture(text):
    diagram = read_diagram(text)
    return flow_picture(diagram) if isinstance(diagram, Flow) else sequence_picture(diagram)


def parts(text, kind):
    return [part for part in picture(text).parts if isinstance(part, kind)]


def extent(part):
    if isinstance(part, Words):
        wide, tall = part.extent
    else:
        wide, tall = part.width, part.height
    return part.x - wide / 2, part.y - tall / 2, part.x + wide / 2, part.y + tall / 2


def touch(one, other, slack=0.5):
    return (
        one[0] + slack < other[2]
        and other[0] + slack < one[2]
        and one[1] + slack < other[3]
        and other[1] + slack < one[3]
    )


def segments(line):
    for (x, y), (to_x, to_y) in pairwise(line.points):
        assert abs(x - to_x) < 0.1 or abs(y - to_y) < 0.1, "each part is upright or level"
        yield min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)


def passes(segment, area, slack=1.0):
    left, top, right, bottom = area
    return (
        segment[0] < right - slack
        and segment[2] > left + slack
        and segment[1] < bottom - slack
        and segment[3] > top + slack
    )


def shape(text):
    diagram = read_diagram(text)
    if isinstance(diagram, Flow):
        nodes = [(node.name, node.shape, bool(node.group)) for node in diagram.nodes]
        edges = [
            (edge.start, edge.end, bool(edge.text), edge.dashed, edge.both)
            for edge in diagram.edges
        ]
        return diagram.down, sorted(nodes), edges
    steps = [
        (each.start, each.end, each.reply, each.lost) if isinstance(each, Message) else each.over
        for each in diagram.steps
    ]
    return list(diagram.participants), steps


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_a_diagram_has_the_same_boxes_and_arrows_in_each_language(language):
    english = {name: shape(text) for name, text in diagrams("en")}
    assert len(english) >= 18
    assert {name: shape(text) for name, text in diagrams(language)} == english


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_diagram_is_cut_off_in_a_question(language):
    for name, text in diagrams(language):
        diagram = read_diagram(text)
        if isinstance(diagram, Flow):
            starts = [edge.start for edge in diagram.edges]
            asked = [node.name for node in diagram.nodes if node.shape == "decision"]
            assert [each for each in asked if starts.count(each) < 2] == [], name


@EACH
def test_boxes_and_words_lie_beside_each_other(text):
    boxes = [box for box in parts(text, Box) if box.kind != "group"]
    areas = [extent(part) for part in [*boxes, *parts(text, Words)]]
    assert [pair for pair in combinations(areas, 2) if touch(*pair)] == []


@EACH
def test_words_fit_into_their_box(text):
    for box in parts(text, Box):
        wide, tall = size(box.lines)
        tips = 24 if box.kind == "decision" else 12
        assert not box.lines or wide + tips <= box.width, box.lines
        assert tall + 6 <= box.height or not box.lines


@EACH
def test_no_line_runs_through_a_box(text):
    boxes = [extent(box) for box in parts(text, Box) if box.kind not in ("group", "note")]
    for line in parts(text, Line):
        if line.kind != "life":
            assert [b for b in boxes for s in segments(line) if passes(s, b)] == []


@EACH
def test_no_line_runs_through_the_words_of_another(text):
    lines = [line for line in parts(text, Line) if line.kind != "life"]
    for words in parts(text, Words):
        area = extent(words)
        crossing = [line for line in lines if any(passes(s, area) for s in segments(line))]
        assert len(crossing) <= 1, words.lines


@EACH
def test_all_is_inside_the_picture_and_in_a_size_that_is_read(text):
    drawn = picture(text)
    for part in drawn.parts:
        points = part.points if isinstance(part, Line) else [extent(part)[:2], extent(part)[2:]]
        for x, y in points:
            assert 0 <= x <= drawn.width, part
            assert 0 <= y <= drawn.height, part
    assert drawn.width <= MOST
    assert SIZE >= 12


@EACH
def test_every_word_and_every_arrow_of_the_text_is_drawn(text):
    diagram = read_diagram(text)
    drawn = [" ".join(part.lines) for part in parts(text, (Box, Words))]
    if isinstance(diagram, Flow):
        wanted = [each.text for each in [*diagram.nodes, *diagram.edges]]
        wanted += list({node.group for node in diagram.nodes})
        arrows = len(diagram.edges)
    else:
        wanted = [*diagram.participants.values(), *(step.text for step in diagram.steps)]
        arrows = sum(isinstance(step, Message) for step in diagram.steps)
    assert sorted(filter(None, drawn)) == sorted(filter(None, wanted))
    assert sum(line.kind != "life" for line in parts(text, Line)) == arrows


@EACH
def test_an_arrow_ends_at_the_edge_of_a_box(text):
    if not isinstance(read_diagram(text), Flow):
        return
    boxes = [extent(box) for box in parts(text, Box) if box.kind != "group"]
    for line in parts(text, Line):
        for x, y in (line.points[0], line.points[-1]):
            assert any(
                ((abs(x - b[0]) < 0.2 or abs(x - b[2]) < 0.2) and b[1] <= y <= b[3])
                or ((abs(y - b[1]) < 0.2 or abs(y - b[3]) < 0.2) and b[0] <= x <= b[2])
                for b in boxes
            ), line


@EACH
def test_a_picture_is_named_and_told_and_takes_its_colors_from_the_page(text):
    drawn = figure(text, "diagram-1")
    assert "\n" not in drawn
    space = "{http://www.w3.org/2000/svg}"
    pictures = list(ElementTree.fromstring(drawn).iter(f"{space}svg"))
    ids = [each.get("id") for each in ElementTree.fromstring(drawn).iter() if each.get("id")]
    assert len(ids) == len(set(ids)) == 2 * len(pictures)
    for root in pictures:
        by_id = {each.get("id"): each.text for each in root if each.get("id")}
        assert root.get("role") == "img"
        assert by_id[root.get("aria-labelledby")] == read_diagram(text).title
        assert by_id[root.get("aria-describedby")] == description(read_diagram(text))
        colors = {each.get(name) for each in root.iter() for name in ("fill", "stroke")}
        assert colors <= {None, "none", "currentColor", "Canvas"}
        assert {each.tag.removeprefix(space) for each in root.iter()} <= {
            "svg", "g", "title", "desc", "rect", "path", "circle", "text", "tspan"
        }  # fmt: skip


@EACH
def test_a_flow_is_drawn_for_a_phone_where_that_can_be_done(text):
    diagram = read_diagram(text)
    drawn = figure(text, "diagram-1")
    if isinstance(diagram, Flow) and picture(text).width > PHONE:
        assert ("diagram__phone" in drawn) == (flow_picture(diagram, PHONE).width <= PHONE)
    else:
        assert "diagram__phone" not in drawn


def test_pictures_are_the_same_in_every_run():
    program = (
        "from tests.site.test_diagrams import TEXTS, figure\n"
        "import hashlib\n"
        "drawn = ''.join(figure(text, 'diagram-1') for text in TEXTS.values())\n"
        "print(hashlib.sha256(drawn.encode()).hexdigest())\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            cwd=DOCS.parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_a_page_keeps_its_lines_and_its_other_code():
    fence = "```mermaid\nflowchart LR\n  accTitle: One\n  A --> B\n```\n"
    page = f"# Title\n\n{fence}\nText\n\n```json\n{{}}\n```\n{fence}"
    drawn = with_pictures(page, "page.md")
    assert drawn.count("\n") == page.count("\n")
    assert drawn.splitlines().index("Text") == page.splitlines().index("Text")
    assert re.findall(r'<title id="([^"]+)"', drawn) == ["diagram-1-title", "diagram-2-title"]
    assert "```json\n{}\n```" in drawn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flowchart LR\n  A --> B", "accTitle"),
        ("pie\n  accTitle: Cake", "pie"),
        ("flowchart LR\n  accTitle: T\n  A ==> B", "==> B"),
        ("flowchart LR\n  accTitle: T\n  A[Open", "[Open"),
        ("flowchart LR\n  accTitle: T\n  subgraph g [G]\n  A --> B", "has no `end`"),
        ("stateDiagram-v2\n  accTitle: T\n  A -> B", "A -> B"),
        ("sequenceDiagram\n  accTitle: T\n  participant A as A\n  A->>B: Hello", "`B`"),
    ],
)
def test_what_cannot_be_drawn_is_named_with_its_line(text, said):
    with pytest.raises(DiagramError, match=r"^docs/page\.md:3: ") as caught:
        with_pictures(f"# Title\n\n```mermaid\n{text}\n```\n", "docs/page.md")
    assert said in str(caught.value)


def test_words_keep_the_quotes_that_are_not_around_all_of_them():
    flow = read_diagram('flowchart LR\n accTitle: T\n A["Say hello"] -- say "yes" --> B')
    assert [flow.nodes[0].text, flow.edges[0].text] == ["Say hello", 'say "yes"']


def test_lines_break_evenly_and_accents_are_as_wide_as_their_letter():
    assert wrapped("one two three four", width("one two three")) == ("one two", "three four")
    assert wrapped("", 100) == ()
    assert width("ção") == width("cao")
