"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const make = (name, attributes = {}, ...children) => {
    const svg = ["svg", "line"].includes(name);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };

  const begun = []; /* what is called once everything is there */

  /* --- search: rows whose text has every word that was typed; while nothing is asked, the first of many ------------- */
  const FIRST = { TR: 40, ARTICLE: 15 };
  for (const box of document.querySelectorAll("input[data-search]")) {
    const section = document.getElementById(box.dataset.search);
    const rows = [...section.querySelectorAll("tbody tr, [data-row]")].filter((row) => !row.closest(".grid"));
    const texts = rows.map((row) => row.textContent.toLocaleLowerCase());
    const said = document.getElementById(box.dataset.search + "-found");
    const first = rows.length ? FIRST[rows[0].nodeName] : 0;
    const more = make("button", { type: "button", class: "more" }, `Show all ${rows.length.toLocaleString("en")}`);
    let all = rows.length <= 1.2 * first;
    const show = () => {
      const asked = box.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      let n = 0;
      rows.forEach((row, k) => {
        const found = asked.every((word) => texts[k].includes(word));
        row.hidden = !found || !(all || asked.length || k < first);
        n += found ? 1 : 0;
      });
      more.hidden = all || asked.length > 0;
      said.textContent = asked.length ? `${n} of ${rows.length}` : "";
      redraw();
    };
    box.addEventListener("input", show);
    more.addEventListener("click", () => {
      all = true;
      show();
    });
    section.append(more);
    begun.push(show);
    /* A link from elsewhere on the page leads to a row that may not be shown yet. */
    for (const link of document.querySelectorAll("a[href^='#pair-']")) link.addEventListener("click", () => {
      if (!rows.includes(document.querySelector(link.getAttribute("href")))) return;
      [box.value, all] = ["", true];
      show();
    });
  }

  /* --- pairs: links between two lines of words --------------------------------------------------------------------- */
  const drawings = [];
  const redraw = () => drawings.forEach((draw) => draw());
  document.querySelectorAll("#pairs article").forEach((article, number) => {
    const pair = data.pairs[number];
    const box = article.querySelector(".drawing");
    const [sources, targets] = [...box.querySelectorAll("ul")].map((list) => [...list.querySelectorAll("button")]);
    const svg = box.appendChild(make("svg", { "aria-hidden": "true" }));
    const has = (list, i, j) => list && list.some((link) => link[0] === i && link[1] === j);
    const gold = (i, j) => has(pair.sure, i, j) || has(pair.possible, i, j);
    const links = pair.links.map(([i, j, p]) => ({ i, j, p, kind: pair.sure && !gold(i, j) ? "wrong" : "" }));
    for (const [i, j] of pair.sure || []) if (!has(pair.links, i, j)) links.push({ i, j, p: 0, kind: "missed" });
    for (const link of links) link.node = svg.appendChild(make("line", { class: `link ${link.kind}` }));
    drawings.push(() => {
      const frame = box.getBoundingClientRect();
      for (const { i, j, node } of links) {
        const [a, b] = [sources[i].getBoundingClientRect(), targets[j].getBoundingClientRect()];
        node.setAttribute("x1", (a.left + a.right) / 2 - frame.left);
        node.setAttribute("y1", a.bottom - frame.top);
        node.setAttribute("x2", (b.left + b.right) / 2 - frame.left);
        node.setAttribute("y2", b.top - frame.top);
      }
    });
    const light = (side, k, on) => {
      const [own, other] = side === "source" ? [0, 1] : [1, 0];
      for (const link of links) {
        const mine = (own === 0 ? link.i : link.j) === k;
        link.node.classList.toggle("lit", on && mine);
        link.node.classList.toggle("dim", on && !mine);
      }
      const partners = own === 0 ? targets : sources;
      partners.forEach((word) => { word.style.background = ""; word.classList.remove("lit"); });
      if (!on) return;
      for (const share of pair.shares) if (share[own] === k) {
        const values = share.slice(2);
        const mean = values.reduce((sum, p) => sum + p, 0) / values.length;
        partners[share[other]].style.background = `rgba(var(--mark), ${0.1 + 0.5 * mean})`;
        partners[share[other]].title = values.map((p) => p.toFixed(2)).join(" forward, ") + (values.length > 1 ? " reverse" : "");
      }
      for (const link of links) if ((own === 0 ? link.i : link.j) === k && link.kind !== "missed")
        partners[own === 0 ? link.j : link.i].classList.add("lit");
    };
    [["source", sources], ["target", targets]].forEach(([side, words]) => words.forEach((word, k) => {
      const linked = links.filter((l) => l.kind !== "missed" && (side === "source" ? l.i : l.j) === k);
      const names = linked.map((l) => (side === "source" ? pair.target[l.j] : pair.source[l.i]) + " " + l.p.toFixed(2));
      word.setAttribute("aria-label", `${word.textContent}: ${names.length ? "linked with " + names.join(", ") : "no link"}`);
      for (const event of ["mouseenter", "focus"]) word.addEventListener(event, () => light(side, k, true));
      for (const event of ["mouseleave", "blur"]) word.addEventListener(event, () => light(side, k, false));
    }));
    article.querySelector("details").addEventListener("toggle", (event) => {
      const place = event.target.querySelector(".grid");
      if (!event.target.open || place.firstChild) return;
      const mean = new Map(pair.shares.map(([i, j, ...p]) => [`${i} ${j}`, p.reduce((a, b) => a + b, 0) / p.length]));
      const head = make("tr", {}, make("td", { style: "border:0" }), ...pair.target.map((w) => make("th", { scope: "col" }, w)));
      const body = pair.source.map((word, i) => make("tr", {}, make("th", { scope: "row" }, word), ...pair.target.map((_, j) => {
        const p = mean.get(`${i} ${j}`) || 0;
        const cell = make("td", { style: `background: rgba(var(--mark), ${(0.85 * p).toFixed(2)})`, title: p.toFixed(2) });
        if (has(pair.links, i, j)) cell.className = "linked";
        return cell;
      })));
      place.append(make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
    });
  });
  begun.forEach((show) => show());
  redraw();
  window.addEventListener("resize", redraw);
  if (document.fonts) document.fonts.ready.then(redraw);

  /* --- topics: what a text of one's own is about, computed here ---------------------------------------------------- */
  const query = document.getElementById("query");
  if (query) {
    const { words, table, prior, names } = data.topics;
    const index = new Map(words.map((word, w) => [word, w]));
    const out = document.getElementById("query-answer");
    query.addEventListener("input", () => {
      const typed = query.value.toLocaleLowerCase().match(/[^\s.,;:!?()"“”]+/g) || [];
      const known = typed.map((word) => index.get(word)).filter((w) => w !== undefined);
      let share = prior.slice();
      for (let step = 0; step < 50 && known.length; step++) { /* P(h|d) ∝ prior + Σ_w P(h|d) P(w|h) / Σ_h … */
        const counts = prior.map((p) => 0.05 * names.length * p);
        for (const w of known) {
          const terms = share.map((p, h) => p * table[h][w]);
          const total = terms.reduce((a, b) => a + b, 0);
          if (total > 0) terms.forEach((t, h) => { counts[h] += t / total; });
        }
        const sum = counts.reduce((a, b) => a + b, 0);
        share = counts.map((c) => c / sum);
      }
      const best = share.map((p, h) => [p, h]).sort((a, b) => b[0] - a[0]).slice(0, 3);
      out.textContent = known.length
        ? best.map(([p, h]) => `${(100 * p).toFixed(0)} % ${names[h]}`).join("; ") + ` (${known.length} of ${typed.length} words known here)`
        : typed.length ? "the page knows none of these words" : "";
    });
  }
})();
