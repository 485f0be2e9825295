// The presentation: the audience sees the document and the step that are shown here.

import { $ } from "../elements.js";
import { ask } from "../server.js";

export function makePresenter(editor) {
  let isOn = false;
  // What was sent last, and the request that is under way; in between, only the last state counts.
  let sent = "";
  let sending = null;

  const now = () => {
    const { picture, run, step } = editor;
    return JSON.stringify({ name: picture.name, id: picture.id, symbols: run?.symbols, step: run ? step : 0 });
  };

  /// Tells the audience what is shown, if that has changed.
  function tell() {
    if (!isOn || !editor.picture || editor.isGone || sending || now() === sent) { return; }
    sent = now();
    sending = ask("/api/presentation", "POST", JSON.parse(sent), { retry: again }).catch(() => {})
      .finally(() => {
        sending = null;
        tell();
      });
  }

  function again() {
    sent = "";
    tell();
  }

  function setOn(value) {
    isOn = value;
    document.body.toggleAttribute("data-presenting", isOn);
    $("present-end").hidden = !isOn;
    if (isOn) {
      editor.selection.set([]);
      editor.tools.choose("pen");
      editor.canvas.fit();
      again();
    } else {
      sent = "";
      ask("/api/presentation", "DELETE").catch(() => {});
      editor.canvas.look();
    }
  }

  $("present").addEventListener("click", () => setOn(true));
  $("present-end").addEventListener("click", () => setOn(false));
  return { tell, get isOn() { return isOn; }, end: () => setOn(false) };
}
