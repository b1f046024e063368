/* IBM Model 1: P(f, a | e) = ∏_j 1 / (l + 1) · translation(f_j | e_{a_j}), the first e being the empty word. */
const EMPTY = "NULL";
const ibm1 = ({ pairs, fixed = [] }) => {
  const items = pairs.map(([source, target]) => ({ source: [EMPTY, ...source], target }));
  const targets = [...new Set(items.flatMap(({ target }) => target))];
  const rows = [...new Set(items.flatMap(({ source }) => source))];
  const meets = rows.map((e) => targets.filter((f) => items.some((p) => p.source.includes(e) && p.target.includes(f))));
  const place = rows.map((_, i) => new Map(meets[i].map((f, j) => [f, j])));
  const rowOf = new Map(rows.map((e, i) => [e, i]));
  const held = meets.map((row) => row.map(() => null));
  for (const [e, f] of fixed) {
    const i = rowOf.get(e);
    if (i !== undefined && place[i].has(f)) held[i] = meets[i].map((word) => (word === f ? 1 : 0));
  }
  const layout = {
    translation: {
      rows,
      columns: meets,
      counted: meets.map((row) => row.length),
      emits: true,
      family: Categorical,
      beyond: meets.map((row) => targets.length - row.length),
      fixed: held,
      held: null,
    },
  };
  const constant = ({ source, target }) => -target.length * Math.log(source.length);

  /* posterior(i | j) = t(f_j | e_i) / Σ_i' t(f_j | e_i') */
  const one = ({ translation }, item, mode, random) => {
    const counts = zerosOf(layout),
      posterior = [],
      path = [];
    let logNorm = constant(item);
    for (const f of item.target) {
      const terms = item.source.map((e) => Math.exp(translation[rowOf.get(e)][place[rowOf.get(e)].get(f)]));
      const { shares, total, pick } = attribute(terms, mode, random);
      shares.forEach((share, i) => {
        const e = rowOf.get(item.source[i]);
        counts.translation[e][place[e].get(f)] += share;
      });
      posterior.push(shares);
      path.push(pick);
      logNorm += Math.log(total);
    }
    return { item, posterior, path, counts, logNorm };
  };
  const countsOf = (item, path) => {
    const counts = zerosOf(layout);
    path.forEach((i, j) => {
      const e = rowOf.get(item.source[i]);
      counts.translation[e][place[e].get(item.target[j])] += 1;
    });
    return counts;
  };
  /* Every t(f | e) alike: 1 / number of target words, and what is held as it is. */
  const start = () => ({ translation: meets.map((row, i) => row.map((_, j) => held[i][j] ?? 1 / targets.length)) });
  return {
    kind: "ibm1",
    hidden: "source word",
    /* Words that are in the same pairs, equally often, with the same row: every posterior is alike, and so every count. */
    ties: ({ translation }) => {
      const often = rows.map((e) => items.map(({ source }) => source.filter((word) => word === e).length));
      return grouped(rows, (a, b) => same(often[a], often[b]) && same(translation[a], translation[b]));
    },
    items,
    layout,
    countsOf,
    constant,
    start,
    criteria: ["em", "hard", "vb", "mre", "gibbs"],
    expect: (logWeights, mode = SUM, random = null) =>
      added(
        layout,
        items.map((item) => one(logWeights, item, mode, random)),
      ),
    nodes: (item) => item.target,
    choices: (item) => item.target.map(() => item.source),
    title: (item) => `${item.source.slice(1).join(" ")} – ${item.target.join(" ")}`,
  };
};
