/* Bayesian network: P(x) = ∏_v table_v[parents of x_v, x_v], summed over every value of the cells that are missing.
   Cells are eliminated one after the other: the bucket of a cell multiplies all factors that still speak of it, sums the
   cell out, and sends what is left to the bucket of the next of its cells. Sent back, the same messages give every
   family's posterior. A factor is { scope: [cells], at: its value for every assignment, the last cell fastest }. */
const sizeOver = (scope, domains) => scope.reduce((n, c) => n * domains[c].length, 1);
const placeIn = (scope, domains, chosen) => scope.reduce((place, c) => place * domains[c].length + chosen[c], 0);
const eachAssignment = (scope, domains, f) => {
  const chosen = {};
  const walk = (k) => {
    if (k === scope.length) return f(chosen);
    for (let x = 0; x < domains[scope[k]].length; x++) {
      chosen[scope[k]] = x;
      walk(k + 1);
    }
    return undefined;
  };
  walk(0);
};
const multiplied = (factors, domains, scope = [...new Set(factors.flatMap((f) => f.scope))]) => {
  const at = [];
  eachAssignment(scope, domains, (chosen) =>
    at.push(factors.reduce((p, f) => p * f.at[placeIn(f.scope, domains, chosen)], 1)),
  );
  return { scope, at };
};
const reduced = (factor, scope, domains, join) => {
  const at = new Array(sizeOver(scope, domains)).fill(0);
  let k = 0;
  eachAssignment(factor.scope, domains, (chosen) => {
    const place = placeIn(scope, domains, chosen);
    at[place] = join(at[place], factor.at[k++]);
  });
  return { scope, at };
};
const plus = (a, b) => a + b;

/* Which cell goes first: the one that meets the fewest values. With the order, who sends to whom. */
const planOf = (scopes, domains) => {
  const left = new Set(domains.keys()),
    buckets = [];
  let open = scopes.map((scope, k) => ({ scope, own: k }));
  const around = (c) => [...new Set(open.filter(({ scope }) => scope.includes(c)).flatMap(({ scope }) => scope))];
  while (left.size) {
    const cost = (c) => sizeOver(around(c), domains);
    const cell = [...left].reduce((a, b) => (cost(b) < cost(a) ? b : a));
    const mine = open.filter(({ scope }) => scope.includes(cell)),
      out = around(cell).filter((c) => c !== cell);
    buckets.push({ cell, out, own: mine.flatMap((f) => f.own ?? []), from: mine.flatMap((f) => f.sent ?? []) });
    open = [
      ...open.filter((f) => !mine.includes(f)),
      ...(out.length ? [{ scope: out, sent: buckets.length - 1 }] : []),
    ];
    left.delete(cell);
  }
  buckets.forEach((bucket, k) => bucket.from.forEach((child) => (buckets[child].to = k)));
  return buckets;
};

const collected = (plan, factors, domains, join) => {
  const sent = [],
    inside = [];
  let total = 1;
  plan.forEach(({ out, own, from }, k) => {
    inside[k] = multiplied([...own.map((f) => factors[f]), ...from.map((b) => sent[b])], domains);
    sent[k] = reduced(inside[k], out, domains, join);
    if (!out.length) total *= sent[k].at[0];
  });
  return { sent, inside, total };
};

/* The posterior of every factor's cells together. */
const distributed = (plan, factors, domains, { sent, inside }) => {
  const back = [],
    families = [];
  for (let k = plan.length - 1; k >= 0; k--) {
    const { to, out, own } = plan[k];
    if (to !== undefined) {
      const others = plan[to].from.filter((b) => b !== k).map((b) => sent[b]);
      const above = [...plan[to].own.map((f) => factors[f]), ...others, ...(back[to] ? [back[to]] : [])];
      back[k] = reduced(multiplied(above, domains, inside[to].scope), out, domains, plus);
    }
    const whole = multiplied([inside[k], ...(back[k] ? [back[k]] : [])], domains),
      norm = sum(whole.at);
    for (const f of own) {
      const share = reduced(whole, factors[f].scope, domains, plus);
      families[f] = { ...share, at: share.at.map((p) => (norm > 0 ? p / norm : 0)) };
    }
  }
  return families;
};

/* One value a cell, the last that was eliminated first: the best (MAX), or drawn. */
const settled = (plan, domains, { inside }, mode, random) => {
  const chosen = {};
  for (let k = plan.length - 1; k >= 0; k--) {
    const { cell } = plan[k];
    const terms = domains[cell].map(
      (_, x) => inside[k].at[placeIn(inside[k].scope, domains, { ...chosen, [cell]: x })],
    );
    chosen[cell] = attribute(terms, mode, random).pick;
  }
  return chosen;
};

const net = ({ names, values, tables, first, later, items }) => {
  const V = names.length;
  const layout = Object.fromEntries(
    tables.map(({ name, rows, columns, emits }) => [name, { ...categorical(rows, columns, emits) }]),
  );
  const seen = items.map((rows) => {
    const domains = rows.flatMap((row) => row.map((x, v) => (x === null ? values[v].map((_, k) => k) : [x])));
    const uses = rows.flatMap((_, r) =>
      (r && later.length ? later : first).map(({ table, scope }) => ({
        table: tables[table].name,
        scope: scope.map(([v, before]) => (r - before) * V + v),
      })),
    );
    const free = domains.flatMap((domain, c) => (rows[Math.floor(c / V)][c % V] === null ? [c] : []));
    return {
      rows,
      domains,
      uses,
      free,
      plan: planOf(
        uses.map((u) => u.scope),
        domains,
      ),
    };
  });
  /* (row, column) of a table for the values that the cells of a factor take */
  const entryOf = ({ table, scope }, domains, chosen) => {
    const taken = scope.map((c) => domains[c][chosen[c]]);
    const row = taken.slice(0, -1).reduce((place, x, k) => place * values[scope[k] % V].length + x, 0);
    return [table, row, taken[taken.length - 1]];
  };
  const counted = (one, share) => {
    const counts = zerosOf(layout);
    one.uses.forEach((use, f) => {
      let k = 0;
      eachAssignment(use.scope, one.domains, (chosen) => {
        const [table, i, j] = entryOf(use, one.domains, chosen);
        counts[table][i][j] += share(f, k++, chosen);
      });
    });
    return counts;
  };
  const countsOf = (one, path) => {
    const of = Object.fromEntries(one.domains.map((_, c) => [c, 0]));
    one.free.forEach((c, k) => (of[c] = path[k]));
    return counted(one, (f, _, chosen) => (one.uses[f].scope.every((c) => chosen[c] === of[c]) ? 1 : 0));
  };
  const expectOne = (logWeights, one, mode, random) => {
    const { domains, uses, plan, free } = one;
    const factors = uses.map((use) => {
      const at = [];
      eachAssignment(use.scope, domains, (chosen) => {
        const [table, i, j] = entryOf(use, domains, chosen);
        at.push(Math.exp(logWeights[table][i][j]));
      });
      return { scope: use.scope, at };
    });
    const up = collected(plan, factors, domains, mode === MAX ? Math.max : plus);
    const logNorm = Math.log(up.total);
    if (mode !== SUM) {
      const chosen = settled(plan, domains, up, mode, random),
        path = free.map((c) => chosen[c]);
      const posterior = free.map((c) => domains[c].map((_, x) => (x === chosen[c] ? 1 : 0)));
      return { item: one, posterior, path, counts: countsOf(one, path), logNorm };
    }
    const families = distributed(plan, factors, domains, up);
    const posterior = free.map((c) => {
      const own = families.find(({ scope }) => scope[scope.length - 1] === c);
      return reduced(own, [c], domains, plus).at;
    });
    return { item: one, posterior, counts: counted(one, (f, k) => families[f].at[k]), logNorm };
  };
  const rowSaid = (row) => row.flatMap((x, v) => (x === null ? [] : [`${names[v]}=${values[v][x]}`])).join(", ") || "?";
  return {
    kind: "net",
    hidden: "missing value",
    items: seen,
    layout,
    countsOf,
    constant: () => 0,
    criteria: ["em", "hard", "vb", "mre", "gibbs"],
    expect: (logWeights, mode = SUM, random = null) =>
      added(
        layout,
        seen.map((one) => expectOne(logWeights, one, mode, random)),
      ),
    nodes: ({ rows, free }) =>
      free.map((c) => (rows.length > 1 ? `row ${Math.floor(c / V) + 1}: ` : "") + names[c % V]),
    choices: ({ free }) => free.map((c) => values[c % V]),
    title: ({ rows }) => rows.map(rowSaid).join(" / "),
  };
};
