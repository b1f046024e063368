/* Documents. Mixture: P(x, z) = cluster[z] · ∏_w word[z, w]. PLSA: P(w, h | d) = topic[d, h] · word[h, w], a hidden
   topic for every word. Points: P(x, z) = cluster[z] · N(x; μ_z, 1), which read with MAX is k-means. */
const numbered = (what, n) => Array.from({ length: n }, (_, k) => `${what} ${k}`);
const categorical = (rows, columns, emits, fixed = null) => ({
  rows,
  columns: rows.map(() => columns),
  counted: rows.map(() => columns.length),
  emits,
  fixed,
  held: null,
  family: Categorical,
});

const mixture = ({ n, words, documents }) => {
  const classes = numbered("class", n),
    index = new Map(words.map((word, v) => [word, v]));
  const layout = { cluster: categorical(["all"], classes, false), word: categorical(classes, words, true) };
  const countsOf = (document, [k]) =>
    soft(
      document,
      classes.map((_, i) => (i === k ? 1 : 0)),
    );
  const soft = (document, shares) => {
    const counts = zerosOf(layout);
    counts.cluster[0] = shares.slice();
    for (const word of document)
      shares.forEach((share, k) => {
        counts.word[k][index.get(word)] += share;
      });
    return counts;
  };
  /* responsibility[k] ∝ cluster[k] ∏_w word[k, w] */
  const one = (weights, document, mode, random) => {
    const scores = classes.map(
      (_, k) => weights.cluster[0][k] + sum(document.map((word) => weights.word[k][index.get(word)])),
    );
    const top = Math.max(...scores);
    const { shares, total, pick } = attribute(
      scores.map((s) => Math.exp(s - top)),
      mode,
      random,
    );
    return {
      item: document,
      posterior: [shares],
      path: [pick],
      counts: soft(document, shares),
      logNorm: top + Math.log(total),
    };
  };
  return {
    kind: "mixture",
    exchangeable: true,
    hidden: "class",
    values: classes,
    items: documents,
    layout,
    countsOf,
    constant: () => 0,
    criteria: ["em", "hard", "vb", "mre", "gibbs"],
    expect: (weights, mode = SUM, random = null) =>
      added(
        layout,
        documents.map((d) => one(weights, d, mode, random)),
      ),
    nodes: () => ["document"],
    choices: () => [classes],
    title: (document) => document.join(" "),
  };
};

const plsa = ({ n, words, documents }) => {
  const topics = numbered("topic", n),
    index = new Map(words.map((word, v) => [word, v]));
  const items = documents.map((tokens, d) => ({ d, tokens }));
  const layout = {
    topic: categorical(
      documents.map((_, d) => `document ${d + 1}`),
      topics,
      false,
    ),
    word: categorical(topics, words, true),
  };
  /* P(h | d, w) ∝ topic[d, h] · word[h, w] */
  const one = (weights, { d, tokens }, mode, random) => {
    const counts = zerosOf(layout),
      posterior = [],
      path = [];
    let logNorm = 0;
    for (const word of tokens) {
      const w = index.get(word);
      const { shares, total, pick } = attribute(
        topics.map((_, h) => Math.exp(weights.topic[d][h] + weights.word[h][w])),
        mode,
        random,
      );
      shares.forEach((share, h) => {
        counts.topic[d][h] += share;
        counts.word[h][w] += share;
      });
      posterior.push(shares);
      path.push(pick);
      logNorm += Math.log(total);
    }
    return { item: tokens, posterior, path, counts, logNorm };
  };
  const countsOf = ({ d, tokens }, path) => {
    const counts = zerosOf(layout);
    path.forEach((h, t) => {
      counts.topic[d][h] += 1;
      counts.word[h][index.get(tokens[t])] += 1;
    });
    return counts;
  };
  return {
    kind: "plsa",
    exchangeable: true,
    hidden: "topic",
    values: topics,
    items,
    layout,
    countsOf,
    constant: () => 0,
    criteria: ["em", "hard", "vb", "mre", "gibbs"],
    expect: (weights, mode = SUM, random = null) =>
      added(
        layout,
        items.map((item) => one(weights, item, mode, random)),
      ),
    nodes: ({ tokens }) => tokens,
    choices: ({ tokens }) => tokens.map(() => topics),
    title: ({ tokens }) => tokens.join(" "),
  };
};

const points = ({ n, points: items }) => {
  const clusters = numbered("cluster", n),
    F = items[0].length;
  const equal = clusters.map(() => 1 / n);
  const axes = Array.from({ length: F }, (_, f) => `x${f + 1}`);
  const layout = {
    cluster: categorical(["all"], clusters, false, [equal]),
    mean: {
      rows: clusters,
      columns: clusters.map(() => axes),
      counted: clusters.map(() => F + 2),
      emits: true,
      centre: axes.map((_, f) => sum(items.map((x) => x[f])) / items.length),
      family: UnitGaussian,
    },
  };
  const soft = (x, shares) => ({
    cluster: [shares.slice()],
    mean: shares.map((s) => [1, ...x, sum(x.map((v) => v * v))].map((v) => s * v)),
  });
  /* responsibility[k] ∝ exp(η_k · (1, x, |x|²)) = N(x; μ_k, 1) / K */
  const one = (weights, x, mode, random) => {
    const features = [1, ...x, sum(x.map((v) => v * v))];
    const scores = clusters.map(
      (_, k) => weights.cluster[0][k] + sum(eachRow((w, v) => w * v, weights.mean[k], features)),
    );
    const top = Math.max(...scores);
    const { shares, total, pick } = attribute(
      scores.map((s) => Math.exp(s - top)),
      mode,
      random,
    );
    return { item: x, posterior: [shares], path: [pick], counts: soft(x, shares), logNorm: top + Math.log(total) };
  };
  return {
    kind: "kmeans",
    exchangeable: true,
    hidden: "cluster",
    values: clusters,
    items,
    layout,
    constant: () => 0,
    criteria: ["em", "hard", "vb", "gibbs"],
    refused: {
      mre: "Maximum reconstruction is not available for k-means: it has no multiplicative update for Gaussians.",
    },
    countsOf: (x, [k]) =>
      soft(
        x,
        clusters.map((_, i) => (i === k ? 1 : 0)),
      ),
    expect: (weights, mode = SUM, random = null) =>
      added(
        layout,
        items.map((x) => one(weights, x, mode, random)),
      ),
    nodes: () => ["point"],
    choices: () => [clusters],
    title: (x) => `(${x.join(", ")})`,
  };
};
