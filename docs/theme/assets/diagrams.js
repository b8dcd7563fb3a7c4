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
  const texts = new WeakMap();
  let count = 0;
  const draw = async (block) => {
    await load();
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark() ? "dark" : "neutral", fontFamily: "inherit" });
    if (!texts.has(block)) texts.set(block, block.textContent);
    const { svg } = await mermaid.render(`diagram-${(count += 1)}`, texts.get(block));
    block.innerHTML = svg;
    block.dataset.drawn = dark() ? "dark" : "light";
  };
  const seen = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting && !seen.has(target)) {
        seen.add(target);
        draw(target);
      }
    }
  }, { rootMargin: "200px" });
  blocks.forEach((block) => watch.observe(block));
  new MutationObserver(() => seen.forEach(draw)).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
})();
