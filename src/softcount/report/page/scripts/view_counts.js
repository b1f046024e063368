/* Counts become parameters: the table that can be edited, EM beside VB, and maximum reconstruction. */
const entriesOf = (model, f) =>
  Object.entries(model.layout).flatMap(([name, spec]) =>
    spec.rows.flatMap((row, i) => spec.columns[i].map((column, j) => f(name, i, j, row, column, spec))),
  );
const entryName = (row, column) => (row === "all" ? column : `${row} → ${column}`);
/* With the table that it is of, where there are several. */
const entryOf = (model, name, row, column) =>
  `${Object.keys(model.layout).length > 1 ? `${name}: ` : ""}${entryName(row, column)}`;
/* A difference of counts that only rounding keeps from zero. */
const exactly = (x, of) => (Math.abs(x) < 1e-12 * Math.max(1, Math.abs(of)) ? 0 : x);
const countAt = (counts, spec, name, i, j) =>
  spec.family === UnitGaussian ? counts[name][i][j + 1] : counts[name][i][j];

/* One row an entry: θ now, which can be edited, its count, and what the criterion makes of it. */
const parameterView = (model, frame, next, edit) => [
  make("div", { class: "columns" }, parameterTables(model, frame, next, edit)),
];
const parameterTables = (model, frame, next, edit) =>
  Object.entries(model.layout).map(([name, spec]) => {
    const rows = entriesOf(model, (table, i, j, row, column) =>
      table !== name
        ? null
        : [
            entryName(row, column),
            make(
              "td",
              {},
              make("input", {
                inputmode: "decimal",
                size: 10,
                value: shown(frame.theta[name][i][j]).replace("−", "-"),
                "data-value": frame.theta[name][i][j],
                "data-key": `${name}/${i}/${j}`,
                "aria-label": `${name} of ${row}: ${column}`,
                disabled: spec.held ? !isFree(spec, i, j) && spec.fixed?.[i]?.[j] != null : false,
              }),
            ),
            cell(countAt(frame.seen.found.counts, spec, name, i, j), { "data-count": `${name}/${i}/${j}` }),
            cell(next[name][i][j], { "data-next": `${name}/${i}/${j}` }),
          ],
    ).filter(Boolean);
    const table = tableOf(
      `${name[0].toUpperCase()}${name.slice(1)}`,
      ["entry", "current", [spec.family === UnitGaussian ? "Σ share · x" : "expected count"], ["after the step"]],
      rows,
    );
    table
      .querySelectorAll("input")
      .forEach((box) => box.addEventListener("change", () => edit(box.dataset.key.split("/"), box.value)));
    return make("div", { class: "card" }, table);
  });

/* What the two columns show of rows of probabilities, and of means. */
const besideRows = (column, { counts, em, lambda, logs }) => [
  column("EM", "θ = (count + pseudo-count) / sum of the row", ["count", "θ"], (name, i, j) => [
    counts[name][i][j],
    em[name][i][j],
  ]),
  column(
    "VB",
    "λ = α + count; the next E-step uses exp(ψ(λ) − ψ(Σλ)), whose sum over the row is less than one",
    ["λ", "ψ(λ) − ψ(Σλ)", "exp(ψ(λ) − ψ(Σλ))"],
    (name, i, j) => [lambda[name][i][j], logs[name][i][j], Math.exp(logs[name][i][j])],
  ),
];
const besidePoints = (column, { counts, em, lambda }) => [
  column("EM", "μ = Σ share · x / Σ share", ["Σ share", "Σ share · x", "μ"], (name, i, j) => [
    counts[name][i][0],
    counts[name][i][j + 1],
    em[name][i][j],
  ]),
  column(
    "VB",
    "χ = α (1, centre) + (Σ share, Σ share · x); q(μ) is a Gaussian with mean χ₁ / χ₀ and variance 1 / χ₀",
    ["χ₀", "χ₁", "χ₁ / χ₀", "1 / χ₀"],
    (name, i, j) => {
      const row = lambda[name][i];
      return [row[0], row[j + 1], row[j + 1] / row[0], 1 / row[0]];
    },
  ),
];

/* The same counts under EM, θ = (c + pseudo) / Σ, and under VB, λ = α + c and the weights exp(ψ(λ) − ψ(Σ λ)). */
const beside = (model, frame, settings) => {
  const counts = frame.seen.found.counts,
    em = maximized(model, counts, frame.theta, settings);
  const lambda = posteriorOf(model, counts, settings),
    logs = expectedLogOf(model, lambda, settings);
  const learned = ([, spec]) => spec.family === UnitGaussian || spec.rows.some((_, i) => learns(spec, i));
  const only = { ...model, layout: Object.fromEntries(Object.entries(model.layout).filter(learned)) };
  const points = Object.values(only.layout).some((spec) => spec.family === UnitGaussian);
  const column = (title, told, head, f) =>
    make(
      "div",
      { class: "card" },
      heading(title),
      hint(told),
      tableOf(
        `${title}: from counts to parameters`,
        ["entry", ...head.map((h) => [h])],
        entriesOf(only, (name, i, j, row, to, spec) => [entryOf(only, name, row, to), ...f(name, i, j, spec)]),
      ),
    );
  const divergences = divergencesOf(model, lambda, settings),
    after = model.expect(logs).logNorm;
  const terms = [
    ["log Z under these weights", after],
    ...Object.entries(divergences).map(([name, kl]) => [`− KL(q ‖ prior) of ${name}`, -kl]),
    ["ELBO", after - sum(Object.values(divergences))],
  ];
  const L = likelihoodOf(model, em),
    prior = priorOf(model, em, settings);
  return [
    make("div", { class: "columns" }, ...(points ? besidePoints : besideRows)(column, { counts, em, lambda, logs })),
    make(
      "div",
      { class: "columns" },
      make(
        "div",
        { class: "card" },
        tableOf(
          "Objective after the EM step",
          ["term", ["value"]],
          [
            ["log P(x | θ)", L],
            ["Σ pseudo · log θ", prior],
            ["objective", L + prior],
          ],
        ),
      ),
      make(
        "div",
        { class: "card" },
        tableOf("Objective after the VB step", ["term", ["value"]], terms, { "data-elbo": true }),
      ),
    ),
  ];
};

/* P(z | x) beside Q(z) ∝ P(z) P(x | z)², the decisions of both, and the gradient that makes x likely again. */
const reconstructionView = (model, frame, settings) => {
  const found = reconstruction(model, frame.theta, settings);
  const weights = logWeightsOf(model, frame.theta);
  const [map, both] = [weights, doubled(model, weights)].map((w) => model.expect(w, MAX).items);
  const nodes = model.items.flatMap((item, d) =>
    model.nodes(item).map((node, t) => {
      const names = model.choices(item)[t],
        p = found.encode.items[d].posterior[t],
        q = found.decode.items[d].posterior[t];
      const list = (shares) => {
        const order = shares.map((_, k) => k).sort((a, b) => (names.length > 4 ? shares[b] - shares[a] : 0));
        const said = order.slice(0, 4).map((k) => `${names[k]}: ${brief(shares[k])}`);
        return said.join(", ") + (names.length > 4 ? ", …" : "");
      };
      return [
        `${d + 1}: ${model.kind === "mixture" ? model.title(item) : node}`,
        list(p),
        list(q),
        names[map[d].path[t]],
        names[both[d].path[t]],
      ];
    }),
  );
  const rows = entriesOf(model, (name, i, j, row, column) => [
    entryOf(model, name, row, column),
    found.encode.counts[name][i][j],
    found.decode.counts[name][i][j],
    cell(exactly(found.gradient[name][i][j], found.encode.counts[name][i][j]), { "data-gradient": `${name}/${i}/${j}` }),
    frame.theta[name][i][j],
    found.next[name][i][j],
  ]);
  return [
    make(
      "p",
      {},
      "J = log Z(κη) − log Z(η) = ",
      make("strong", { "data-value": found.objective, "data-j": true }, shown(found.objective)),
      ` = ${shown(found.decode.logNorm)} − (${shown(found.encode.logNorm)})`,
    ),
    hint("The best values belong to the best structure of the whole item; the most probable value of a single node may differ."),
    tableOf(
      "Posterior and Q, with the best values under each",
      [model.kind === "mixture" ? "document" : "node", ...["P(z | x)", "Q(z) ∝ P(z) P(x | z)²", "best by P(z | x)", "best by P(x | z) P(z | x)"].map(kept)],
      nodes,
      { class: "nowrap" },
    ),
    tableOf(
      "Gradient and parameter update",
      ["entry", ["count c₁ under P"], ["count c₂ under Q"], ["gradient κc₂ − c₁"], ["θ"], ["θ after"]],
      rows,
    ),
  ];
};
