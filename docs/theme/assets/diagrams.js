// Draws the diagrams of a page when they come near: until then mermaid is not loaded, and without
// a script their text is read as it stands.
(() => {
  const blocks = [...document.querySelectorAll("pre.diagram")];
  if (!blocks.length || !window.IntersectionObserver) return;
  const source = document.currentScript.dataset.mermaid;
  let loading;
  const load = () => (loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  }));
  const dark = () => document.body.dataset.mdColorScheme === "slate";
  let count = 0;
  // Words are measured where they will stand, in the font that they will have: in a figure that
  // takes the place of the block of code.
  const font = () => getComputedStyle(document.body).fontFamily;
  const figures = new Map();
  const draw = async (block) => {
    await load();
    if (!figures.has(block)) {
      const figure = document.createElement("div");
      figure.className = "diagram";
      figures.set(block, { figure, text: block.textContent });
      block.after(figure);
      block.hidden = true;
    }
    const { figure, text } = figures.get(block);
    const scheme = dark() ? "dark" : "light";
    if (figure.dataset.drawn === scheme) return;
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark() ? "dark" : "neutral", fontFamily: font() });
    const { svg } = await mermaid.render(`diagram-${(count += 1)}`, text, figure);
    figure.innerHTML = svg;
    figure.dataset.drawn = scheme;
  };
  // One after the other: mermaid draws into the figure, and takes it badly if it is emptied meanwhile.
  let last = Promise.resolve();
  const next = (block) => (last = last.then(() => draw(block)));
  const seen = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting && !seen.has(target)) {
        seen.add(target);
        next(target);
      }
    }
  }, { rootMargin: "200px" });
  blocks.forEach((block) => watch.observe(block));
  new MutationObserver(() => seen.forEach(next)).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
})();
