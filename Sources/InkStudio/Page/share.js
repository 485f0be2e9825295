// The owner's dialog for sharing: the code, the devices, and the link for the audience.

import { $, shape } from "./elements.js";
import { ask } from "./server.js";

/// How often the dialog asks for the state, in milliseconds.
const pause = 2000;
/// The light border around a QR code, in modules.
const quiet = 3;

const pairs = (text) => text.replace(/(...)(...)/, "$1 $2");

function showQR(place, qr) {
  place.toggleAttribute("hidden", !qr);
  if (!qr || place.dataset.path === qr.path) { return; }
  place.dataset.path = qr.path;
  const side = qr.size + 2 * quiet;
  place.setAttribute("viewBox", `${-quiet} ${-quiet} ${side} ${side}`);
  // Readers want dark on light, in the dark scheme as well.
  place.replaceChildren(
    shape("rect", { x: -quiet, y: -quiet, width: side, height: side, fill: "#fff" }),
    shape("path", { d: qr.path, fill: "#000" }));
}

function seen({ isConnected, lastSeen }) {
  if (isConnected) { return "connected"; }
  const minutes = Math.round((Date.now() - lastSeen) / 60_000);
  if (minutes < 1) { return "a moment ago"; }
  return minutes < 90 ? `${minutes} min ago` : new Date(lastSeen).toLocaleString();
}

export function beginSharing({ isShared, visitor }) {
  const dialog = $("share");
  $("share-open").hidden = !isShared || visitor !== "owner";
  $("present").hidden = !isShared || !["owner", "presenter"].includes(visitor);
  if (!isShared || visitor !== "owner") { return; }
  const place = $("share-problem");
  let timer = 0;

  async function act(path = "", method = "GET") {
    show(await ask(`/api/${path || "sharing"}`, method, undefined, { place }).catch(() => null));
  }

  function button(text, label, run) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", run);
    return made;
  }

  function item(device) {
    const line = document.createElement("li");
    const name = document.createElement("span");
    name.textContent = device.name;
    const when = document.createElement("span");
    when.className = "empty-note";
    when.textContent = seen(device);
    const presents = document.createElement("label");
    presents.className = "toggle";
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = device.isPresenter;
    box.setAttribute("aria-label", `${device.name} may present`);
    box.addEventListener("change", () => act(`devices/${device.id}/presenter?value=${box.checked}`, "POST"));
    presents.append(box, " may present");
    line.append(name, when, presents, button("Remove", `Remove ${device.name}`, () => {
      if (confirm(`Remove “${device.name}”? It has to be paired again.`)) { act(`devices/${device.id}`, "DELETE"); }
    }));
    return line;
  }

  /// What the list of devices shows; the same list keeps the focus.
  let listed = "";

  function show(state) {
    if (!state) { return; }
    const [first, ...others] = state.addresses;
    $("share-address").textContent = first;
    $("share-others").textContent = others.length ? `or ${others.join(", ")}` : "";
    $("share-code").textContent = pairs(state.code);
    $("share-time").textContent = state.pauseSeconds
      ? `Too many wrong codes: none is accepted for ${Math.ceil(state.pauseSeconds / 60)} min, or until you change it.`
      : `For one device. It changes after use, or in ${Math.ceil(state.codeSeconds / 60)} min.`;
    showQR($("share-qr"), state.qr);
    $("share-fingerprint").textContent = state.fingerprint.replaceAll(":", ":\u200b");
    const next = JSON.stringify(state.devices.map((device) => ({ ...device, lastSeen: seen(device) })));
    if (next !== listed) {
      listed = next;
      $("share-devices").replaceChildren(...state.devices.map(item));
    }
    $("share-none").hidden = state.devices.length > 0;
    const { link } = state;
    $("share-link").hidden = $("link-end").hidden = !link;
    if ($("share-link").href !== link) { $("share-link").href = $("share-link").textContent = link ?? ""; }
    showQR($("link-qr"), state.linkQR);
    $("link-make").textContent = link ? "Replace link" : "Create link";
    $("share-presented").textContent = state.presented ? `“${state.presented}” is presented.`
      : "Nothing is presented. Choose “Present document” in the menu of documents.";
    $("share-stop").hidden = !state.presented;
  }

  async function update() {
    clearTimeout(timer);
    if (!dialog.open) { return; }
    await act();
    timer = setTimeout(update, pause);
  }

  $("share-open").addEventListener("click", () => {
    dialog.showModal();
    update();
  });
  $("code-change").addEventListener("click", () => act("sharing/code", "POST"));
  $("link-make").addEventListener("click", () => act("sharing/link", "POST"));
  $("link-end").addEventListener("click", () => act("sharing/link", "DELETE"));
  $("share-stop").addEventListener("click", async () => {
    await ask("/api/presentation", "DELETE", undefined, { place }).catch(() => {});
    act();
  });
}
