/* Hidden Markov model: P(x, z) = initial[z₁] · ∏ transition[z_{t−1}, z_t] · ∏ emission[z_t, x_t] ( · transition[z_n, END] ) */
const hmm = ({ states, words, end, sentences }) => {
  const K = states.length;
  const index = new Map(words.map((word, v) => [word, v]));
  const row = (names, columns, emits) => ({
    rows: names,
    columns: names.map(() => columns),
    counted: names.map(() => columns.length),
    emits,
    family: Categorical,
  });
  const layout = {
    initial: row(["START"], states, false),
    transition: row(states, end ? [...states, "END"] : states, false),
    emission: row(states, words, true),
  };

  /* α and β on both sides of the emission, unscaled as on paper:
     α before_t(j) = Σ_i α after_{t−1}(i) a_ij      α after_t = α before_t · b(x_t)
     β after_t(i)  = Σ_j a_ij β before_{t+1}(j)     β before_t = b(x_t) · β after_t */
  const passes = ({ initial, transition, emission }, sentence) => {
    const emitted = sentence.map((word) => states.map((_, k) => emission[k][index.get(word)]));
    const before = [],
      after = [],
      betaAfter = [],
      betaBefore = [],
      n = sentence.length;
    for (let t = 0; t < n; t++) {
      before.push(
        t === 0 ? initial[0].slice() : states.map((_, j) => sum(after[t - 1].map((a, i) => a * transition[i][j]))),
      );
      after.push(eachRow((a, b) => a * b, before[t], emitted[t]));
    }
    const last = states.map((_, i) => (end ? transition[i][K] : 1));
    for (let t = n - 1; t >= 0; t--) {
      betaAfter[t] =
        t === n - 1 ? last : states.map((_, i) => sum(betaBefore[t + 1].map((b, j) => transition[i][j] * b)));
      betaBefore[t] = eachRow((e, b) => e * b, emitted[t], betaAfter[t]);
    }
    return {
      sentence,
      emitted,
      before,
      after,
      betaAfter,
      betaBefore,
      last,
      probability: sum(eachRow((a, b) => a * b, after[n - 1], last)),
    };
  };

  /* γ_t(i) = α β / P(x)      ξ_t(i, j) = α after_t(i) a_ij β before_{t+1}(j) / P(x) */
  const expected = (weights, found) => {
    const { after, betaAfter, betaBefore, probability } = found;
    const posterior = after.map((a, t) => eachRow((x, y) => (x * y) / probability, a, betaAfter[t]));
    const links = after
      .slice(0, -1)
      .map((a, t) =>
        states.map((_, i) =>
          states.map((_, j) => (a[i] * weights.transition[i][j] * betaBefore[t + 1][j]) / probability),
        ),
      );
    return { ...found, posterior, links };
  };

  /* The best path: the same recursion with max in place of Σ. */
  const bestPath = ({ initial, transition }, { emitted, last }) => {
    let score = eachRow((p, e) => p * e, initial[0], emitted[0]);
    const back = [];
    for (let t = 1; t < emitted.length; t++) {
      const terms = states.map((_, j) => score.map((s, i) => s * transition[i][j]));
      back.push(terms.map((row) => row.indexOf(Math.max(...row))));
      score = terms.map((row, j) => Math.max(...row) * emitted[t][j]);
    }
    const ends = eachRow((s, e) => s * e, score, last);
    const path = [ends.indexOf(Math.max(...ends))];
    for (const from of back.reverse()) path.unshift(from[path[0]]);
    return { path, probability: Math.max(...ends) };
  };

  /* A path drawn from P(z | x): forward as always, then backward, each state given the one after it. */
  const drawnPath = ({ transition }, { after, last }, random) => {
    const path = [];
    for (let t = after.length - 1; t >= 0; t--) {
      const on = path.length ? states.map((_, i) => transition[i][path[0]]) : last;
      path.unshift(
        attribute(
          eachRow((a, b) => a * b, after[t], on),
          SAMPLE,
          random,
        ).pick,
      );
    }
    return path;
  };

  const countsOf = (sentence, path) => {
    const counts = zerosOf(layout);
    counts.initial[0][path[0]] += 1;
    path.forEach((k, t) => {
      counts.emission[k][index.get(sentence[t])] += 1;
      if (t > 0) counts.transition[path[t - 1]][k] += 1;
    });
    if (end) counts.transition[path[path.length - 1]][K] += 1;
    return counts;
  };

  const softCounts = ({ sentence, posterior, links }) => {
    const counts = zerosOf(layout);
    counts.initial[0] = posterior[0].slice();
    for (const link of links)
      link.forEach((row, i) =>
        row.forEach((share, j) => {
          counts.transition[i][j] += share;
        }),
      );
    sentence.forEach((word, t) =>
      posterior[t].forEach((share, k) => {
        counts.emission[k][index.get(word)] += share;
      }),
    );
    if (end)
      posterior[posterior.length - 1].forEach((share, k) => {
        counts.transition[k][K] += share;
      });
    return counts;
  };

  const one = (logWeights, sentence, mode, random) => {
    const weights = each(Math.exp, logWeights);
    const found = expected(weights, passes(weights, sentence));
    if (mode === SUM) return { ...found, counts: softCounts(found), logNorm: Math.log(found.probability) };
    const best =
      mode === MAX
        ? bestPath(weights, found)
        : { path: drawnPath(weights, found, random), probability: found.probability };
    return { ...found, path: best.path, counts: countsOf(sentence, best.path), logNorm: Math.log(best.probability) };
  };

  return {
    kind: "hmm",
    exchangeable: true,
    hidden: "state",
    values: states,
    items: sentences,
    layout,
    countsOf,
    criteria: ["em", "hard", "vb", "mre", "gibbs"],
    expect: (logWeights, mode = SUM, random = null) =>
      added(
        layout,
        sentences.map((s) => one(logWeights, s, mode, random)),
      ),
    nodes: (sentence) => sentence,
    choices: (sentence) => sentence.map(() => states),
    constant: () => 0,
    title: (sentence) => sentence.join(" "),
  };
};

/* Expectations add over items. */
const added = (layout, items) =>
  items.reduce(
    (total, item) => ({
      ...total,
      counts: each((a, b) => a + b, total.counts, item.counts),
      logNorm: total.logNorm + item.logNorm,
    }),
    { counts: zerosOf(layout), logNorm: 0, items },
  );
