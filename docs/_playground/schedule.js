// The picture of a schedule: time runs down, with a lane for each task. Beside each point is the line that it ran.

const COLOURS = 6;
const WIDE = { row: 30, lane: 22, bend: 18 }, NARROW = { row: 48, lane: 16, bend: 28 };
const SVG = "http://www.w3.org/2000/svg";

export function draw(rows) {
    const isNarrow = matchMedia("(max-width: 30rem)").matches;
    const size = isNarrow ? NARROW : WIDE;
    const lanes = [...new Set(rows.map((row) => row.identity))].sort(byNumbers);
    const points = rows.map((row, index) => {
        const lane = lanes.indexOf(row.identity);
        return { ...row, lane, x: 14 + lane * size.lane, y: (index + 0.5) * size.row };
    });
    const drawing = document.createElement("div");
    drawing.className = isNarrow ? "schedule narrow" : "schedule";
    drawing.append(picture(points, lanes.length * size.lane + 14, size), list(points));
    return drawing;
}

// "0.10" comes after "0.9".
function byNumbers(one, other) {
    return one.localeCompare(other, "en", { numeric: true });
}

function picture(points, width, size) {
    const height = points.length * size.row;
    const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    for (const lane of new Set(points.map((it) => it.lane))) {
        const own = points.filter((it) => it.lane === lane);
        svg.append(shape("line", { class: `lane ${colour(lane)}`, x1: own[0].x, x2: own[0].x, y1: own[0].y, y2: own.at(-1).y }));
    }
    points.slice(1).forEach((to, index) => {
        const from = points[index];
        if (from.lane === to.lane) return;
        const d = `M${from.x} ${from.y}C${from.x} ${from.y + size.bend} ${to.x} ${to.y - size.bend} ${to.x} ${to.y}`;
        svg.append(shape("path", { class: to.forced ? "switch forced" : "switch", d }));
    });
    svg.append(...points.map((it) => shape("circle", { class: `point ${colour(it.lane)}`, cx: it.x, cy: it.y, r: 5 })));
    return svg;
}

// What the picture says, for the eye and for a screen reader.
function list(points) {
    const items = document.createElement("ol");
    for (const it of points) {
        const item = document.createElement("li");
        item.className = it.forced ? "forced" : "";
        item.append(text("span", `task ${colour(it.lane)}`, it.task), text("span", "line", it.line), text("code", "", it.source));
        if (it.forced) item.append(text("span", "visually-hidden", "(after a forced switch)"));
        items.append(item);
    }
    return items;
}

function text(name, className, content) {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = content;
    return element;
}

function shape(name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
}

function colour(lane) {
    return `lane-${lane % COLOURS}`;
}
