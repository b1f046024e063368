/* The E-step as it looks: a lattice, a grid of posteriors, responsibilities, points. */
const NODE = { w: 140, h: 66, gap: 64, down: 92, pad: 8 };
const LETTER = { text: 7, name: 8.5 }; /* pixels of room for one, of numbers and of names */
const room = (lines, letter) => letter * lines.reduce((most, line) => Math.max(most, [...line].length), 0);

const nodeBox = (x, y, w, { title, lines, share, chosen }) =>
  make(
    "g",
    {},
    make("rect", { x, y, width: w, height: NODE.h, rx: 8, class: `node${chosen ? " chosen" : ""}` }),
    make("rect", {
      x,
      y,
      width: w,
      height: NODE.h,
      rx: 8,
      style: `fill: rgba(var(--mark), ${(0.35 * share).toFixed(3)}); stroke: none`,
    }),
    make("text", { x: x + NODE.pad, y: y + 17, class: "name" }, title),
    ...lines.map((line, k) => make("text", { x: x + NODE.pad, y: y + 35 + 18 * k }, line)),
  );

/* Nodes carry α and β before → after the emission and the posterior; links are as wide as their posterior. */
const latticePicture = (model, found) => {
  const { sentence, before, after, betaBefore, betaAfter, posterior, links, path, probability } = found;
  const K = model.values.length,
    n = sentence.length,
    height = K * NODE.down + 34;
  const boxes = sentence.map((_, t) =>
    model.values.map((state, k) => ({
      title: `${state}  γ ${brief(posterior[t][k])}`,
      lines: [
        `α ${brief(before[t][k])} → ${brief(after[t][k])}`,
        `β ${brief(betaBefore[t][k])} → ${brief(betaAfter[t][k])}`,
      ],
      share: posterior[t][k],
      chosen: path && path[t] === k,
    })),
  );
  const ends = { START: [1, probability], END: [probability, 1] };
  const told = ([a, b]) => [`α ${brief(a)}`, `β ${brief(b)}`];
  const w = Math.max(
    NODE.w,
    2 * NODE.pad + room(boxes.flat().flatMap((box) => box.lines), LETTER.text),
    2 * NODE.pad + room(boxes.flat().map((box) => box.title), LETTER.name),
    room(sentence, LETTER.name) - NODE.gap,
  );
  const left = Math.max(74, NODE.pad + room(Object.values(ends).flatMap(told), LETTER.text));
  const x = (t) => left + NODE.gap + t * (w + NODE.gap),
    y = (k) => 30 + k * NODE.down,
    middle = (y(0) + y(K - 1) + NODE.h) / 2;
  const width = x(n) + left + 2;
  const line = (x1, y1, x2, y2, share) =>
    make("line", {
      x1,
      y1,
      x2,
      y2,
      class: "arc",
      "stroke-width": (0.6 + 7 * share).toFixed(2),
      opacity: (0.25 + 0.7 * share).toFixed(2),
    });
  const arcs = [
    ...model.values.map((_, k) => line(left, middle, x(0), y(k) + NODE.h / 2, posterior[0][k])),
    ...links.flatMap((link, t) =>
      link.flatMap((row, i) =>
        row.map((share, j) => line(x(t) + w, y(i) + NODE.h / 2, x(t + 1), y(j) + NODE.h / 2, share)),
      ),
    ),
    ...model.values.map((_, k) => line(x(n - 1) + w, y(k) + NODE.h / 2, x(n), middle, posterior[n - 1][k])),
  ];
  const nodes = sentence.flatMap((word, t) => [
    make("text", { x: x(t) + w / 2, y: 18, "text-anchor": "middle", class: "name" }, word),
    ...boxes[t].map((box, k) => nodeBox(x(t), y(k), w, box)),
  ]);
  const end = (px, name) => [
    make("text", { x: px, y: middle - 12, class: "name" }, name),
    ...told(ends[name]).map((line, k) => make("text", { x: px, y: middle + 6 + 18 * k }, line)),
  ];
  const said = `Lattice of "${sentence.join(" ")}": ${K} states for each of ${n} words; the table below has the numbers.`;
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": `Lattice of ${sentence.join(" ")}` },
    make(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        style: `width: ${width}px; max-width: none`,
        role: "img",
        "aria-label": said,
      },
      ...arcs,
      ...nodes,
      ...end(4, "START"),
      ...end(x(n) + 8, "END"),
    ),
  );
};

const latticeTable = (model, found, number) => {
  const { sentence, before, after, betaBefore, betaAfter, posterior, probability } = found;
  const rows = sentence.flatMap((word, t) =>
    model.values.map((state, k) => [
      k ? "" : word,
      state,
      cell(before[t][k]),
      cell(after[t][k]),
      cell(betaBefore[t][k]),
      cell(betaAfter[t][k]),
      cell(posterior[t][k], { style: shade(posterior[t][k]) }),
    ]),
  );
  const all = [
    ["START", "", cell(1), cell(1), cell(probability), cell(probability), cell(1)],
    ...rows,
    ["END", "", cell(probability), cell(probability), cell(1), cell(1), cell(1)],
  ];
  return tableOf(
    `Forward and backward probabilities of sentence ${number + 1}`,
    ["word", "state", ["α before"], ["α after"], ["β before"], ["β after"], ["posterior"]],
    all,
    { "data-lattice": number },
  );
};

const linkTable = (model, { sentence, links }) => {
  const pairs = model.values.flatMap((_, i) => model.values.map((_, j) => [i, j]));
  const rows = links.map((link, t) => [
    `${sentence[t]} → ${sentence[t + 1]}`,
    ...pairs.map(([i, j]) => cell(link[i][j], { style: shade(link[i][j]) })),
  ]);
  return tableOf(
    "Transition posteriors",
    ["words", ...pairs.map(([i, j]) => [`${model.values[i]} → ${model.values[j]}`])],
    rows,
  );
};

const latticeView = (model, seen) =>
  seen.found.items.flatMap((found, number) => [
    heading(`Sentence ${number + 1}: ${found.sentence.join(" ")}`),
    make(
      "p",
      {},
      "P(sentence) = α of END = β of START = ",
      make("strong", { "data-value": found.probability }, shown(found.probability)),
      found.path ? `; best path: ${found.path.map((k) => model.values[k]).join(" ")}` : "",
    ),
    latticePicture(model, found),
    latticeTable(model, found, number),
    ...(found.links.length ? [linkTable(model, found)] : []),
  ]);

const alignmentView = (model, seen) => [
  make(
    "div",
    { class: "columns" },
    seen.found.items.map((found, number) =>
      make(
        "div",
        { class: "card" },
        tableOf(
          `Pair ${number + 1}`,
          ["", ...found.item.target.map((f) => [f])],
          found.item.source.map((e, i) => [
            e,
            ...found.posterior.map((shares) => cell(shares[i], { style: shade(shares[i]) })),
          ]),
        ),
      ),
    ),
  ),
];

/* Soft beside hard: the shares of every class, and the class that takes all. */
const responsibilityView = (model, seen) => {
  const hard = model.expect(seen.asked, MAX).items;
  const rows = seen.found.items.flatMap((found, d) =>
    model.nodes(model.items[d]).map((node, t) => {
      const name = model.kind === "plsa" ? `${d + 1}: ${node}` : `${d + 1}: ${model.title(model.items[d])}`;
      return [
        name,
        ...found.posterior[t].map((share) => cell(share, { style: shade(share) })),
        model.values[hard[d].path[t]],
      ];
    }),
  );
  return [
    tableOf(
      "Responsibilities and hard assignments",
      [
        model.kind === "plsa" ? "document: word" : model.kind === "kmeans" ? "point" : "document",
        ...model.values.map((v) => [v]),
        "hard",
      ],
      rows,
    ),
    ...(model.kind === "kmeans" ? [scatter(model, seen, hard)] : []),
  ];
};

/* Points where they are; the inside as their shares are, the ring as the hard decision is. */
const scatter = (model, seen, hard) => {
  const means = seen.asked.mean.map((row) => row.slice(1, -1)),
    all = [...model.items, ...means];
  const two = (v) => [v[0], v.length > 1 ? v[1] : 0];
  const span = (f) => {
    const values = all.map((v) => two(v)[f]),
      a = Math.min(...values),
      b = Math.max(...values);
    return [a, b > a ? b : a + 1];
  };
  const [[x0, x1], [y0, y1]] = [span(0), span(1)];
  const at = (v) => [20 + ((two(v)[0] - x0) / (x1 - x0)) * 380, 220 - ((two(v)[1] - y0) / (y1 - y0)) * 200];
  const dots = model.items.map((p, d) => {
    const [cx, cy] = at(p),
      share = Math.max(...seen.found.items[d].posterior[0]);
    return make(
      "g",
      {},
      make("title", {}, `${model.title(p)}: ${seen.found.items[d].posterior[0].map((x) => shown(x)).join(", ")}`),
      make("circle", {
        cx,
        cy,
        r: 5,
        class: `ring hue${hard[d].path[0] % 8}`,
        "fill-opacity": ((share - 1 / model.values.length) / (1 - 1 / model.values.length)).toFixed(2),
      }),
    );
  });
  const crosses = means.map((m, k) => {
    const [x, y] = at(m);
    return make("path", { d: `M${x - 11},${y} h22 M${x},${y - 11} v22`, class: `cross hue${k % 8}` });
  });
  return make(
    "figure",
    { class: "chart" },
    make("figcaption", {}, "Points (circles) and means (crosses). Color: hard assignment; opacity: its responsibility"),
    make(
      "svg",
      {
        viewBox: "0 0 420 240",
        role: "img",
        "aria-label": "Points and their clusters; the table above has the numbers",
      },
      ...dots,
      ...crosses,
    ),
  );
};
