/* Tables are rows of numbers under a name; parameters, log-weights and counts of a model share one shape. */
const sum = (row) => row.reduce((total, x) => total + x, 0);
const eachRow = (f, ...rows) => rows[0].map((_, j) => f(...rows.map((row) => row[j])));
const eachTable = (f, ...tables) =>
  Object.fromEntries(Object.keys(tables[0]).map((name) => [name, f(name, ...tables.map((t) => t[name]))]));
const each = (f, ...tables) =>
  eachTable((_, ...parts) => parts[0].map((_, i) => eachRow(f, ...parts.map((part) => part[i]))), ...tables);
const totalOf = (tables) => sum(Object.values(tables).map((rows) => sum(rows.map(sum))));
const zerosOf = (layout) =>
  Object.fromEntries(
    Object.entries(layout).map(([name, spec]) => [name, spec.counted.map((n) => new Array(n).fill(0))]),
  );

/* ⟨a, b⟩ = Σ a · b, in which 0 · −∞ is 0: a weight that is never used says nothing. */
const inner = (a, b) => totalOf(each((x, y) => (x === 0 ? 0 : x * y), a, b));

/* The shares of a total: SUM posteriors, MAX the first of the best, SAMPLE one that is drawn. */
const SUM = 0,
  MAX = 1,
  SAMPLE = 2;
const attribute = (terms, mode, random) => {
  const total = sum(terms);
  const one = (k) => terms.map((_, i) => (i === k ? 1 : 0));
  if (mode === MAX) {
    const best = terms.indexOf(Math.max(...terms));
    return { shares: terms[best] > 0 ? one(best) : terms, total: terms[best], pick: best };
  }
  if (mode === SUM) return { shares: terms.map((x) => (total > 0 ? x / total : 0)), total };
  let left = random() * total,
    pick = -1;
  for (let i = 0; i < terms.length && (pick < 0 || left >= 0); i++)
    if (terms[i] > 0) {
      pick = i;
      left -= terms[i];
    }
  return { shares: one(pick), total, pick };
};
