/* Elements, numbers and pictures. Every number that is shown keeps all its digits in data-value. */
const SVG = "http://www.w3.org/2000/svg";
const SHAPES = ["svg", "line", "rect", "text", "g", "polyline", "circle", "path", "title"];
const make = (name, attributes = {}, ...children) => {
  const node = SHAPES.includes(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
  node.append(...children.flat());
  return node;
};
const shown = (x, digits = 6) => {
  if (x === null || x === undefined) return "–";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : x > 0 ? "∞" : "undefined";
  const text = x !== 0 && Math.abs(x) < 1e-4 ? x.toExponential(digits - 3) : String(Number(x.toPrecision(digits)));
  return text.replaceAll("-", "−");
};
const plural = (name) => name.replace(/s$/, "se") + "s"; /* class, classes */
const kept = (words) => words.replace(/P\([^)]*\)( P\([^)]*\)²?)?/g, (formula) => formula.replaceAll(" ", "\u2060\u00a0\u2060")); /* in a line */
const brief = (x) => shown(x, 4); /* where there is little room */
const shade = (p) => `background: rgba(var(--mark), ${(0.45 * Math.min(Math.max(p || 0, 0), 1)).toFixed(3)})`;
const cell = (x, attributes = {}) => make("td", { class: "number", "data-value": x ?? "", ...attributes }, shown(x));
const asCell = (x) =>
  x instanceof Node
    ? x.nodeName === "TD"
      ? x
      : make("td", {}, x)
    : typeof x === "number" || x === null
      ? cell(x)
      : make("td", {}, x);

/* A table that scrolls by itself; heads may be [words, "number"]. */
const tableOf = (caption, head, rows, attributes = {}) =>
  make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      attributes,
      make("caption", {}, caption),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          head.map((h) =>
            make("th", { scope: "col", class: Array.isArray(h) ? "number" : null }, Array.isArray(h) ? h[0] : h),
          ),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map(([first, ...rest]) =>
          make(
            "tr",
            {},
            make("th", { scope: "row", class: first.length > LONG ? "long" : null }, first),
            rest.map(asCell),
          ),
        ),
      ),
    ),
  );

const LONG = 28; /* letters of a row's name that may wrap */
const hint = (...words) => make("p", { class: "hint" }, ...words);
const heading = (words) => make("h3", {}, words);

/* Lines over steps: [{ name, points: [[x, y], …], dashed }]; `told` names a place of the axis to the right. */
const CHART = { left: 76, right: 412, top: 12, bottom: 172 };
const lineChart = (title, lines, told) => {
  const kept = lines
    .map((l) => ({ ...l, points: l.points.filter(([, y]) => Number.isFinite(y)) }))
    .filter((l) => l.points.length);
  const all = kept.flatMap((l) => l.points);
  if (!all.length) return make("span");
  const span = (values) => {
    const [a, b] = [Math.min(...values), Math.max(...values)];
    return b > a ? [a, b] : [a - 0.5, b + 0.5];
  };
  const [x0, x1] = span(all.map(([x]) => x)),
    [y0, y1] = span(all.map(([, y]) => y));
  const at = ([x, y]) =>
    [
      CHART.left + ((x - x0) / (x1 - x0)) * (CHART.right - CHART.left),
      CHART.top + ((y1 - y) / (y1 - y0)) * (CHART.bottom - CHART.top),
    ]
      .map((place) => place.toFixed(1))
      .join(",");
  const drawn = kept.flatMap((l, k) => [
    make("polyline", {
      points: l.points.map(at).join(" "),
      class: `line hue${l.hue ?? k % 8}`,
      "stroke-dasharray": l.dashed ? "5 4" : null,
    }),
    ...(l.points.length < 30
      ? l.points.map((p) => {
          const [cx, cy] = at(p).split(",");
          return make("circle", { cx, cy, r: 2.5, class: `dot hue${l.hue ?? k % 8}` });
        })
      : []),
  ]);
  const text = (x, y, anchor, words) => make("text", { x, y, "text-anchor": anchor }, words);
  const level = (y) => make("line", { x1: CHART.left, y1: y, x2: CHART.right, y2: y, class: "axis" });
  const said = `${title}. ${kept.map((l) => `${l.name} from ${shown(l.points[0][1])} to ${shown(l.points[l.points.length - 1][1])}`).join("; ")}.`;
  const key =
    kept.length > 1
      ? make(
          "figcaption",
          {},
          kept.map((l, k) => make("span", { class: `key hue${l.hue ?? k % 8}${l.dashed ? " dashed" : ""}` }, l.name)),
        )
      : "";
  return make(
    "figure",
    { class: "chart" },
    make("figcaption", {}, title),
    make(
      "svg",
      { viewBox: "0 0 420 196", role: "img", "aria-label": said },
      ...[CHART.top, (CHART.top + CHART.bottom) / 2, CHART.bottom].map(level),
      ...drawn,
      ...[y1, (y0 + y1) / 2, y0].map((y, k) => text(CHART.left - 8, 16 + 80 * k, "end", shown(y))),
      text(CHART.left, 190, "start", told(x0)),
      text(CHART.right, 190, "end", told(x1)),
    ),
    key,
  );
};
