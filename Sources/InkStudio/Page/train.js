// The page Train: chooses the model in use, trains on the recordings and plots the learning curve.

import { $, shape } from "./elements.js";
import { ask, keptClasses, listen, recordings, showModel } from "./server.js";

const fresh = "new network";

function line(points, kind) {
  return shape("polyline", {
    points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), class: kind,
  });
}

function text(x, y, content, anchor = "start") {
  return shape("text", { x, y, "text-anchor": anchor }, content);
}

/// Two plots beside each other: loss and accuracy over the epochs.
function showCurve({ history, epochs }) {
  const [width, height, top] = [260, 190, 30];
  const plot = (left, title, values, low, high, words) => {
    const x = (index) => left + (width * (index + 1)) / Math.max(1, epochs);
    const y = (value) => top + height * (1 - (value - low) / (high - low || 1));
    return [
      text(left, 18, title),
      line([[left, top], [left, top + height], [left + width, top + height]], "axis"),
      text(left - 6, top + 10, words(high), "end"), text(left - 6, top + height, words(low), "end"),
      text(left + width, top + height + 20, `epoch ${epochs}`, "end"),
      line(values.map((value, index) => [x(index), y(value)]), "value"),
    ];
  };
  const losses = history.map((epoch) => epoch.trainingLoss);
  const rates = history.map((epoch) => epoch.trainingAccuracy);
  $("train-curve").replaceChildren(
    ...plot(50, "loss", losses, 0, Math.max(0.1, ...losses), (v) => v.toFixed(2)),
    ...plot(370, "accuracy", rates, Math.min(0.9, ...rates), 1, (v) => `${Math.round(100 * v)} %`));
}

export async function beginTraining({ epochs, modelNameLength, networks }) {
  $("train-epochs").max = epochs;
  $("train-name").maxLength = modelNameLength;
  $("train-network").append(...networks.map((network) => new Option(network.title, network.name)));
  let name = null;

  function showModels(models) {
    offerUse();
    $("train-models").replaceChildren(...models.map((model) => {
      const item = document.createElement("li");
      const label = document.createElement("label");
      const choice = document.createElement("input");
      label.className = "check";
      choice.type = "radio";
      choice.name = "model";
      choice.checked = model.isUsed;
      choice.addEventListener("change", () => use(model.name));
      label.append(choice, `${model.name}: ${model.labels.join(", ")}`);
      item.append(label);
      return item;
    }));
    const before = $("train-base").value;
    $("train-base").replaceChildren(
      ...models.map((model) => new Option(`model “${model.name}”`, `model ${model.name}`)),
      new Option("a new network", fresh));
    if (before) { $("train-base").value = before; }
    if ($("train-base").value !== before) {
      $("train-base").value ||= `model ${models[0].name}`;
      hint();
    }
  }

  async function use(model) {
    await ask(`/api/models/${encodeURIComponent(model)}/use`, "POST");
    showModels(await showModel());
    show(await ask("/api/training"));
  }

  function hint() {
    const isFresh = $("train-base").value === fresh;
    $("train-network-label").hidden = !isFresh;
    $("train-epochs").value = isFresh ? 60 : 10;
    $("train-hint").textContent = isFresh
      ? "Trains on the recordings only. Record at least 50 drawings of each class, and some of the class "
        + "“other”, which the model learns to reject."
      : "Fine-tunes the model on the recordings. 5 to 20 drawings of each class are enough.";
  }

  function show(status) {
    const isRunning = status.phase === "running";
    $("train-empty").hidden = status.phase !== "idle";
    $("train-run").hidden = status.phase === "idle";
    $("train-start").disabled = isRunning;
    $("train-cancel").disabled = !isRunning;
    $("train-progress").value = status.phase === "finished" ? 1 : status.doneShare;
    const words = {
      running: `Epoch ${Math.min(status.epochs, status.history.length + 1)} of ${status.epochs}`
        + (status.secondsLeft === undefined ? "" : `, ${Math.ceil(status.secondsLeft)} s left`),
      finished: `Finished after ${status.epochs} ${status.epochs === 1 ? "epoch" : "epochs"}.`,
      cancelled: "Cancelled. No model was saved.",
      failed: `The training failed: ${status.problem}`,
    };
    $("train-status").textContent = words[status.phase] ?? "";
    // Read aloud when a training begins or ends, not after every epoch.
    const said = isRunning ? "The training has started." : words[status.phase] ?? "";
    if ($("train-said").textContent !== said) { $("train-said").textContent = said; }
    showCurve(status);
    $("train-report").hidden = !status.report;
    if (!status.report) { return; }
    const { report } = status;
    $("train-verdict").textContent = report.verdict
      ?? "The model in use answers other questions, so it is not compared.";
    $("train-accuracy").textContent = `Accuracy of ${status.name}: ${report.accuracy}, on ${report.data}.`
      + (report.accuracyBefore ? ` Accuracy of the model in use before: ${report.accuracyBefore}.` : "");
    $("train-text").textContent = report.text;
    $("train-file").href = `/api/models/${encodeURIComponent(status.name)}/file`;
    if (name !== status.name) {
      name = status.name;
      showModel().then(showModels);
    }
    offerUse();
  }

  /// Offers to use the trained model, unless it is in use.
  function offerUse() {
    const isUsed = $("model-name").textContent === `Model: ${name}`;
    $("train-use").disabled = isUsed;
    $("train-use").textContent = isUsed ? "Model in use" : "Use this model";
  }

  async function refresh() {
    const { classes } = await ask(recordings());
    $("train-counts").replaceChildren(...classes.map(({ label, count }) => {
      const item = document.createElement("li");
      const [first, second] = [document.createElement("span"), document.createElement("span")];
      first.textContent = label;
      second.textContent = keptClasses.has("skipped", label) ? `${count}, left out` : count;
      item.append(first, second);
      return item;
    }));
    showModels(await showModel());
  }

  $("train-base").addEventListener("change", hint);
  $("train-use").addEventListener("click", () => use(name));
  $("train-cancel").addEventListener("click", () => ask("/api/training/cancel", "POST"));
  $("train-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const base = $("train-base").value;
    const start = base === fresh
      ? { network: $("train-network").value } : { base: base.slice("model ".length) };
    const begin = (modelName) => ask("/api/training", "POST", {
      ...start, epochs: Number($("train-epochs").value), name: modelName, skip: keptClasses.all("skipped"),
    }, { place: $("train-problem"), isTold: ({ answer }) => answer.freeName });
    for (let wish = $("train-name").value.trim(); wish;) {
      try { return show(await begin(wish)); } catch (failure) {
        // A model is never replaced, and never called otherwise than was asked.
        wish = failure.answer.freeName && window.prompt(failure.message, failure.answer.freeName)?.trim();
        if (wish) { $("train-name").value = wish; }
      }
    }
  });
  // A problem is shown; the page tries again when it is shown again.
  await refresh().catch(() => {});
  listen($("train"), show)("/api/training/progress");
  return refresh;
}
