/* What can be pressed and typed, and the drawing of all of it. */
const NAMED = {
  em: "EM",
  hard: "hard EM",
  vb: "variational Bayes (VB)",
  mre: "maximum reconstruction (MRE)",
  gibbs: "Gibbs sampling",
};
const TOLD = {
  em: "expected counts, normalized",
  hard: "counts of the best structure",
  vb: "a Dirichlet posterior instead of a point estimate",
  mre: "maximizes the likelihood of the reconstructed data",
  gibbs: "draws hidden structures and parameters in turn",
};
const OBJECTIVE = {
  em: "log-likelihood",
  hard: "log-probability of the best structure",
  vb: "ELBO",
  mre: "J",
  gibbs: "log P(x, z | α)",
};
const on = (node, event, f) => {
  node.addEventListener(event, f);
  return node;
};
const labelled = (words, node) => make("label", {}, words, " ", node);

const toolbar = () => {
  const button = (key, words, name, f) =>
    on(make("button", { type: "button", "data-key": key, "aria-label": name, title: name }, words), "click", f);
  const choose = make(
    "select",
    { "data-key": "criterion" },
    Object.keys(CRITERIA).map((c) =>
      make(
        "option",
        { value: c, selected: c === page.criterion, disabled: !page.model.criteria.includes(c) },
        page.model.criteria.includes(c) ? NAMED[c] : `${NAMED[c]}: not available`,
      ),
    ),
  );
  on(choose, "change", () => {
    page.criterion = choose.value;
    say(`${NAMED[choose.value]}: ${TOLD[choose.value]}. Training starts from the current parameters.`);
    begin(here().theta);
    render();
  });
  return [
    labelled("Criterion", choose),
    make(
      "span",
      { class: "buttons" },
      button("first", "|◀", "Back to the initial parameters (Home)", () => go(0)),
      button("back", "◀", "One step back (left arrow)", () => go(page.at - 1)),
      button("forward", "▶", "One step forward (right arrow)", () => go(page.at + 1)),
      button("ten", "▶▶", "Ten steps forward (Page Down)", () => go(page.at + 10)),
    ),
  ];
};

/* Said aloud by screen readers, because its element stays. */
const where = () => {
  const { seen, theta } = here(),
    tied = tiesOf(page.model, theta, criterion().parameters(page.model, seen.next, page.settings));
  return [
    `Step ${page.at}: ${OBJECTIVE[page.criterion]} `,
    make("strong", { "data-value": seen.objective }, shown(seen.objective)),
    tied ? make("em", { id: "tied" }, ` Tied: ${tied}; choose a random start.`) : "",
  ];
};

const number = (key, value, change) =>
  on(make("input", { "data-key": key, inputmode: "decimal", size: 6, value }), "change", (event) => {
    const x = Number(event.target.value.replace(",", "."));
    if (!(x >= 0) || !Number.isFinite(x) || (key === "prior" && x === 0))
      return say(`${key}: give a number ${key === "prior" ? "above 0" : "of at least 0"}.`, true);
    change(x);
    say("Setting changed; all steps are computed again.");
    replay();
  });

const settingsView = () => {
  const start = make(
    "select",
    { "data-key": "start" },
    ["given", "uniform", "random"].map((s) => make("option", { value: s, selected: s === page.start }, s)),
  );
  const restart = () => {
    page.start = start.value;
    begin(startOf(page.model, page.start, page.settings.seed));
    say(`Step 0 of the ${page.start} start.`);
    render();
  };
  on(start, "change", restart);
  const pseudo = Object.entries(page.model.layout)
    .filter(([, spec]) => spec.family === Categorical && !spec.fixed?.every((row) => row.every((h) => h !== null)))
    .map(([name]) =>
      labelled(
        `Pseudo-count: ${name}`,
        number(`pseudo ${name}`, page.settings.pseudo[name] || 0, (x) => {
          page.settings.pseudo[name] = x;
        }),
      ),
    );
  const all = page.model.criteria.includes("vb")
    ? [
        labelled(
          "Prior α (VB, Gibbs)",
          number("prior", page.settings.prior, (x) => {
            page.settings.prior = x;
          }),
        ),
        ...(page.model.criteria.includes("mre")
          ? [
              labelled(
                "Rate (MRE)",
                number("rate", page.settings.rate, (x) => {
                  page.settings.rate = x;
                }),
              ),
            ]
          : []),
      ]
    : [];
  return [
    make(
      "div",
      { class: "fields" },
      labelled("Start", start),
      labelled(
        "Seed",
        number("seed", page.settings.seed, (x) => {
          page.settings.seed = Math.floor(x);
          if (page.start === "random") page.theta = startOf(page.model, "random", page.settings.seed);
        }),
      ),
      ...pseudo,
      ...all,
    ),
  ];
};

const textOf = (data) =>
  (data.items
    ? data.items.flatMap((rows, d) => [
        ...(d && data.later.length ? ["---"] : []),
        ...rows.map(
          (row) =>
            row.flatMap((x, v) => (x === null ? [] : [`${data.names[v]}=${data.values[v][x]}`])).join(", ") || "?",
        ),
      ])
    : data.pairs
      ? data.pairs.map(([s, t]) => `${s.join(" ")} ||| ${t.join(" ")}`)
      : (data.sentences || data.documents || data.points).map((line) => line.join(" "))
  ).join("\n");
const dataView = () => {
  const box = make("textarea", {
    "data-key": "text",
    rows: Math.min(10, textOf(page.data).split("\n").length + 1),
    spellcheck: "false",
    lang: "und",
  });
  box.value = textOf(page.data);
  on(box, "change", () => editData(box.value));
  const what =
    {
      hmm: "Sentences, one per line",
      grammar: "Sentences, one per line",
      ibm1: "Pairs, one per line: source ||| target",
      kmeans: "Points, one per line",
      net: `Rows, one per line: name=value, name=value. Variables not named are missing${page.data.later?.length ? "; --- ends a sequence" : ""}`,
    }[page.data.kind] || "Documents, one per line";
  return [labelled(`${what}. Changes take effect when you leave the box`, box)];
};

const VIEWS = {
  given: () => [...dataView(), ...settingsView()],
  estep: () =>
    (
      ({ hmm: latticeView, ibm1: alignmentView, net: netView, grammar: grammarView })[page.data.kind] ||
      responsibilityView
    )(page.model, here().seen, page.criterion),
  parameters: () =>
    parameterView(
      page.model,
      here(),
      criterion().parameters(page.model, here().seen.next, page.settings),
      editParameter,
    ),
  bound: () => boundView(page.model, page.criterion, page.frames.slice(0, page.at + 1), page.settings),
  beside: () => beside(page.model, here(), page.settings),
  mre: () =>
    page.model.refused?.mre ? [hint(page.model.refused.mre)] : reconstructionView(page.model, here(), page.settings),
  paths: () => pathsView(page.model, here()),
  landscape: () =>
    landscapeView(page.model, here(), page.axes, page.settings, (n, k) => {
      page.axes[n] = k;
      render();
    }),
  gibbs: () => gibbsView(page.model, here(), page.settings),
};

/* All of it anew; who had the focus keeps it. What takes long to compute waits until nothing more is pressed. */
const SLOW = ["paths", "landscape", "gibbs"];
let waiting = null;
const draw = (names) => {
  const key = document.activeElement?.dataset?.key;
  for (const name of names) {
    const place = document.querySelector(`#${name} .view`);
    if (place) place.replaceChildren(...VIEWS[name]());
  }
  if (key) document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
};
const settle = () => {
  if (waiting === null) return;
  clearTimeout(waiting);
  waiting = null;
  draw(SLOW);
};
const render = () => {
  const key = document.activeElement?.dataset?.key;
  document.getElementById("steps").replaceChildren(...toolbar());
  document.getElementById("where").replaceChildren(...where());
  if (key) document.querySelector(`#steps [data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  draw(Object.keys(VIEWS).filter((name) => !SLOW.includes(name)));
  clearTimeout(waiting);
  waiting = setTimeout(settle, 80);
};

const KEYS = {
  ArrowRight: () => go(page.at + 1),
  ArrowLeft: () => go(page.at - 1),
  Home: () => go(0),
  PageDown: () => go(page.at + 10),
};
document.addEventListener("keydown", (event) => {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.target.closest?.("input, textarea, select, .scroll") ||
    !KEYS[event.key]
  )
    return;
  event.preventDefault();
  KEYS[event.key]();
});

page.model = BUILD[page.data.kind](page.data);
begin(startOf(page.model, "given", 0));
page.axes = firstAxes(page.model, page.theta);
render();
settle();

/* For whoever wants the numbers, a console or a test: all of them, with all their digits. */
window.softcount = {
  page,
  go,
  here,
  settle,
  landscape: () =>
    landscape(
      page.model,
      here().theta,
      page.axes.map((k) => coordinatesOf(page.model, here().theta)[k]),
      page.settings,
    ),
  halves: () => page.frames.slice(0, page.at + 1).flatMap((f) => halves(page.model, page.criterion, f, page.settings)),
  reconstruction: () => reconstruction(page.model, here().theta, page.settings),
  exact: () => exactPosterior(page.model, page.settings),
};
