// The page Series: shows the curves of recordings of sensors, with the windows and events of the model.

import { $, shape } from "./elements.js";
import { ask, takeFiles } from "./server.js";

const [width, left, strip, gap, bar] = [1000, 130, 56, 8, 18];
const hues = 8;

function number(value) { return Number(value.toPrecision(4)).toString(); }

/// The text of an answer or an event.
function words({ label, probability, rejection }) {
  const answer = probability === undefined ? label : `${label}, ${Math.round(100 * probability)} %`;
  return rejection ? `Rejected: ${rejection} (${answer})` : answer;
}

/// The lines of a curve; a gap ends a line.
function path(values, x, y) {
  let isDrawn = false;
  let text = "";
  values.forEach((value, index) => {
    if (value !== null) { text += `${isDrawn ? "L" : "M"}${x(index).toFixed(1)},${y(value).toFixed(1)}`; }
    isDrawn = value !== null;
  });
  return text;
}

/// A row of labelled parts; each label keeps its colour.
function row(title, parts, top, scale, hueOf, unit) {
  const items = [shape("text", { x: left - 10, y: top + 13, "text-anchor": "end" }, title)];
  for (const part of parts) {
    const [x, end] = [scale(part.start), scale(part.end)];
    const rect = shape("rect", {
      x, y: top, width: Math.max(1, end - x), height: bar,
      class: part.rejection ? "rejected" : `hue${hueOf(part.label)}`,
    });
    rect.append(shape("title", {}, `${number(part.start)}–${number(part.end)} ${unit}: ${words(part)}`));
    items.push(rect);
    if (!part.rejection && end - x > 8 * part.label.length + 8) {
      items.push(shape("text", { x: x + 4, y: top + 13, class: "inside" }, part.label));
    }
  }
  return items;
}

function figure(recording, model, hueOf) {
  const { curves, positions, end, unit } = recording;
  const scale = (position) => left + ((width - left) * position) / (end || 1);
  const items = curves.flatMap(({ name, low, high, values }, index) => {
    const top = index * (strip + gap);
    // A constant is a line in the middle.
    const y = (value) => (high > low ? top + strip * (1 - (value / 2 - low / 2) / (high / 2 - low / 2)) : top + strip / 2);
    const hue = `hue${index % hues}`;
    const label = shape("text", { x: 0, y: top + strip / 2 + 4, class: `name ${hue}` }, name.slice(0, 14));
    label.append(shape("title", {}, name));
    const limits = low === undefined ? [] : [[high, 10], [low, strip]].map(([value, below]) => shape("text", {
      x: left - 10, y: top + below, "text-anchor": "end",
    }, number(value)));
    return [label, ...limits, shape("path", { class: hue, d: path(values, (i) => scale(positions[i]), y) })];
  });
  let top = curves.length * (strip + gap);
  for (const [title, parts] of [["labels", recording.spans], ["windows", recording.windows], ["events", recording.events]]) {
    if (!parts.length) { continue; }
    items.push(...row(title, parts, top, scale, hueOf, unit));
    top += bar + gap;
  }
  items.push(
    shape("line", { x1: left, x2: width, y1: top, y2: top, class: "axis" }),
    shape("text", { x: left, y: top + 16 }, "0"),
    shape("text", { x: width, y: top + 16, "text-anchor": "end" }, `${number(end)} ${unit}`));

  const result = $("series-figure").content.firstElementChild.cloneNode(true);
  const [caption, svg] = result.children;
  svg.setAttribute("viewBox", `0 0 ${width} ${top + 22}`);
  svg.setAttribute("aria-label", `Curves of ${recording.name}: ${curves.map((curve) => curve.name).join(", ")}`);
  svg.append(...items);
  caption.textContent = [
    recording.name, recording.label, recording.person, `${recording.length} steps`,
  ].filter((text) => text).join(", ");
  const notes = [];
  if (recording.channelCount > curves.length) {
    notes.push(`The first ${curves.length} of ${recording.channelCount} channels are shown.`);
  }
  if (recording.problem) { notes.push(recording.problem); }
  if (recording.windows.length === 1 && !recording.events.length) {
    notes.push(`Answer of ${model}: ${words(recording.windows[0])}`);
  }
  for (const text of notes) {
    const note = document.createElement("p");
    note.className = "empty-note";
    note.textContent = text;
    result.append(note);
  }
  if (recording.events.length) {
    const list = document.createElement("ul");
    list.append(...recording.events.map((event) => {
      const item = document.createElement("li");
      item.textContent = `${number(event.start)}–${number(event.end)} ${unit}: ${words(event)}`;
      return item;
    }));
    result.append(list);
  }
  return result;
}

export async function beginSeries({ seriesEndings }) {
  $("series-open").accept = seriesEndings.map((ending) => `.${ending}`).join(",");
  takeFiles($("series"), $("series-open"), async (file) => {
    const answer = await ask(
      `/api/series?name=${encodeURIComponent(file.name)}`, "POST", file, { place: $("series-problem") });
    const { recordings, total, refused, firstProblem, model, hasAnswers } = answer;
    const labels = [...new Set(recordings.flatMap(
      (one) => [...one.spans, ...one.windows, ...one.events].map((part) => part.label)))].sort();
    $("series-empty").hidden = true;
    $("series-said").textContent = [
      recordings.length < total
        ? `The first ${recordings.length} of ${total} recordings in ${file.name}.`
        : `${total} ${total === 1 ? "recording" : "recordings"} in ${file.name}.`,
      refused ? `${refused} not read. The first: ${firstProblem}.` : "",
      hasAnswers ? `Answers of the model ${model}.`
        : `The model ${model} reads drawings. For answers, start the studio with a model of recordings.`,
    ].filter((text) => text).join(" ");
    $("series-recordings").replaceChildren(...recordings.map(
      (recording) => figure(recording, model, (label) => labels.indexOf(label) % hues)));
  });
  return () => {};
}
