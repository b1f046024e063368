/* A criterion decides which weights it asks about, how the sum is read, and what it makes of the counts.
   init(model, θ, settings) gives a state; step gives what there is to see at a state, and the next one. */
const byTable = (model, f, ...tables) =>
  eachTable((name, ...parts) => f(model.layout[name], name, ...parts), ...tables);
const logWeightsOf = (model, theta) => byTable(model, (spec, _, part) => spec.family.logWeights(spec, part), theta);
const priorOf = (model, theta, { pseudo }) =>
  sum(Object.values(byTable(model, (spec, name, part) => spec.family.logPrior(spec, part, pseudo[name] || 0), theta)));
const maximized = (model, counts, theta, { pseudo }) =>
  byTable(model, (spec, name, c, old) => spec.family.maximize(spec, c, pseudo[name] || 0, old), counts, theta);

/* θ ∝ E[c] + pseudo; the objective, log P(x | θ) + Σ pseudo · log θ, never falls. With MAX it is hard EM. */
const pointwise = (mode) => ({
  init: (model, theta) => ({ theta }),
  step: (model, { theta }, settings) => {
    const asked = logWeightsOf(model, theta),
      found = model.expect(asked, mode);
    const prior = priorOf(model, theta, settings);
    return {
      asked,
      found,
      objective: found.logNorm + prior,
      parts: { logNorm: found.logNorm, logPrior: prior },
      next: { theta: maximized(model, found.counts, theta, settings) },
    };
  },
  parameters: (model, { theta }) => theta,
});

/* λ = α + E[c]; asked about ψ(λ) − ψ(Σ λ); the objective, ELBO = log Z − KL(q ‖ prior), never falls. */
const posteriorOf = (model, counts, { prior }) =>
  byTable(model, (spec, _, c) => spec.family.posterior(spec, c, prior), counts);
const expectedLogOf = (model, lambda, { prior }) =>
  byTable(model, (spec, _, l) => spec.family.expectedLog(spec, l, prior), lambda);
const divergencesOf = (model, lambda, { prior }) =>
  byTable(model, (spec, _, l) => spec.family.divergence(spec, l, prior), lambda);
const vb = {
  init: (model, theta, settings) => ({
    lambda: posteriorOf(model, model.expect(logWeightsOf(model, theta)).counts, settings),
  }),
  step: (model, { lambda }, settings) => {
    const asked = expectedLogOf(model, lambda, settings),
      found = model.expect(asked);
    const divergences = divergencesOf(model, lambda, settings),
      kl = sum(Object.values(divergences));
    return {
      asked,
      found,
      objective: found.logNorm - kl,
      parts: { logNorm: found.logNorm, kl, divergences },
      next: { lambda: posteriorOf(model, found.counts, settings) },
    };
  },
  parameters: (model, { lambda }, { prior }) =>
    byTable(model, (spec, _, l) => spec.family.mean(spec, l, prior), lambda),
};

/* J = log Σ_z P(x | z) P(z | x) = log Z(κη) − log Z(η), κ = 2 on what emits data; gradient g = κ c₂ − c₁;
   θ ∝ θ · exp(rate · g / (θ · Σ_row c₁)), the exponent within ±5. */
const kappaOf = (spec, i, j) => ((Array.isArray(spec.emits) ? spec.emits[i][j] : spec.emits) ? 2 : 1);
const doubled = (model, asked) =>
  byTable(model, (spec, _, part) => part.map((row, i) => row.map((w, j) => kappaOf(spec, i, j) * w)), asked);
const reconstruction = (model, theta, settings) => {
  const asked = logWeightsOf(model, theta);
  const encode = model.expect(asked),
    decode = model.expect(doubled(model, asked));
  const gradient = byTable(
    model,
    (spec, _, c2, c1) => c2.map((row, i) => row.map((c, j) => kappaOf(spec, i, j) * c - c1[i][j])),
    decode.counts,
    encode.counts,
  );
  const next = byTable(
    model,
    (spec, _, t, g, c1) =>
      Categorical.normalize(
        spec,
        t.map((row, i) =>
          row.map((p, j) => {
            const scale = p * sum(c1[i]);
            const slope = scale > 1e-280 ? (settings.rate * g[i][j]) / scale : 0;
            return p * Math.exp(Math.min(5, Math.max(-5, slope)));
          }),
        ),
        t,
      ),
    theta,
    gradient,
    encode.counts,
  );
  return { asked, encode, decode, gradient, next, objective: decode.logNorm - encode.logNorm };
};
const mre = {
  init: (model, theta) => ({ theta }),
  step: (model, { theta }, settings) => {
    const found = reconstruction(model, theta, settings);
    return {
      asked: found.asked,
      found: found.encode,
      objective: found.objective,
      parts: { decode: found.decode.logNorm, encode: found.encode.logNorm },
      next: { theta: found.next },
    };
  },
  parameters: (model, { theta }) => theta,
};

/* z ~ P(z | x, θ), then θ ~ Dirichlet(α + c(x, z)); what is followed is log P(x, z | α). */
const evidenceOf = (model, counts, { prior }) =>
  sum(Object.values(byTable(model, (spec, _, c) => spec.family.evidence(spec, c, prior), counts)));
const gibbs = {
  init: (model, theta) => ({ logTheta: logWeightsOf(model, theta), mean: theta, step: 0 }),
  step: (model, { logTheta, step }, settings) => {
    const random = uniforms(settings.seed, step),
      found = model.expect(logTheta, SAMPLE, random);
    const lambda = posteriorOf(model, found.counts, settings);
    const constant = sum(model.items.map(model.constant));
    const joint = evidenceOf(model, found.counts, settings) + constant;
    const logDrawn = byTable(model, (spec, _, l) => spec.family.draw(spec, l, random, settings.prior), lambda);
    const mean = byTable(model, (spec, _, l) => spec.family.mean(spec, l, settings.prior), lambda);
    return {
      asked: logTheta,
      found,
      objective: joint,
      parts: { logJoint: joint, logNorm: found.logNorm },
      next: { logTheta: logDrawn, mean, step: step + 1 },
    };
  },
  parameters: (model, { mean }) => mean,
};

const CRITERIA = { em: pointwise(SUM), hard: pointwise(MAX), vb, mre, gibbs };

/* Rows of a table that emits, all alike before and after a step: the posteriors cannot tell them apart, and never will. */
const alike = (rows) =>
  rows.length > 1 &&
  rows[0].length > 1 &&
  rows.every(
    (row) =>
      row.length === rows[0].length && row.every((p, j) => Math.abs(p - rows[0][j]) <= 1e-9 * Math.abs(rows[0][j])),
  );
const isTied = (model, theta, next) =>
  Object.entries(model.layout).some(
    ([name, spec]) => spec.emits && !spec.beyond && alike(theta[name]) && alike(next[name]),
  );
/* What is tied, in words; a model of which some values may be alike and others not says so itself. */
const tiesOf = (model, theta, next) => {
  if (!model.ties) return isTied(model, theta, next) ? `all ${plural(model.hidden)} are identical and stay identical` : "";
  const after = new Set(model.ties(next).map(String));
  const groups = model.ties(theta).filter((group) => after.has(String(group)));
  return groups.length ? `${groups.map((group) => group.join(" = ")).join(", ")}: identical, and stay identical` : "";
};
/* Rows that hold the same numbers, to the digits that a step keeps. */
const same = (a, b) => a.length === b.length && a.every((p, k) => Math.abs(p - b[k]) <= 1e-9 * Math.abs(b[k]));
/* Groups of two or more of the names, each joined with the first that it is like. */
const grouped = (names, like) => {
  const groups = [];
  names.forEach((name, k) => {
    const group = groups.find(([first]) => like(first, k));
    if (group) group.push(k);
    else groups.push([k]);
  });
  return groups.filter((group) => group.length > 1).map((group) => group.map((k) => names[k]));
};
