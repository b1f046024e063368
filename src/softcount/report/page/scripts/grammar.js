/* Context-free grammar: P(tree) = ∏ rule[A → X₁ … X_m], P(sentence) = Σ over its trees, by inside–outside.
   The chart has a node for every symbol over every span that has a tree, and for every rest of a right side; a node is the
   sum of its terms, a term the product of a rule's weight and of the nodes below. Inside goes up, outside down:
   inside = Σ_terms w ∏ inside(below)      outside(below) += outside · w · ∏ inside(the others below) */
const MOST_TREES = 200;
const chartOf = ({ symbols, start, rules }, words) => {
  const memo = new Map(),
    order = [];
  const leaf = { inside: 1, trees: 1 };
  const kept = (key, node, terms) => {
    const alive = terms.filter(({ below }) => below.every(Boolean));
    if (!alive.length) return null;
    order.push(Object.assign(node, { terms: alive }));
    memo.set(key, node);
    return node;
  };
  const cached = (key, build) => {
    if (!memo.has(key)) {
      memo.set(key, null);
      build();
    }
    return memo.get(key);
  };
  const part = ({ word, symbol }, i, j) => {
    if (word === undefined) return over(symbol, i, j);
    return j === i + 1 && words[i] === word ? leaf : null;
  };
  const over = (s, i, j) =>
    cached(`${s} ${i} ${j}`, () =>
      kept(
        `${s} ${i} ${j}`,
        { symbol: s, i, j },
        rules[s].map((side, r) => ({ rule: [s, r], below: [rest(s, r, 0, i, j)] })),
      ),
    );
  /* The right side of rule r of s from its k-th part on, over words i … j. */
  const rest = (s, r, k, i, j) => {
    const side = rules[s][r];
    if (k === side.length - 1) return part(side[k], i, j);
    const key = `${s} ${r} ${k} ${i} ${j}`;
    return cached(key, () => {
      const cuts = [];
      for (let m = i + 1; m <= j - (side.length - 1 - k); m++) cuts.push(m);
      kept(
        key,
        {},
        cuts.map((m) => ({ rule: null, below: [part(side[k], i, m), rest(s, r, k + 1, m, j)] })),
      );
    });
  };
  const root = over(symbols.indexOf(start), 0, words.length);
  for (const node of order) node.trees = sum(node.terms.map(({ below }) => below.reduce((n, b) => n * b.trees, 1)));
  return { root, order, leaf };
};

const grammar = (data) => {
  const { symbols, rules, sentences } = data;
  const said = ({ word, symbol }) => (word === undefined ? symbols[symbol] : `'${word}'`);
  const sides = rules.map((row) => row.map((side) => side.map(said).join(" ")));
  const layout = {
    rule: {
      rows: symbols,
      columns: sides,
      counted: sides.map((row) => row.length),
      emits: rules.map((row) => row.map((side) => side.some(({ word }) => word !== undefined))),
      fixed: null,
      held: null,
      family: Categorical,
    },
  };
  const charts = sentences.map((words) => chartOf(data, words));
  const crowded = charts.findIndex(({ root }) => root && root.trees > MOST_TREES);
  if (crowded >= 0)
    return {
      tooMany: `Sentence ${crowded + 1} has more than ${MOST_TREES} trees; give a shorter sentence or fewer rules.`,
    };

  /* All trees of a node, each as the rules it uses, left to right from the top, and as (label, children). */
  const listed = (node, words, at) => {
    if (node.terms === undefined) return [{ used: [], parts: [words[at]] }];
    return node.terms.flatMap(({ rule, below }) => {
      let found = [{ used: rule ? [rule] : [], parts: [], at: node.i ?? at }];
      for (const child of below)
        found = found.flatMap((left) =>
          listed(child, words, left.at).map((right) => ({
            used: [...left.used, ...right.used],
            parts: [...left.parts, ...right.parts],
            at: left.at + wordsOf(right.parts),
          })),
        );
      return node.symbol === undefined
        ? found
        : found.map(({ used, parts }) => ({ used, parts: [{ label: symbols[node.symbol], parts }] }));
    });
  };
  const wordsOf = (parts) => sum(parts.map((p) => (typeof p === "string" ? 1 : wordsOf(p.parts))));
  const written = ({ label, parts }) =>
    `(${label} ${parts.map((p) => (typeof p === "string" ? p : written(p))).join(" ")})`;
  const keyOf = (used) => used.map((rule) => rule.join(".")).join(" ");
  const items = sentences.map((words, d) => {
    const trees = charts[d].root
      ? listed(charts[d].root, words, 0).map(({ used, parts }) => ({ used, tree: parts[0], text: written(parts[0]) }))
      : [];
    return { words, trees, index: new Map(trees.map(({ used }, k) => [keyOf(used), k])), ...charts[d] };
  });
  const countsOf = ({ trees }, [k]) => {
    const counts = zerosOf(layout);
    for (const [s, r] of trees[k].used) counts.rule[s][r] += 1;
    return counts;
  };

  const weightOf = (weights, rule) => (rule ? weights[rule[0]][rule[1]] : 1);
  const upward = ({ order }, weights, join) => {
    for (const node of order)
      node.inside = node.terms.reduce(
        (total, { rule, below }) =>
          join(
            total,
            below.reduce((p, b) => p * b.inside, weightOf(weights, rule)),
          ),
        0,
      );
  };
  const downward = ({ order, root, leaf }, weights, counts) => {
    for (const node of [...order, leaf]) node.outside = 0;
    root.outside = 1;
    for (const node of [...order].reverse())
      for (const { rule, below } of node.terms) {
        const w = node.outside * weightOf(weights, rule);
        below.forEach((b, k) => {
          b.outside += below.reduce((p, other, n) => (n === k ? p : p * other.inside), w);
        });
        if (rule) counts.rule[rule[0]][rule[1]] += below.reduce((p, b) => p * b.inside, w) / root.inside;
      }
  };
  /* From the top: of every node one term, the best or drawn; inside must be of that reading. */
  const chosen = (node, weights, mode, random) => {
    if (node.terms === undefined) return [];
    const shares = node.terms.map(({ rule, below }) => below.reduce((p, b) => p * b.inside, weightOf(weights, rule)));
    const { rule, below } = node.terms[attribute(shares, mode, random).pick];
    return [...(rule ? [rule] : []), ...below.flatMap((b) => chosen(b, weights, mode, random))];
  };
  const one = (logWeights, item, mode, random) => {
    const counts = zerosOf(layout),
      weights = logWeights.rule.map((row) => row.map(Math.exp));
    if (!item.root) return { item, posterior: [[]], path: [0], counts, logNorm: -Infinity, cells: [] };
    upward(item, weights, mode === MAX ? Math.max : plus);
    const logNorm = Math.log(item.root.inside);
    if (mode !== SUM) {
      const path = [item.index.get(keyOf(chosen(item.root, weights, mode, random)))];
      const posterior = [item.trees.map((_, k) => (k === path[0] ? 1 : 0))];
      return { item, posterior, path, counts: countsOf(item, path), logNorm, cells: [] };
    }
    downward(item, weights, counts);
    const Z = item.root.inside;
    const cells = item.order
      .filter((node) => node.symbol !== undefined && node.outside > 0) /* part of a tree of the whole sentence */
      .map(({ symbol, i, j, inside, outside }) => ({
        symbol,
        i,
        j,
        inside,
        outside,
        posterior: (inside * outside) / Z,
      }));
    const posterior = [item.trees.map(({ used }) => used.reduce((p, [s, r]) => p * weights[s][r], 1) / Z)];
    return { item, posterior, counts, logNorm, cells };
  };
  return {
    kind: "grammar",
    hidden: "tree",
    /* Symbols that can change their names: every rule becomes one that has the same probability. */
    ties: ({ rule }) => {
      const first = symbols.indexOf(data.start);
      const changed = (a, b) => (s) => (s === a ? b : s === b ? a : s);
      const key = (side, to) => side.map(({ word, symbol }) => (word === undefined ? to(symbol) : `'${word}`)).join(" ");
      const table = (to) =>
        new Map(rules.flatMap((row, s) => row.map((side, r) => [`${to(s)} > ${key(side, to)}`, rule[s][r]])));
      const own = table((s) => s);
      const like = (a, b) => {
        if (a === first || b === first) return false;
        return [...table(changed(a, b))].every(([k, p]) => own.has(k) && same([p], [own.get(k)]));
      };
      return grouped(symbols, like);
    },
    values: symbols,
    items,
    layout,
    countsOf,
    constant: () => 0,
    criteria: ["em", "hard", "vb", "mre", "gibbs"],
    expect: (logWeights, mode = SUM, random = null) =>
      added(
        layout,
        items.map((item) => one(logWeights, item, mode, random)),
      ),
    nodes: ({ words }) => [words.join(" ")],
    choices: ({ trees }) => [numbered("tree", trees.length + 1).slice(1)],
    named: ({ trees }, [k]) => `tree ${k + 1}: ${trees[k].text}`,
    title: ({ words }) => words.join(" "),
  };
};
