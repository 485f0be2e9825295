// Asks the server. What goes wrong is said in its words, beside what it concerns or at the foot of the page.

const foot = document.getElementById("problem");
const patience = 30_000;

/// Says what is wrong; it stays until something goes well again.
export function complain(text, place = foot) {
  place.textContent = text;
  place.hidden = !text;
}
foot.addEventListener("click", () => complain(""));

/// Asks for `path`; what goes wrong is said at `place`.
export async function ask(path, method = "GET", body = undefined, place = foot) {
  let response;
  try {
    response = await fetch(path, {
      method, signal: AbortSignal.timeout(patience),
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    });
  } catch {
    complain("The studio does not answer. Is `inkstate studio` still running?", place);
    throw new Error("no answer");
  }
  const answer = await response.json();
  if (!response.ok) {
    complain(answer.error, place);
    throw new Error(answer.error);
  }
  complain("");
  complain("", place);
  return answer;
}

/// Hears what changes at a path, as long as `section` is looked at: browsers keep few connections to a host,
/// and all tabs share them.
export function listen(section, take) {
  let path = null;
  let source = null;
  function open() {
    source?.close();
    source = null;
    if (!path || document.hidden || section.hidden) { return; }
    source = new EventSource(path);
    source.onmessage = ({ data }) => take(JSON.parse(data));
  }
  document.addEventListener("visibilitychange", open);
  new MutationObserver(open).observe(section, { attributeFilter: ["hidden"] });
  return (next) => {
    path = next;
    open();
  };
}

const kept = (name) => JSON.parse(localStorage.getItem(name) ?? "[]");

/// Where recordings are, with the classes that were added here and those that are not asked for.
export function recordings(rest = "") {
  return `/api/recordings${rest}?${new URLSearchParams([
    ...kept("classes").map((label) => ["class", label]),
    ...kept("skipped").map((label) => ["skip", label])])}`;
}

/// A list of classes that this browser keeps.
export const keptClasses = {
  has: (list, label) => kept(list).includes(label),
  add: (list, label) => localStorage.setItem(list, JSON.stringify([...new Set([...kept(list), label])])),
  remove: (list, label) => localStorage.setItem(list, JSON.stringify(kept(list).filter((l) => l !== label))),
};

/// Says which model is in use.
export async function showModel(models = undefined) {
  const all = models ?? await ask("/api/models");
  const used = all.find((model) => model.isUsed);
  document.getElementById("model-name").textContent = `model: ${used.name}`;
  return all;
}

/// Takes files that are dropped on `area` or chosen in `input`, one after the other.
export function takeFiles(area, input, take) {
  async function takeAll(files) {
    for (const file of files) { await take(file); }
  }
  area.addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) { event.preventDefault(); }
  });
  area.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) { return; }
    event.preventDefault();
    takeAll([...event.dataTransfer.files]);
  });
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = "";
    takeAll(files);
  });
}

/// Strokes as a line of NDJSON has them: x, y, time, pressure.
export function drawing(strokes) {
  return strokes.map((stroke) => [
    stroke.map((p) => p.x), stroke.map((p) => p.y), stroke.map((p) => p.time),
    stroke.map((p) => p.pressure),
  ]);
}
