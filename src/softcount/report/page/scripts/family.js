/* What a row of counts becomes. A table's spec says which entries are held (forbidden: 0, fixed: their value; null:
   free) and, of rows that store some outcomes only, how many others the prior counts (beyond). */
const heldOf = (spec, i, j) => (spec.held ? spec.held[i][j] : null);
const isFree = (spec, i, j) => heldOf(spec, i, j) === null;
const massOf = (spec, i) => (spec.held ? Math.max(1 - sum(spec.held[i].map((h) => h ?? 0)), 0) : 1);
const beyondOf = (spec, i, alpha) => (spec.beyond ? spec.beyond[i] * alpha : 0);
/* Fixed entries and exact zeros of a start are held: no data brings them back. */
const constrained = (model, theta) => {
  for (const [name, spec] of Object.entries(model.layout)) {
    if (spec.family !== Categorical) continue;
    const held = theta[name].map((row, i) => row.map((p, j) => spec.fixed?.[i]?.[j] ?? (p === 0 ? 0 : null)));
    spec.held = held.some((row) => row.some((h) => h !== null)) ? held : null;
  }
  return model;
};
const learns = (spec, i) => !spec.held || spec.held[i].some((h) => h === null);

const Categorical = {
  /* θ ∝ weights on the free entries, which share what the held ones leave; a row without weight stays as it was. */
  normalize: (spec, weights, old) =>
    weights.map((row, i) => {
      const total = sum(row.filter((_, j) => isFree(spec, i, j)));
      if (!(total > 1e-290)) return old ? old[i] : row.map((_, j) => heldOf(spec, i, j) ?? 0);
      return row.map((w, j) => heldOf(spec, i, j) ?? (w / total) * massOf(spec, i));
    }),
  maximize: (spec, counts, pseudo, old) =>
    Categorical.normalize(
      spec,
      counts.map((row) => row.map((c) => c + pseudo)),
      old,
    ),
  logWeights: (spec, theta) => theta.map((row) => row.map((p) => Math.log(p))),
  logPrior: (spec, theta, pseudo) =>
    pseudo === 0
      ? 0
      : pseudo * sum(theta.map((row, i) => sum(row.map((p, j) => (isFree(spec, i, j) ? Math.log(p) : 0))))),

  /* λ = α + c */
  posterior: (spec, counts, alpha) => counts.map((row, i) => row.map((c, j) => (isFree(spec, i, j) ? c + alpha : 0))),
  lambdaTotal: (spec, row, i, alpha) => sum(row) + beyondOf(spec, i, alpha),
  mean: (spec, lambda, alpha) =>
    Categorical.normalize(spec, lambda).map((row, i) => {
      const stored = sum(lambda[i]),
        share = stored / (stored + beyondOf(spec, i, alpha));
      return row.map((p, j) => (isFree(spec, i, j) ? p * share : p));
    }),
  /* E[log θ] = ψ(λ) − ψ(Σ λ), plus the log of what held entries leave */
  expectedLog: (spec, lambda, alpha) =>
    lambda.map((row, i) => {
      const offset = digamma(Categorical.lambdaTotal(spec, row, i, alpha)) - Math.log(massOf(spec, i));
      return row.map((l, j) => (isFree(spec, i, j) ? digamma(l) - offset : Math.log(heldOf(spec, i, j))));
    }),
  /* log B(λ) = Σ log Γ(λ) − log Γ(Σ λ) of a row */
  logBeta: (spec, row, i, alpha) =>
    learns(spec, i)
      ? sum(row.map((l, j) => (isFree(spec, i, j) ? logGamma(l) : 0))) -
        logGamma(Categorical.lambdaTotal(spec, row, i, alpha))
      : 0,
  /* KL(Dir(λ) ‖ Dir(α)) = log B(α) − log B(λ) + Σ (λ − α) E[log θ] */
  divergence: (spec, lambda, alpha) => {
    const prior = Categorical.posterior(
      spec,
      lambda.map((row) => row.map(() => 0)),
      alpha,
    );
    const logs = Categorical.expectedLog(spec, lambda, alpha);
    return sum(
      lambda.map(
        (row, i) =>
          Categorical.logBeta(spec, prior[i], i, alpha) -
          Categorical.logBeta(spec, row, i, alpha) +
          sum(
            row.map((l, j) => (isFree(spec, i, j) ? (l - prior[i][j]) * (logs[i][j] - Math.log(massOf(spec, i))) : 0)),
          ),
      ),
    );
  },
  /* log P(z | α) of one row's counts: log B(α + c) − log B(α), and c · log θ of held entries */
  evidence: (spec, counts, alpha) =>
    sum(
      counts.map((row, i) => {
        const zeros = row.map(() => 0);
        const [before] = Categorical.posterior({ ...spec, held: spec.held && [spec.held[i]] }, [zeros], alpha);
        const after = row.map((c, j) => (isFree(spec, i, j) ? c + alpha : 0));
        const used = sum(row.map((c, j) => (isFree(spec, i, j) ? c : 0)));
        const held = sum(row.map((c, j) => (isFree(spec, i, j) || c === 0 ? 0 : c * Math.log(heldOf(spec, i, j)))));
        return (
          Categorical.logBeta(spec, after, i, alpha) -
          Categorical.logBeta(spec, before, i, alpha) +
          (used > 0 ? used * Math.log(massOf(spec, i)) : 0) +
          held
        );
      }),
    ),
  /* log θ with θ ~ Dirichlet(λ) */
  draw: (spec, lambda, random, alpha) =>
    lambda.map((row, i) => {
      const logs = row.map((l, j) => (isFree(spec, i, j) ? logGammaDraw(l, random) : -Infinity));
      if (spec.beyond && spec.beyond[i] > 0) logs.push(logGammaDraw(spec.beyond[i] * alpha, random));
      const top = Math.max(...logs),
        total = top + Math.log(sum(logs.map((l) => Math.exp(l - top))));
      return row.map((_, j) =>
        isFree(spec, i, j) ? logs[j] - total + Math.log(massOf(spec, i)) : Math.log(heldOf(spec, i, j)),
      );
    }),
};

/* Points around means, every variance one: counts (n, Σx, Σ|x|²), η = (−½ F log 2π − ½ |μ|², μ, −½). The prior is that
   of α points spread as the data are, χ = α (1, centre, |centre|² + 1), so that q(μ) = N(χ₁ / χ₀, 1 / χ₀). */
const LOG_2PI = Math.log(2 * Math.PI);
const squared = (v) => sum(v.map((x) => x * x));
const UnitGaussian = {
  maximize: (spec, counts, pseudo, old) =>
    counts.map((row, i) => (row[0] > 1e-290 ? row.slice(1, -1).map((x) => x / row[0]) : old[i])),
  logWeights: (spec, means) =>
    means.map((mu) => [-0.5 * (mu.length * Math.log(2 * Math.PI) + sum(mu.map((m) => m * m))), ...mu, -0.5]),
  logPrior: () => 0,
  imagined: ({ centre }, alpha) => [1, ...centre, squared(centre) + 1].map((x) => alpha * x),
  posterior: (spec, counts, alpha) =>
    counts.map((row) => eachRow((c, x) => c + x, row, UnitGaussian.imagined(spec, alpha))),
  mean: (spec, chi) => chi.map((row) => row.slice(1, -1).map((x) => x / row[0])),
  expectedLog: (spec, chi) =>
    UnitGaussian.mean(spec, chi).map((mu, k) => [
      -0.5 * (mu.length * (LOG_2PI + 1 / chi[k][0]) + squared(mu)),
      ...mu,
      -0.5,
    ]),
  /* A(χ) = log ∫ exp ⟨η, χ⟩ dμ of a row */
  normalizer: (row) => {
    const first = row.slice(1, -1);
    const scatter = row[row.length - 1] - squared(first) / row[0];
    return 0.5 * first.length * (LOG_2PI - Math.log(row[0]) - row[0] * LOG_2PI) - 0.5 * scatter;
  },
  /* KL = ⟨E[η], χ − prior⟩ − A(χ) + A(prior) */
  divergence: (spec, chi, alpha) => {
    const prior = UnitGaussian.imagined(spec, alpha);
    const gained = UnitGaussian.expectedLog(spec, chi).map((eta, k) =>
      sum(eachRow((e, c, p) => e * (c - p), eta, chi[k], prior)),
    );
    return sum(gained.map((g, k) => g - UnitGaussian.normalizer(chi[k]) + UnitGaussian.normalizer(prior)));
  },
  evidence: (spec, counts, alpha) => {
    const prior = UnitGaussian.imagined(spec, alpha);
    return (
      sum(UnitGaussian.posterior(spec, counts, alpha).map(UnitGaussian.normalizer)) -
      counts.length * UnitGaussian.normalizer(prior)
    );
  },
  draw: (spec, chi, random) =>
    UnitGaussian.logWeights(
      spec,
      UnitGaussian.mean(spec, chi).map((mu, k) => mu.map((m) => m + normal(random) / Math.sqrt(chi[k][0]))),
    ),
};
