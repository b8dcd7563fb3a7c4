// Gives each block of code a button that copies it. What is wider than its frame, code or a table, gets
// a place in the order of keys. Blocks are measured together and changed together, and those that are folded
// away wait until they are opened.
(() => {
  const { copy, copied } = document.currentScript.dataset;
  const reach = (each, wide) => (wide ? (each.tabIndex = 0) : each.removeAttribute("tabindex"));
  const isWide = (each) => each.scrollWidth > each.clientWidth;
  const sizes = new ResizeObserver((changed) => {
    const wide = changed.map(({ target }) => [target, isWide(target)]);
    for (const [each, is] of wide) reach(each, is);
  });
  // What is not laid out yet, being far away, is measured piece by piece: no size of it changes.
  const soon = window.requestIdleCallback ?? setTimeout;
  const waiting = [];
  const next = () => {
    const each = waiting.shift();
    if (!each) return;
    reach(each, isWide(each));
    soon(next);
  };
  const watch = (found) => {
    if (!waiting.length) soon(next);
    waiting.push(...found);
    for (const each of found) sizes.observe(each);
  };
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
    const blocks = [...within.querySelectorAll("pre:not([data-equipped]) > code")];
    const open = blocks.filter((each) => !each.closest("details:not([open])"));
    for (const code of open) {
      const block = code.parentElement;
      block.dataset.equipped = "";
      if (navigator.clipboard) block.prepend(button(code));
    }
    watch(open);
  };
  const scrolled = ".diagram, .md-typeset__table";
  addEventListener("load", () => soon(() => {
    equip(document);
    watch([...document.querySelectorAll(scrolled)]);
  }));
  addEventListener("toggle", ({ target }) => equip(target), true);
})();
