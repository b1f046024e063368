/* The two halves of a step, by F(q, θ) = Σ_z q(z) log P(x, z | θ) + H(q) = Q + H = L(θ) − KL(q ‖ P(z | x, θ)).
   Everything is linear in the counts of q: Q = ⟨c_q, log θ⟩, and H(q) = log Z − ⟨c_q, η⟩ at the weights q came from. */
const likelihoodOf = (model, theta) => model.expect(logWeightsOf(model, theta)).logNorm;

const halves = (model, name, frame, settings) => {
  const constant = sum(model.items.map(model.constant));
  const { found, asked } = frame.seen;
  const entropy = name === "hard" ? 0 : found.logNorm - constant - inner(found.counts, asked);
  const energy = (weights) => constant + inner(found.counts, weights);
  if (name === "vb")
    return [frame.state, frame.seen.next].map(({ lambda }, k) => {
      const Q = energy(expectedLogOf(model, lambda, settings));
      const prior = -sum(Object.values(divergencesOf(model, lambda, settings)));
      return { half: k ? "M" : "E", L: null, Q, H: entropy, prior, F: Q + entropy + prior, KL: null };
    });
  return [frame.state, frame.seen.next].map(({ theta }, k) => {
    const Q = energy(logWeightsOf(model, theta)),
      L = likelihoodOf(model, theta),
      F = Q + entropy;
    return { half: k ? "M" : "E", L, Q, H: entropy, prior: priorOf(model, theta, settings), F, KL: L - F };
  });
};
