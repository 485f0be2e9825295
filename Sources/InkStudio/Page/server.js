// Requests to the server. The page shows the server's error texts, in place or above everything.

const general = document.getElementById("problem");
const patience = 30_000;
/// Whether what is shown ends with the next answer.
let isTemporary = false;
/// How long a page waits before it asks for a stream again that was lost.
const streamPause = 3000;

// The address that the studio prints, or a pairing leads to, has a secret once. It is kept for this address and
// port, while other ports get the cookie too; so it is sent with each request. A restarted studio has another.
const handed = new URLSearchParams(location.search).get("token");
if (handed) { localStorage.setItem("secret", handed); }
const proof = () => ({ "Inkstate-Secret": localStorage.getItem("secret") ?? "" });

/// An error of a request.
export class Failure extends Error {
  /// `status` is that of the answer, or 0 without an answer; `answer` is the content of the answer.
  constructor(text, status, answer = {}) {
    super(text);
    Object.assign(this, { status, answer });
  }

  /// Whether the same request can succeed later: the studio did not answer in time, had an error, was
  /// restarted, or has to pair this device again.
  get isTemporary() { return [0, 401, 403, 408].includes(this.status) || this.status >= 500; }
}

/// Shows a problem; it stays until it is closed or until something else was done. With `retry`, a button tries
/// again.
export function complain(text, place = general, retry = undefined) {
  function button(label, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.addEventListener("click", () => {
      complain("", place);
      act();
    });
    place.append(" ", made);
  }
  if (place.hidden && !text) { return; }
  place.replaceChildren(text);
  place.hidden = !text;
  if (text && retry) { button("Try again", retry); }
  if (place !== general) { return; }
  isTemporary = false;
  if (text) { button("Hide message", () => {}); }
  showMessages();
}

/// Shows the messages above everything that is open now, dialogs included.
export function showMessages() {
  const box = general.closest("[popover]");
  if (!box) { return; }
  if (box.matches(":popover-open")) { box.hidePopover(); }
  if ([...box.children].some(({ hidden }) => !hidden)) { box.showPopover(); }
}

/// Sends a request and returns the answer, which is JSON, or else what `read` makes of it.
///
/// A problem is shown at `place`, or nowhere if that is null, or if the caller says it: `isTold`. `retry` is
/// offered where it may help.
export async function ask(
  path, method = "GET", body = undefined,
  { place = general, retry, isTold = () => false, read = (response) => response.json() } = {},
) {
  function fail(text, status, answer) {
    const failure = new Failure(text, status, answer);
    if (isTold(failure)) { throw failure; }
    if (place) { complain(text, place, failure.isTemporary ? retry : undefined); }
    if (place === general) { isTemporary = failure.isTemporary; }
    throw failure;
  }
  let response;
  try {
    response = await fetch(path, {
      method, headers: proof(), signal: AbortSignal.timeout(patience),
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    });
  } catch {
    fail("The studio does not answer. Check the network, and that “inkstate studio” is still running.", 0);
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    fail(problem.error ?? `The studio answered with status ${response.status}.`, response.status, problem);
  }
  const answer = await read(response).catch(() => fail("The answer of the studio was incomplete. Try again.", 0));
  if (isTemporary) { complain(""); }
  // What was asked for in the background does not hide what is wrong with something else.
  if (place && (place !== general || method !== "GET")) { complain("", place); }
  return answer;
}

/// Saves the file at a path under the name that the studio gives it.
export async function save(path) {
  const [name, file] = await ask(path, "GET", undefined, { read: async (response) => [
    /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("Content-Disposition"))?.[1] ?? "file",
    await response.blob(),
  ] });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = decodeURIComponent(name);
  link.click();
  URL.revokeObjectURL(link.href);
}

// A browser that follows a link sends no secret.
document.addEventListener("click", (event) => {
  const path = event.target.closest?.("a[download]")?.getAttribute("href");
  if (!path?.startsWith("/api/") || event.defaultPrevented) { return; }
  event.preventDefault();
  save(path).catch(() => {});
});

/// Calls `take` with the name and the data of each server-sent event of a path until it returns true. Throws if
/// the stream cannot be read; returns whether the studio rejected it.
async function receive(path, signal, take) {
  // EventSource would send no secret.
  const response = await fetch(path, { headers: proof(), signal });
  if (!response.ok) { return true; }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const field = (name) => event.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (take(field("event") ?? "message", JSON.parse(field("data")))) { return false; }
    }
  }
  throw new TypeError("The stream has ended.");
}

/// Receives the server-sent events of a path while `section` is shown.
///
/// Browsers allow few connections to a host, and all tabs share them.
///
/// `take` gets each message. `ends` names the events that end the stream and what to do then; `lost` is called
/// if the studio rejects the stream.
export function listen(section, take, ends = {}, lost = () => {}) {
  let path = null;
  let source = null;
  async function open() {
    source?.abort();
    source = null;
    if (!path || document.hidden || section.hidden) { return; }
    const current = new AbortController();
    source = current;
    let isRejected;
    try {
      isRejected = await receive(path, current.signal, (kind, data) => {
        if (current !== source) { return true; }
        // A problem of the page is not one of the stream.
        queueMicrotask(() => (ends[kind] ?? take)(data));
        return kind in ends;
      });
    } catch {
      if (current === source) { setTimeout(() => { if (current === source) { open(); } }, streamPause); }
      return;
    }
    current.abort();
    if (isRejected && current === source) { lost(); }
  }
  document.addEventListener("visibilitychange", open);
  new MutationObserver(open).observe(section, { attributeFilter: ["hidden"] });
  return (next) => {
    path = next;
    open();
  };
}

const kept = (name) => JSON.parse(localStorage.getItem(name) ?? "[]");

/// The path of the recordings, with the classes added on this page and the unchecked ones.
export function recordings(rest = "") {
  return `/api/recordings${rest}?${new URLSearchParams([
    ...kept("classes").map((label) => ["class", label]),
    ...kept("skipped").map((label) => ["skip", label])])}`;
}

/// Lists of classes, stored in this browser.
export const keptClasses = {
  all: kept,
  has: (list, label) => kept(list).includes(label),
  add: (list, label) => localStorage.setItem(list, JSON.stringify([...new Set([...kept(list), label])])),
  remove: (list, label) => localStorage.setItem(list, JSON.stringify(kept(list).filter((l) => l !== label))),
};

let newestModels = null;

/// Shows which model is in use, and returns all models. Where it is called again before the answer came, only the answer
/// to the last call counts, for all calls.
export function showModel() {
  const models = ask("/api/models").then((all) => {
    if (models !== newestModels) { return newestModels; }
    const used = all.find((model) => model.isUsed);
    document.getElementById("model-name").textContent = `Model: ${used.name}`;
    return all;
  });
  newestModels = models;
  return models;
}

/// Calls a function with each file that is dropped on `area`, if there is one, or chosen in `input`.
export function takeFiles(area, input, take) {
  async function takeAll(files) {
    for (const file of files) { await take(file); }
  }
  area?.addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) { event.preventDefault(); }
  });
  area?.addEventListener("drop", (event) => {
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

/// Whether the studio takes a file of this size; says so if it does not.
export function isSmallEnough({ name, size }, most) {
  if (size <= most) { return true; }
  const megabytes = (bytes) => Math.floor(bytes / (1 << 20));
  complain(`“${name}” has ${megabytes(size)} MiB. The studio takes files of up to ${megabytes(most)} MiB. `
    + "Make a photograph smaller.");
  return false;
}

/// Strokes as in a line of NDJSON: x, y, time, pressure.
export function drawing(strokes) {
  return strokes.map((stroke) => [
    stroke.map((p) => p.x), stroke.map((p) => p.y), stroke.map((p) => p.time),
    stroke.map((p) => p.pressure),
  ]);
}
