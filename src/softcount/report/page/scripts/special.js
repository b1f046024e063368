/* Functions that JavaScript lacks, and random numbers that a seed repeats. */

/* log Γ(x), x > 0: log Γ(x) = log Γ(x + n) − Σ log(x + i), and Stirling's series where x is large. */
const logGamma = (x) => {
  let shift = 0;
  for (; x < 16; x += 1) shift += Math.log(x);
  const y = 1 / (x * x);
  const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
};

/* ψ(x) = d log Γ(x) / dx, by the same two steps: ψ(x) = ψ(x + 1) − 1/x. */
const digamma = (x) => {
  let shift = 0;
  for (; x < 16; x += 1) shift += 1 / x;
  const y = 1 / (x * x);
  const series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))));
  return Math.log(x) - 0.5 / x - series - shift;
};

/* Uniform numbers in (0, 1) from a seed and a step: the same pair, the same numbers (a 32-bit mixing generator). */
const uniforms = (seed, step = 0) => {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
};

const normal = (random) => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());

/* log of a Gamma(shape, 1) draw (Marsaglia and Tsang, 2000), and G(a) = G(a + 1) · U^(1/a), which small shapes need. */
const logGammaDraw = (shape, random) => {
  const d = shape + 1 - 1 / 3,
    c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random),
      v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(random()) < 0.5 * x * x + d - d * v + d * Math.log(v))
      return Math.log(d * v) + Math.log(random()) / shape;
  }
};
