/* Every picture of the page as a file of its own, SVG or PNG, with the colours that it has here. */
{
  const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity"];
  const LETTERS = ["font-family", "font-size", "font-weight", "text-anchor"];
  const pictures = () =>
    [...document.querySelectorAll('main svg[role="img"]')].filter((svg) => svg.getClientRects().length);
  const nameOf = (svg) => svg.getAttribute("aria-label").split(/[.;:]/)[0].slice(0, 60);

  const asSvg = (svg) => {
    const copy = svg.cloneNode(true),
      { width, height } = svg.getBoundingClientRect();
    const nodes = svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((node, k) => {
      const style = getComputedStyle(nodes[k]);
      const names = node.nodeName === "text" ? [...KEPT, ...LETTERS] : KEPT;
      node.setAttribute("style", names.map((name) => `${name}: ${style.getPropertyValue(name)}`).join("; "));
    });
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect"),
      box = svg.viewBox.baseVal;
    const place = { x: box.x, y: box.y, width: box.width, height: box.height };
    Object.entries(place).forEach(([key, value]) => paper.setAttribute(key, value));
    paper.setAttribute("fill", getComputedStyle(document.documentElement).getPropertyValue("--paper"));
    copy.prepend(paper);
    copy.removeAttribute("style");
    for (const [key, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height }))
      copy.setAttribute(key, value);
    return new XMLSerializer().serializeToString(copy);
  };
  const asAddress = (text) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  const asPng = (svg) =>
    new Promise((done, failed) => {
      const image = new Image(),
        { width, height } = svg.getBoundingClientRect();
      image.onerror = failed;
      image.onload = () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [2 * width, 2 * height];
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        done(canvas.toDataURL("image/png"));
      };
      image.src = asAddress(asSvg(svg));
    });
  const addressOf = async (svg, kind) => (kind === "png" ? asPng(svg) : asAddress(asSvg(svg)));

  const choose = document.querySelector("#pictures select");
  const list = () => {
    const at = Math.max(choose.selectedIndex, 0);
    choose.replaceChildren(...pictures().map((svg) => new Option(nameOf(svg))));
    choose.selectedIndex = Math.min(at, choose.length - 1);
    document.getElementById("pictures").hidden = !choose.length;
  };
  choose.addEventListener("focus", list); /* what there is changes with every step */
  for (const button of document.querySelectorAll("#pictures button"))
    button.addEventListener("click", async () => {
      const svg = pictures()[choose.selectedIndex],
        link = document.createElement("a");
      link.href = await addressOf(svg, button.value);
      link.download = `${nameOf(svg).replace(/[^\p{L}\p{N}]+/gu, "-")}.${button.value}`;
      link.click();
    });
  addEventListener("load", list);
  window.picture = (k, kind) => addressOf(pictures()[k], kind); /* for whoever wants it without a click */
}
