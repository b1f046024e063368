/* The page: what was given, where EM stands, and everything drawn anew after each step or edit. */
const BUILD = { hmm, ibm1, mixture, plsa, kmeans: points, net, grammar };
const given = JSON.parse(document.getElementById("data").textContent).explain;
const page = {
  data: given,
  criterion: "em",
  start: "given",
  axes: [0, 1],
  frames: [],
  at: 0,
  settings: { pseudo: { ...given.pseudo }, prior: given.prior, rate: 1, seed: 0 },
};

/* --- starts ------------------------------------------------------------------------------------------------------- */
const randomRow = (random) => (row) => row.map(() => 1 + random());
const startOf = (model, how, seed) => {
  if (how === "given") return model.start ? model.start() : page.data.parameters;
  const random = uniforms(seed, 3);
  return byTable(
    model,
    (spec, name, part) => {
      if (spec.family === UnitGaussian)
        return part.map((row) =>
          row.map((_, f) => {
            const values = model.items.map((x) => x[f]),
              mean = sum(values) / values.length;
            return how === "uniform"
              ? mean
              : mean + normal(random) * Math.sqrt(sum(values.map((v) => (v - mean) ** 2)) / values.length);
          }),
        );
      const noise = how === "uniform" ? (row) => row.map(() => 1) : randomRow(random);
      return Categorical.normalize({ ...spec, held: spec.fixed ?? null }, part.map(noise));
    },
    model.start ? model.start() : page.data.parameters,
  );
};

/* --- history: frames of (state, θ, what there is to see); the steps ahead are computed when they are asked for ------- */
const criterion = () => CRITERIA[page.criterion];
const frameOf = (state) => ({
  state,
  theta: criterion().parameters(page.model, state, page.settings),
  seen: criterion().step(page.model, state, page.settings),
});
const begin = (theta) => {
  constrained(page.model, theta);
  page.theta = theta;
  page.frames = [frameOf(criterion().init(page.model, theta, page.settings))];
  page.at = 0;
};
const go = (to) => {
  while (page.frames.length <= to) page.frames.push(frameOf(page.frames[page.frames.length - 1].seen.next));
  page.at = Math.max(0, to);
  render();
};
const here = () => page.frames[page.at];
const replay = () => {
  const { at } = page;
  begin(page.theta);
  go(at);
};

/* --- editing ------------------------------------------------------------------------------------------------------ */
const say = (words, alarm = false) => {
  const node = document.getElementById("said");
  node.textContent = words;
  node.classList.toggle("alarm", alarm);
};
const editParameter = ([name, i, j], text) => {
  const spec = page.model.layout[name],
    value = Number(text.replace("−", "-").replace(",", "."));
  const gaussian = spec.family === UnitGaussian;
  if (
    text.trim() === "" ||
    !Number.isFinite(value) ||
    (!gaussian && (value < 0 || value > massOf({ ...spec, held: spec.fixed ?? null }, i) + 1e-12))
  ) {
    say(`${name}: give a number${gaussian ? "" : " from 0 to 1"}, not "${text}".`, true);
    return render();
  }
  const theta = each((p) => p, here().theta);
  page.model.layout[name].held = spec.fixed ?? null;
  const moved = gaussian
    ? ((theta[name][i][j] = value), theta)
    : placed(page.model, theta, [{ name, i: +i, j: +j }], [value]);
  const possible = moved && Number.isFinite(page.model.expect(logWeightsOf(page.model, moved)).logNorm);
  if (!possible) {
    say(
      moved ? "This value gives the data probability zero." : `${name}: all other entries of this row are fixed.`,
      true,
    );
    constrained(page.model, page.theta); /* as it was */
    return render();
  }
  say(
    gaussian
      ? "Parameter changed; this is now step 0."
      : "Parameter changed and the rest of its row rescaled; this is now step 0.",
  );
  begin(moved);
  render();
};

/* Parameters by name from one model to another: what is new gets an equal share, the known ones keep their proportions. */
const adopted = (from, to, theta) =>
  eachTable(
    (name) =>
      to.layout[name].rows.map((row, r) => {
        const spec = to.layout[name],
          old = from.layout[name],
          i = name === "topic" ? (r < old.rows.length ? r : -1) : old.rows.indexOf(row);
        if (spec.family === UnitGaussian) return theta[name][r];
        const columns = spec.columns[r],
          known = columns.map((c) => (i < 0 ? undefined : theta[name][i][old.columns[i].indexOf(c)]));
        const total = sum(known.map((p) => p ?? 0)),
          fresh = known.filter((p) => p === undefined).length;
        const left = total > 0 ? 1 - fresh / columns.length : 0;
        return known.map((p) =>
          p === undefined
            ? total > 0
              ? 1 / columns.length
              : 1 / fresh
            : total > 0
              ? (p / total) * left
              : 1 / columns.length,
        );
      }),
    theta,
  );

const tokensOf = (line) => line.split(/\s+/).filter(Boolean);
const PARSE = {
  hmm: (lines) => ({
    sentences: lines.map(tokensOf),
    words: [...new Set([...page.data.words, ...lines.flatMap(tokensOf)])],
  }),
  ibm1: (lines) => ({ pairs: lines.map((line) => line.split("|||").map(tokensOf)) }),
  mixture: (lines) => ({
    documents: lines.map(tokensOf),
    words: [...new Set([...page.data.words, ...lines.flatMap(tokensOf)])],
  }),
  kmeans: (lines) => ({
    points: lines.map((line) =>
      line
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map(Number),
    ),
  }),
};
PARSE.plsa = PARSE.mixture;
PARSE.grammar = (lines) => ({ sentences: lines.map(tokensOf) });
/* Rows as name=value, name=value; what is not named is missing. Over time, a line --- ends a sequence. */
PARSE.net = (lines) => {
  const { names, values, later } = page.data,
    items = [[]];
  for (const line of lines) {
    if (line.trim() === "---") {
      items.push([]);
      continue;
    }
    const row = names.map(() => null);
    for (const given of line.split(",").filter((part) => part.trim() && part.trim() !== "?")) {
      const [name, value] = given.split("=").map((part) => part.trim()),
        v = names.indexOf(name),
        x = v < 0 ? -1 : values[v].indexOf(value);
      if (v < 0) return { wrong: `Invalid "${given.trim()}": write name=value; the names are ${names.join(", ")}.` };
      if (x < 0) return { wrong: `${name} must be ${values[v].join(" or ")}, not "${value ?? ""}".` };
      row[v] = x;
    }
    if (!later.length && items[items.length - 1].length) items.push([]); /* rows are independent */
    items[items.length - 1].push(row);
  }
  return { items: items.filter((rows) => rows.length) };
};
const wrongWith = (parsed) => {
  if (parsed.wrong) return parsed.wrong;
  const lines = parsed.sentences || parsed.documents || parsed.pairs || parsed.points || parsed.items;
  if (!lines.length) return "The text is empty; give at least one line.";
  if (
    lines.length > 40 ||
    lines.some((line) => (parsed.pairs ? Math.max(...line.map((s) => s.length)) : line.length) > 40)
  )
    return "The text is too long; give at most 40 lines of at most 40 words.";
  if (parsed.pairs && lines.some((pair) => pair.length !== 2 || !pair[0].length || !pair[1].length))
    return "Write each pair as: source words ||| target words.";
  if (parsed.points && lines.some((x) => x.length !== page.data.points[0].length || !x.every(Number.isFinite)))
    return `Give ${page.data.points[0].length} numbers per line, separated by spaces.`;
  return "";
};
const editData = (text) => {
  const parsed = PARSE[page.data.kind](text.split("\n").filter((line) => line.trim())),
    wrong = wrongWith(parsed);
  if (wrong) return say(wrong, true);
  const old = page.model,
    theta = here().theta,
    before = page.data;
  const built = BUILD[page.data.kind]({ ...page.data, ...parsed });
  if (built.tooMany) return say(built.tooMany, true);
  page.data = { ...page.data, ...parsed };
  page.model = built;
  const moved = page.model.start ? page.model.start() : adopted(old, page.model, theta);
  if (!Number.isFinite(constrained(page.model, moved).expect(logWeightsOf(page.model, moved)).logNorm)) {
    page.data = before;
    page.model = old;
    constrained(old, theta);
    return say("The new data has probability zero under the current parameters; the old data is kept.", true);
  }
  page.data.parameters = moved;
  say(
    page.model.start
      ? "New text; the parameters are initialized again."
      : parsed.words
        ? "New text, same parameters; each new word gets an equal share of every row."
        : "New data, same parameters.",
  );
  begin(moved);
  return render();
};
