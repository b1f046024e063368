/* The E-step of networks and grammars: what is missing and how probable its values are; the chart and the trees. */
const netView = (model, seen, criterion) => [
  make(
    "div",
    { class: "columns" },
    seen.found.items.map((found, d) => make("div", { class: "card" }, rowView(model, found, d, criterion))),
  ),
];
const rowView = (model, found, d, criterion) => {
  const nodes = model.nodes(found.item),
    choices = model.choices(found.item);
  const rows = nodes.flatMap((node, t) =>
    choices[t].map((value, k) => [
      k ? "" : node,
      value,
      cell(found.posterior[t][k], { style: shade(found.posterior[t][k]), "data-share": `${d}/${t}/${k}` }),
    ]),
  );
  return [
    heading(`${d + 1}: ${model.title(found.item)}`),
    make(
      "p",
      {},
      criterion === "hard" ? "P(observed values, best completion) = " : "P(observed values) = ",
      make("strong", { "data-value": Math.exp(found.logNorm) }, shown(Math.exp(found.logNorm))),
    ),
    rows.length
      ? tableOf("Missing values", ["variable", "value", ["posterior"]], rows)
      : hint("No value is missing; the counts are the observed ones."),
  ];
};

/* Words on a line at the bottom, each node above the middle of what is under it. */
const TREE = { letter: 8.2, gap: 16, down: 44 };
const heightOf = ({ parts }) => 1 + Math.max(...parts.map((p) => (typeof p === "string" ? 0 : heightOf(p))));
const leavesOf = ({ parts }) => parts.flatMap((p) => (typeof p === "string" ? [p] : leavesOf(p)));
const treePicture = (tree, said) => {
  const widths = leavesOf(tree).map((word) => Math.max(TREE.letter * word.length, 22) + TREE.gap);
  const middles = widths.map((w, k) => sum(widths.slice(0, k)) + w / 2),
    levels = heightOf(tree),
    marks = [];
  let at = 0;
  const y = (level) => 18 + TREE.down * level;
  const text = (words, x, level, name) =>
    marks.push(make("text", { x: x.toFixed(1), y: y(level), "text-anchor": "middle", class: name }, words));
  const placed = (node) => {
    const level = levels - heightOf(node);
    const below = node.parts.map((p) => {
      if (typeof p !== "string") return [placed(p), levels - heightOf(p)];
      text(p, middles[at], levels, "word");
      return [middles[at++], levels];
    });
    const x = (below[0][0] + below[below.length - 1][0]) / 2;
    for (const [x2, under] of below)
      marks.unshift(
        make("line", { x1: x.toFixed(1), y1: y(level) + 5, x2: x2.toFixed(1), y2: y(under) - 14, class: "link" }),
      );
    text(node.label, x, level, "name");
    return x;
  };
  placed(tree);
  const width = sum(widths),
    height = TREE.down * levels + 26;
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": said },
    make(
      "svg",
      {
        viewBox: `0 0 ${width.toFixed(0)} ${height}`,
        style: `width: ${width.toFixed(0)}px; max-width: none`,
        role: "img",
        "aria-label": said,
      },
      ...marks,
    ),
  );
};

const SHOWN_TREES = 4;
const grammarView = (model, seen, criterion) =>
  seen.found.items.flatMap((found, d) => {
    const { words, trees } = found.item,
      shares = found.posterior[0];
    const best = shares.map((_, k) => k).sort((a, b) => shares[b] - shares[a]);
    const cells = [...found.cells].sort((a, b) => a.j - a.i - (b.j - b.i) || a.i - b.i || a.symbol - b.symbol);
    const pictures = best
      .slice(0, SHOWN_TREES)
      .map((k) =>
        make(
          "div",
          { class: "card" },
          make(
            "p",
            {},
            `Tree ${k + 1}: P(tree | sentence) = `,
            make("strong", { "data-value": shares[k], "data-tree": `${d}/${k}` }, shown(shares[k])),
          ),
          treePicture(trees[k].tree, `Tree of sentence ${d + 1}: ${trees[k].text}`),
        ),
      );
    const chart = cells.length
      ? tableOf(
          `Chart of sentence ${d + 1}: symbols and spans`,
          ["words", "symbol", ["inside"], ["outside"], ["posterior"]],
          cells.map(({ symbol, i, j, inside, outside, posterior }) => [
            words.slice(i, j).join(" "),
            model.values[symbol],
            cell(inside),
            cell(outside),
            cell(posterior, { style: shade(posterior) }),
          ]),
          { "data-chart": d },
        )
      : hint("This criterion uses a single tree; choose EM to see the chart."); /* of hard EM and Gibbs */
    return [
      heading(`Sentence ${d + 1}: ${words.join(" ")}`),
      make(
        "p",
        {},
        `${trees.length === 1 ? "One tree" : `${trees.length} trees`}; `,
        criterion === "hard" ? "P(best tree) = " : "P(sentence) = inside of the start symbol = ",
        make("strong", { "data-value": Math.exp(found.logNorm) }, shown(Math.exp(found.logNorm))),
      ),
      make("div", { class: "columns" }, pictures),
      ...(trees.length > SHOWN_TREES ? [hint(`Only the ${SHOWN_TREES} most probable of ${trees.length} trees are shown.`)] : []),
      chart,
    ];
  });
