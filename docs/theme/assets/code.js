// Gives each block of code a button that copies it. What is wider than its frame, code or a table, gets
// a place in the order of keys. Blocks are measured together and changed together, and those that are folded
// away wait until they are opened.
(() => {
  const { copy, copied } = document.currentScript.dataset;
  const sizes = new ResizeObserver((changed) => {
    const wide = changed.map(({ target }) => [target, target.scrollWidth > target.clientWidth]);
    for (const [code, is] of wide) is ? (code.tabIndex = 0) : code.removeAttribute("tabindex");
  });
  const button = (code) => {
    const made = document.createElement("button");
    made.className = "md-code__button";
    made.dataset.mdType = "copy";
    made.title = copy;
    made.ariaLabel = copy;
    made.type = "button";
    made.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent.trimEnd());
      made.classList.add("af-copied");
      made.ariaLabel = made.title = copied;
      setTimeout(() => {
        made.classList.remove("af-copied");
        made.ariaLabel = made.title = copy;
      }, 2000);
    });
    const frame = document.createElement("div");
    frame.className = "md-code__nav";
    frame.append(made);
    return frame;
  };
  const equip = (within) => {
    const blocks = [...within.querySelectorAll("pre:not(.diagram, [data-equipped]) > code")];
    for (const code of blocks.filter((each) => !each.closest("details:not([open])"))) {
      const block = code.parentElement;
      block.dataset.equipped = "";
      if (navigator.clipboard) block.prepend(button(code));
      sizes.observe(code);
    }
  };
  const scrolled = "pre.diagram > code, .md-typeset__table";
  const soon = window.requestIdleCallback ?? setTimeout;
  addEventListener("load", () => soon(() => {
    equip(document);
    for (const each of document.querySelectorAll(scrolled)) sizes.observe(each);
  }));
  addEventListener("toggle", ({ target }) => equip(target), true);
})();
