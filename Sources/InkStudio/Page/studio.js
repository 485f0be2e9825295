// Chooses the page that is shown. Each one starts when it is first shown.

import { beginMenus } from "./menus.js";
import { ask, showModel } from "./server.js";
import { beginEditing } from "./edit.js";
import { beginRecording } from "./record.js";
import { beginRecognizing } from "./recognize.js";
import { beginTraining } from "./train.js";
import { beginSeries } from "./series.js";
import { beginPractice } from "./practice.js";
import { beginSharing } from "./share.js";

const pages = {
  edit: beginEditing, record: beginRecording, recognize: beginRecognizing, train: beginTraining,
  series: beginSeries, practice: beginPractice,
};
const begun = {};

function show(constants) {
  // A link that contains a document opens the page Edit, which is also the usual one.
  const wish = location.hash.slice(1);
  const isForOwner = document.querySelector(`nav a[href="#${CSS.escape(wish)}"]`)?.matches("[data-owner]");
  const name = pages[wish] && (!isForOwner || constants.visitor === "owner") ? wish : "edit";
  document.body.dataset.page = name;
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = section.id !== name;
  }
  for (const link of document.querySelectorAll("nav a")) {
    const isShown = link.hash === `#${name}`;
    if (isShown) { link.setAttribute("aria-current", "page"); } else { link.removeAttribute("aria-current"); }
    if (isShown) { document.getElementById("page-name").textContent = link.textContent; }
  }
  // The function that a page returns is called whenever the page is shown again.
  if (begun[name]) { begun[name].then((again) => again()); } else { begun[name] = pages[name](constants); }
}

/// Requests the constants of the server, then starts.
async function begin() {
  let constants;
  try { constants = await ask("/api/constants", "GET", undefined, { retry: begin }); } catch {
    // The problem is shown, with a button that tries again.
    return;
  }
  // Drawings look as in the pictures that they are saved as.
  const { style } = document.documentElement;
  style.setProperty("--line-width", constants.lineWidth);
  style.setProperty("--halo-width", constants.haloWidth);
  style.setProperty("--text-size", `${constants.textSize}px`);
  style.setProperty("--dashes", constants.dashes.join(" "));
  document.body.dataset.visitor = constants.visitor;
  beginSharing(constants);
  window.addEventListener("hashchange", () => show(constants));
  show(constants);
  showModel();
}

beginMenus();
// The page keeps the token (server.js), which does not stay in the address.
history.replaceState(null, "", location.pathname + location.hash);
begin();
