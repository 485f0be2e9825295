// Asks the server. What goes wrong is said in its words, beside the page.

const problem = document.getElementById("problem");
let hiding;

export function complain(text) {
  problem.textContent = text;
  problem.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { problem.hidden = true; }, 6000);
}

export async function ask(path, method = "GET", body = undefined) {
  let response;
  try {
    response = await fetch(path, {
      method,
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    });
  } catch {
    complain("The studio does not answer. Is `inkstate studio` still running?");
    throw new Error("no answer");
  }
  const answer = await response.json();
  if (!response.ok) {
    complain(answer.error);
    throw new Error(answer.error);
  }
  return answer;
}

/// Says which model is in use.
export async function showModel(models = undefined) {
  const all = models ?? await ask("/api/models");
  const used = all.find((model) => model.isUsed);
  document.getElementById("model-name").textContent = `model: ${used.name}`;
  return all;
}

/// Takes a file that is dropped on `area` or chosen in `input`.
export function takeFiles(area, input, take) {
  area.addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) { event.preventDefault(); }
  });
  area.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) { return; }
    event.preventDefault();
    take(file);
  });
  input.addEventListener("change", () => {
    const [file] = input.files;
    input.value = "";
    if (file) { take(file); }
  });
}

/// Strokes as a line of NDJSON has them: x, y, time, pressure.
export function drawing(strokes) {
  return strokes.map((stroke) => [
    stroke.map((p) => p.x), stroke.map((p) => p.y), stroke.map((p) => p.time),
    stroke.map((p) => p.pressure),
  ]);
}
