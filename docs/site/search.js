// Names that hold what is typed, the shortest first.
const root = document.currentScript.dataset.root;
const field = document.getElementById("search");
const list = document.getElementById("found");

function show() {
  const wanted = field.value.trim().toLowerCase();
  list.replaceChildren();
  const found = wanted ? names.filter(([name]) => name.toLowerCase().includes(wanted)) : [];
  const rank = ([name]) => (name.toLowerCase().startsWith(wanted) ? 0 : 1000) + name.length;
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
