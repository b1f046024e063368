/* L, F, Q and KL; all paths; the landscape; Gibbs beside the exact posterior. */
const boundView = (model, name, frames, settings) => {
  if (name === "mre" || name === "gibbs")
    return [
      hint(
        "Maximum reconstruction and Gibbs sampling do not maximize a lower bound of the likelihood; choose EM, hard EM or VB to see the bound.",
      ),
    ];
  const rows = frames.flatMap((frame, t) => halves(model, name, frame, settings).map((half) => ({ ...half, t })));
  const labels = { E: "after the E-step", M: "after the M-step" };
  const withPrior = (row) => (name === "vb" ? row.F : row.F + row.prior);
  const cells = rows.map((r) => [
    `step ${r.t + 1}, ${labels[r.half]}`,
    ...[r.L, r.Q, r.H, r.F].map((x) => cell(x)),
    make("td", { class: "number", "data-value": r.KL ?? "" }, shown(Math.abs(r.KL) < 1e-9 ? 0 : r.KL)) /* no rounding */,
    cell(r.prior),
  ]);
  const points = (f) => rows.map((r) => [r.t + (r.half === "M" ? 0.5 : 0), f(r)]);
  const lines = [{ name: name === "vb" ? "ELBO" : "F (+ log prior)", points: points(withPrior) }];
  if (name !== "vb") lines.unshift({ name: "L (+ log prior)", points: points((r) => r.L + r.prior), dashed: true });
  const told =
    name === "vb"
      ? "F = Q + H(q) − KL(q(θ) ‖ prior) is the ELBO; neither half-step can lower it."
      : name === "hard"
        ? "q is a single structure, so H = 0 and F = L − KL; neither half-step can lower F."
        : "The E-step sets KL to 0, so F = L. The M-step raises Q and with it F, and L rises at least as much: L(θₜ) = F ≤ F ≤ L(θₜ₊₁).";
  return [
    hint(told),
    make(
      "div",
      { class: "charts" },
      lineChart("F and L in nats after each half-step", lines, halfStep),
      ...(frames.length > 2 ? [lineChart("F and L in nats, last two steps", lines.map(lastOf(4)), halfStep)] : []),
    ),
    tableOf(
      "Terms of the bound after each half-step",
      [
        "",
        ["L = log P(x | θ)"],
        ["Q"],
        ["H(q)"],
        ["F"],
        ["KL(q ‖ P(z | x))"],
        [name === "vb" ? "−KL(q(θ) ‖ prior)" : "log prior"],
      ],
      cells,
      { "data-bound": true },
    ),
  ];
};

const halfStep = (x) => `step ${Math.floor(x) + 1}, ${x % 1 ? "M" : "E"}`;
const lastOf = (n) => (line) => ({ ...line, points: line.points.slice(-n) });

const MOST_PATHS = 5000,
  MOST_ITEMS = 6,
  SHOWN_PATHS = 16;
const pathsView = (model, frame) => [
  make(
    "div",
    { class: "columns" },
    model.items.slice(0, MOST_ITEMS).map((item, d) => make("div", { class: "card" }, pathsOf(model, frame, item, d))),
  ),
  model.items.length > MOST_ITEMS ? hint(`Only the first ${MOST_ITEMS} of ${model.items.length} items are shown.`) : "",
];
const pathsOf = (model, frame, item, d) => {
  const n = howMany(model, item),
    title = heading(`${d + 1}: ${model.title(item)}`);
  if (n > MOST_PATHS)
    return [
      title,
      hint(
        `${n.toLocaleString("en")} structures are too many to list; dynamic programming needs only a few products per word.`,
      ),
    ];
  const weights = logWeightsOf(model, frame.theta),
    { terms, total } = naive(model, weights, item);
  const programme = Math.exp(model.expect(weights).items[d].logNorm);
  const names = (path) => model.named?.(item, path) ?? path.map((k, t) => model.choices(item)[t][k]).join(" ");
  const best = [...terms].sort((a, b) => b.p - a.p).slice(0, SHOWN_PATHS),
    nodes = model.nodes(item);
  return [
    title,
    model.kind === "net" && nodes.length > 1 ? hint(`Order of the values: ${nodes.join(", ")}.`) : "",
    make(
      "p",
      {},
      `Sum over all ${n} structures: `,
      make("strong", { "data-value": total, "data-naive": d }, shown(total)),
      "; by dynamic programming: ",
      make("strong", { "data-value": programme }, shown(programme)),
      `; difference ${shown(Math.abs(total - programme))}`,
    ),
    tableOf(
      best.length < n ? `The ${best.length} most probable of ${n} structures` : `All ${n} structures`,
      [model.hidden, ["P(x, z)"], ["share of the sum"]],
      best.map(({ path, p }) => [names(path), cell(p), cell(p / total, { style: shade(p / total) })]),
    ),
  ];
};

/* The range of each parameter at the ends of its axis, its name between them. */
const axisLabels = (pair, ranges, W) =>
  pair.flatMap(({ said }, n) => {
    const place = n ? { transform: `translate(-8, ${W}) rotate(-90)` } : { transform: `translate(0, ${W + 18})` };
    const text = (x, anchor, words) => make("text", { x, y: 0, "text-anchor": anchor }, words);
    const [low, high] = ranges[n].map(brief);
    return [make("g", place, text(0, "start", low), text(W / 2, "middle", said), text(W, "end", high))];
  });

const landscapeView = (model, frame, chosen, settings, choose) => {
  const all = coordinatesOf(model, frame.theta);
  const GRID = gridOf(model);
  if (all.length < 2) return [hint("This view needs at least two free parameters.")];
  if (!GRID) return [hint("The data is too large to compute this surface; shorten it.")];
  const pair = chosen.map((k, n) => all[k] || all[n]);
  const select = (n) => {
    const box = make(
      "select",
      { "data-key": `axis${n}` },
      all.map((c, k) => make("option", { value: k, selected: c === pair[n] }, c.said)),
    );
    box.addEventListener("change", () => choose(n, Number(box.value)));
    return make("label", {}, n ? "Vertical axis " : "Horizontal axis ", box);
  };
  if (pair[0] === pair[1])
    return [make("div", { class: "fields" }, select(0), select(1)), hint("Choose two different parameters.")];
  const found = landscape(model, frame.theta, pair, settings);
  const flat = found.surface.flat().filter(Number.isFinite),
    high = Math.max(...flat),
    sorted = [...flat].sort((a, b) => a - b);
  const low = sorted[Math.floor(sorted.length / 20)];
  const W = 429 /* 33 or 13 tiles, each of whole pixels: no seams */,
    side = W / GRID,
    tone = (h) => Math.max(0, Math.min(1, (h - low) / (high - low || 1)));
  const tiles = found.surface.flatMap((row, r) =>
    row.map((h, c) =>
      Number.isFinite(h)
        ? make("rect", {
            x: (c * side).toFixed(2),
            y: (W - (r + 1) * side).toFixed(2),
            width: side.toFixed(2),
            height: side.toFixed(2),
            class: "tile",
            style: `fill: rgba(var(--mark), ${(0.75 * tone(h) ** 2).toFixed(3)})`,
          })
        : "",
    ),
  );
  const at = (values) =>
    values.map((v, k) => {
      const [a, b] = found.ranges[k],
        share = (v - a) / (b - a);
      return k ? W - share * W : share * W;
    });
  const lines = found.paths.flatMap((path, k) => {
    const places = path.map(({ values }) => at(values).map((v) => v.toFixed(1)));
    const [sx, sy] = places[0],
      [ex, ey] = places[places.length - 1];
    return [
      make("polyline", { points: places.map((p) => p.join(",")).join(" "), class: "line ink" }),
      make("circle", { cx: sx, cy: sy, r: 4, class: "open" }),
      make("circle", { cx: ex, cy: ey, r: 5, class: "full" }),
    ];
  });
  const rows = found.paths.map((path, k) => [
    k ? `random start ${k}` : "current parameters",
    ...path[0].values.map((v) => cell(v)),
    cell(path[0].height),
    ...path[path.length - 1].values.map((v) => cell(v)),
    cell(path[path.length - 1].height),
  ]);
  return [
    make("div", { class: "fields" }, select(0), select(1)),
    hint(
      "Stronger color: higher log-likelihood. Rings: starts; discs: ends of 40 EM steps. Only these two parameters are updated; the other entries of their rows are rescaled.",
    ),
    make(
      "figure",
      { class: "landscape" },
      make(
        "svg",
        {
          viewBox: `-24 -8 ${W + 32} ${W + 34}`,
          role: "img",
          "aria-label": `Log-likelihood over ${pair[0].said} and ${pair[1].said}; the table has the ends of the paths`,
        },
        ...tiles,
        ...lines,
        make("rect", { x: 0.5, y: 0.5, width: W - 1, height: W - 1, class: "frame" }),
        ...axisLabels(pair, found.ranges, W),
      ),
    ),
    tableOf(
      "Start and end of each path",
      ["", ["horizontal, start"], ["vertical, start"], ["log-likelihood, start"], ["horizontal, end"], ["vertical, end"], ["log-likelihood, end"]],
      rows,
      { "data-paths": true },
    ),
  ];
};

/* Shares of structures that differ in names alone, together: values are numbered in the order in which they come. */
const withoutNames = (shares) => {
  const found = new Map();
  for (const [key, p] of shares) {
    const names = new Map();
    const same = key.replace(/\d+/g, (k) => names.get(k) ?? (names.set(k, names.size), names.size - 1));
    found.set(same, (found.get(same) || 0) + p);
  }
  return found;
};
const SWEEPS = 3000;
const gibbsView = (model, frame, settings) => {
  const exact = exactPosterior(model, settings);
  if (!exact)
    return [
      hint(
        `The data has more than ${MOST_JOINT.toLocaleString("en")} hidden structures; shorten it to see the exact posterior.`,
      ),
    ];
  const { seen, trace } = chain(model, frame.theta, settings, SWEEPS);
  const rows = [...exact].sort((a, b) => b[1] - a[1]).slice(0, 24);
  /* Of things that are called class 0, class 1 the numbers alone, since the head of the column says what they are. */
  const short = (name) => (name.startsWith(`${model.hidden} `) ? name.slice(model.hidden.length + 1) : name);
  const said = (key) =>
    key
      .split(" / ")
      .map((one, d) =>
        one === ""
          ? ""
          : one
              .split(" ")
              .map((k, t) => short(model.choices(model.items[d])[t][k]))
              .join(" "),
      )
      .join(" / ");
  const between = (p, q) => 0.5 * sum([...p].map(([key, share]) => Math.abs(share - (q.get(key) || 0))));
  const distance = between(exact, seen),
    unnamed = model.exchangeable ? between(withoutNames(exact), withoutNames(seen)) : null;
  return [
    make(
      "p",
      {},
      `${exact.size} structures. Total variation distance between ${SWEEPS.toLocaleString("en")} draws and the exact posterior: `,
      make("strong", { "data-value": distance, "data-distance": true }, shown(distance)),
      " (0: identical, 1: disjoint)",
      ...(unnamed === null
        ? ["."]
        : [
            "; up to a permutation of the labels: ",
            make("strong", { "data-value": unnamed, "data-unnamed": true }, shown(unnamed)),
            ".",
          ]),
    ),
    hint(
      "In the exact posterior, the parameters are integrated out under the prior α.",
      unnamed === null
        ? ""
        : ` The labels of ${plural(model.hidden)} are exchangeable (label switching): structures that differ only in their labels are equally probable, and a chain may visit only one of them.`,
    ),
    make(
      "div",
      { class: "charts" },
      lineChart(
        "log P(x, z | α) of each draw",
        [{ name: "log joint", points: trace.slice(0, 300).map((y, x) => [x + 1, y]) }],
        (x) => `draw ${x}`,
      ),
    ),
    tableOf(
      "Most probable structures",
      [plural(model.hidden), ["exact"], ["drawn"]],
      rows.map(([key, p]) => [
        said(key),
        cell(p, { style: shade(p) }),
        cell(seen.get(key) || 0, { style: shade(seen.get(key)) }),
      ]),
      { "data-exact": true },
    ),
  ];
};
