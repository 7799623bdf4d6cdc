// Names that hold all words that are typed, the shortest first. "bit rate" finds AverageBitRate and BIT_RATE too.
const root = document.currentScript.dataset.root;
const field = document.getElementById("search");
const list = document.getElementById("found");

const letters = (text) => text.toLowerCase().replace(/[\s_.()`-]+/g, "");

function show() {
  const words = field.value.split(/\s+/).map(letters).filter((word) => word);
  const wanted = words.join("");
  list.replaceChildren();
  const found = wanted ? names.filter(([name]) => words.every((word) => letters(name).includes(word))) : [];
  const rank = ([name]) => (letters(name).startsWith(wanted) ? 0 : letters(name).includes(wanted) ? 1000 : 2000) + name.length;
  found.sort((one, other) => rank(one) - rank(other));
  for (const [name, address, part] of found.slice(0, 12)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const where = document.createElement("small");
    link.href = root + address;
    link.textContent = name;
    where.textContent = part;
    link.append(where);
    item.append(link);
    list.append(item);
  }
  if (wanted && !found.length) list.append(Object.assign(document.createElement("li"), { textContent: "No such name" }));
  list.hidden = !wanted;
}

field.addEventListener("input", show);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("a")?.click();
  if (event.key === "Escape") { field.value = ""; show(); }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
});
