/* The naive way: every hidden structure by name, P(x) = Σ_z P(x, z), as many terms as there are structures. */
const howMany = (model, item) => model.choices(item).reduce((n, values) => n * values.length, 1);

const structuresOf = (model, item) =>
  model.choices(item).reduce((paths, values) => paths.flatMap((path) => values.map((_, k) => [...path, k])), [[]]);

/* P(x, z) = exp ⟨log θ, c(x, z)⟩ of each structure z, and their sum */
const naive = (model, logWeights, item) => {
  const terms = structuresOf(model, item).map((path) => ({
    path,
    p: Math.exp(model.constant(item) + inner(model.countsOf(item, path), logWeights)),
  }));
  return { terms, total: sum(terms.map(({ p }) => p)) };
};

/* What Gibbs sampling should find: P(z | x, α) ∝ P(x, z | α), the parameters integrated out, over all structures of
   all items together; null where there are too many. */
const MOST_JOINT = 5000;
const exactPosterior = (model, settings) => {
  if (model.items.reduce((n, item) => n * howMany(model, item), 1) > MOST_JOINT) return null;
  let partial = [{ key: [], counts: zerosOf(model.layout) }];
  for (const item of model.items) {
    const each_ = structuresOf(model, item).map((path) => ({ path, counts: model.countsOf(item, path) }));
    partial = partial.flatMap(({ key, counts }) =>
      each_.map((one) => ({ key: [...key, one.path.join(" ")], counts: each((a, b) => a + b, counts, one.counts) })),
    );
  }
  const logs = partial.map(({ counts }) => evidenceOf(model, counts, settings));
  const top = Math.max(...logs),
    total = sum(logs.map((l) => Math.exp(l - top)));
  return new Map(partial.map(({ key }, k) => [key.join(" / "), Math.exp(logs[k] - top) / total]));
};

/* A chain of `sweeps` draws after `rest` that are thrown away: how often each structure was drawn, and log P(x, z | α). */
const chain = (model, theta, settings, sweeps, rest = 100) => {
  const seen = new Map(),
    trace = [];
  let state = gibbs.init(model, theta);
  for (let sweep = 0; sweep < rest + sweeps; sweep++) {
    const { found, objective, next } = gibbs.step(model, state, settings);
    const key = found.items.map(({ path }) => path.join(" ")).join(" / ");
    if (sweep >= rest) seen.set(key, (seen.get(key) || 0) + 1 / sweeps);
    trace.push(objective);
    state = next;
  }
  return { seen, trace };
};
