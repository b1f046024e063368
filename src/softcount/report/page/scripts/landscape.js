/* log P(x | θ) as two parameters vary; the others of their rows keep their proportions. In that plane EM is still
   exact: Σ c log θ is largest at p = c_p / Σ_row c, so the paths lie on the surface that is drawn. */
const coordinatesOf = (model, theta) =>
  Object.entries(model.layout).flatMap(([name, spec]) =>
    theta[name].flatMap((row, i) =>
      row.flatMap((_, j) =>
        spec.family === UnitGaussian || (isFree(spec, i, j) && row.length > 1)
          ? [{ name, i, j, said: `${name}: ${spec.rows[i]} → ${spec.columns[i][j]}` }]
          : [],
      ),
    ),
  );

/* At first, one entry each of two rows that emit. */
const firstAxes = (model, theta) => {
  const all = coordinatesOf(model, theta),
    emitting = all.filter((c) => model.layout[c.name].emits);
  const second = emitting.find((c) => c.i !== emitting[0].i) || all.find((c) => c !== emitting[0]);
  return [all.indexOf(emitting[0] || all[0]), all.indexOf(second)];
};

const rangeOf = (model, { name, i, j }) => {
  if (model.layout[name].family !== UnitGaussian) return [0, massOf(model.layout[name], i)];
  const values = model.items.map((x) => x[j]),
    low = Math.min(...values),
    high = Math.max(...values);
  return [low - 0.1 * (high - low || 1), high + 0.1 * (high - low || 1)];
};

/* θ with the two coordinates at `values`; null where a row would have less than nothing left. */
const placed = (model, theta, pair, values) => {
  const moved = each((p) => p, theta);
  pair.forEach(({ name, i, j }, k) => {
    moved[name][i][j] = values[k];
  });
  for (const { name, i } of pair) {
    const spec = model.layout[name];
    if (spec.family === UnitGaussian) continue;
    const mine = pair.filter((c) => c.name === name && c.i === i).map((c) => c.j);
    const others = moved[name][i].map((_, j) => j).filter((j) => !mine.includes(j) && isFree(spec, i, j));
    const left = massOf(spec, i) - sum(mine.map((j) => moved[name][i][j]));
    const weight = sum(others.map((j) => theta[name][i][j]));
    if (left < -1e-12 || (!others.length && left > 1e-12)) return null;
    for (const j of others)
      moved[name][i][j] = Math.max(left, 0) * (weight > 0 ? theta[name][i][j] / weight : 1 / others.length);
  }
  return moved;
};

/* One step of EM for the two coordinates alone. */
const climbed = (model, theta, pair, settings) => {
  const { counts } = model.expect(logWeightsOf(model, theta));
  return pair.map(({ name, i, j }) => {
    const spec = model.layout[name],
      pseudo = settings.pseudo[name] || 0;
    return spec.family.maximize(spec, counts[name], pseudo, theta[name])[i][j];
  });
};

const RUNS = 5,
  CLIMB = 40;
/* How many heights each way: fewer where an E-step is long, none where the page would stand still. */
const gridOf = (model) => {
  const size = (item) => sum(model.choices(item).map((values) => values.length ** 2));
  const cost = sum(model.items.map(size));
  return cost <= 1500 ? 33 : cost <= 10000 ? 13 : 0;
};
const landscape = (model, theta, pair, settings) => {
  const GRID = gridOf(model);
  const ranges = pair.map((c) => rangeOf(model, c));
  const at = ranges.map(([low, high]) =>
    Array.from({ length: GRID }, (_, k) => low + ((k + 0.5) / GRID) * (high - low)),
  );
  const height = (values) => {
    const moved = placed(model, theta, pair, values);
    return moved && likelihoodOf(model, moved) + priorOf(model, moved, settings);
  };
  const surface = at[1].map((y) => at[0].map((x) => height([x, y])));
  const random = uniforms(settings.seed, 7);
  const starts = [pair.map(({ name, i, j }) => theta[name][i][j])];
  for (let tries = 0; tries < 200 && starts.length < RUNS; tries++) {
    const values = ranges.map(([low, high]) => low + random() * (high - low));
    if (placed(model, theta, pair, values)) starts.push(values);
  }
  const paths = starts.map((start) => {
    const path = [{ values: start, height: height(start) }];
    for (let step = 0; step < CLIMB; step++) {
      const values = climbed(model, placed(model, theta, pair, path[step].values), pair, settings);
      path.push({ values, height: height(values) });
    }
    return path;
  });
  return { ranges, at, surface, paths };
};
