import { ask, complain, drawing, Failure, listen, takeFiles } from "./server.js";
import { capture, isPalm, whenPenComes } from "./ink.js";

const $ = (id) => document.getElementById(id);
const namespace = "http://www.w3.org/2000/svg";
/// The server groups strokes, such as the two arcs of a ring, only if they were drawn on one page.
const page = crypto.randomUUID();
/// How long strokes that could not be sent wait for the next attempt, in milliseconds.
const retryPause = 3000;
/// How far a pointer may move in a tap, in pixels, and how soon a second tap follows, in milliseconds.
const tap = { length: 6, pause: 500 };
/// The file formats that a document can be saved in.
const forms = ["automaton", "jff", "dot", "txt", "json", "svg", "png"];
const nameless = "a state without a name";

function shape(kind, attributes, text) {
  const element = document.createElementNS(namespace, kind);
  for (const [name, value] of Object.entries(attributes)) { element.setAttribute(name, value); }
  if (text !== undefined) { element.textContent = text; }
  return element;
}

export async function beginEditing() {
  const svg = $("edit-drawing");
  let picture = null;
  let selected = null;
  let opening = 0;
  let run = null;
  let step = 0;
  // The visible part of the paper: its top left corner, and screen points per canvas point.
  let view = { x: 0, y: 0, zoom: 1 };
  let dragged = null;
  let pinch = null;
  const fingers = new Map();
  let queue = Promise.resolve();
  // Strokes that the server has not confirmed yet, in order, and whether the last attempt failed.
  const unsent = [];
  let isLate = false;
  // How many changes were not made because a stroke before them was not saved.
  let missed = 0;
  let retry = 0;
  const waiting = shape("path", { class: "waiting" });
  // Whether the document was deleted elsewhere.
  let isGone = false;
  let lastTap = { id: null, time: 0 };

  const at = (name, rest = "", id = undefined) => {
    const address = `/api/documents/${encodeURIComponent(name)}${rest}`;
    return id === undefined ? address
      : `${address}${rest.includes("?") ? "&" : "?"}id=${encodeURIComponent(id)}`;
  };
  // With its id, the server notices that another document has the name by now.
  const path = (rest = "") => at(picture.name, rest && `/${rest}`, picture.id);
  const paper = (event) => {
    const box = svg.getBoundingClientRect();
    return {
      x: view.x + (event.clientX - box.left) / view.zoom,
      y: view.y + (event.clientY - box.top) / view.zoom,
    };
  };

  // MARK: Sending

  /// Shows an answer, if it is about the document that is shown, whatever its name is by now.
  function take(answer) {
    if (answer.name === picture.name) { show(answer); }
    // Not awaited: opening waits for the queue.
    else if (answer.id === picture.id) { open(answer.name); }
  }

  /// Sends a change after all earlier ones; returns the document after it, or null if it was not made.
  function change(rest, body) {
    const { name, id } = picture;
    const done = queue.then(async () => {
      try { await sendStrokes(); } catch (failure) {
        if (isLate) {
          missed += 1;
          showWaiting(failure);
        }
        throw failure;
      }
      const post = (current) => ask(at(current, `/${rest}`, id), "POST", body, { retry: resume });
      const answer = await post(name).catch((failure) => {
        if (!failure.answer?.renamedTo) { throw failure; }
        return post(failure.answer.renamedTo);
      });
      if (missed) {
        missed = 0;
        showWaiting();
      }
      take(answer);
      return answer;
    });
    queue = done.catch(follow);
    return done.catch(() => null);
  }
  const command = (kind, fields) => change("command", { kind, zoom: view.zoom, ...fields });

  /// Sends a stroke, which stays in memory until the server has answered.
  function send(rest, stroke) {
    unsent.push({
      name: picture.name, id: picture.id, rest, points: stroke.map(({ x, y }) => [x, y]),
      // By its id the server knows a stroke that is sent again because its answer was lost.
      body: { drawing: drawing([stroke]), zoom: view.zoom, page, stroke: crypto.randomUUID() },
    });
    showWaiting();
    queue = queue.then(sendStrokes).catch(follow);
  }

  async function sendStrokes() {
    clearTimeout(retry);
    while (unsent.length) {
      const [stroke] = unsent;
      let answer;
      try {
        answer = await ask(at(stroke.name, `/${stroke.rest}`, stroke.id), "POST", stroke.body, { place: null });
      } catch (failure) {
        const { renamedTo } = failure.answer;
        if (renamedTo) {
          for (const one of unsent) { if (one.id === stroke.id) { one.name = renamedTo; } }
          continue;
        }
        isLate = failure.isTemporary;
        showWaiting(failure);
        if (isLate) {
          retry = setTimeout(() => { queue = queue.then(sendStrokes).catch(follow); }, retryPause);
          throw failure;
        }
        if (failure.status === 404 && stroke.id === picture.id) { throw failure; }
        // The server has no use for this stroke; the next may be fine.
        unsent.shift();
        showWaiting();
        complain(failure.message);
        continue;
      }
      unsent.shift();
      const wasLate = isLate;
      isLate = false;
      showWaiting();
      take(answer);
      if (wasLate) { hear(path("versions")); }
    }
  }

  /// Shows the strokes that are not sent yet, marked if the server did not take them.
  function showWaiting(failure = undefined) {
    const here = unsent.filter((stroke) => stroke.id === picture.id);
    waiting.setAttribute("d", here.map(
      ({ points }) => `M${points.map((p) => p.join(" ")).join("L")}`).join(""));
    waiting.classList.toggle("late", isLate);
    if (isGone) { return; }
    const lost = missed ? `${missed === 1 ? "1 change was" : `${missed} changes were`} not made, because a stroke `
      + "before it was not saved yet. Make it again when all strokes are saved." : "";
    if (!isLate && !lost) { return notice(""); }
    if (!isLate) {
      return notice(lost, "Hide message", () => {
        missed = 0;
        notice("");
      });
    }
    const count = unsent.length === 1 ? "1 stroke is" : `${unsent.length} strokes are`;
    if (failure) {
      notice(`${failure.message} ${count} not saved yet and kept on this page. ${lost}`, "Try again", resume);
    }
  }

  /// Shows a sentence and a button over the drawing.
  function notice(text, label = undefined, act = undefined) {
    const box = $("edit-notice");
    box.hidden = !text;
    box.replaceChildren(text);
    if (!label) { return; }
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", act);
    box.append(" ", button);
  }

  /// Sends what is waiting, and shows the document as it is now.
  function resume() {
    queue = queue.then(sendStrokes).then(load).then(() => hear(path("versions"))).catch(follow);
    return queue;
  }

  /// After a failure: opens a document by its new name, or says that it is gone.
  function follow(failure) {
    if (!(failure instanceof Failure)) { return reportError(failure); }
    const { renamedTo, isDeleted } = failure.answer;
    if (failure.status !== 404) { return; }
    complain("");
    if (renamedTo) {
      open(renamedTo);
    } else {
      leave(isDeleted ? `“${picture.name}” was deleted in another window.` : failure.message);
    }
  }

  /// Ends the work on a document that is gone.
  function leave(text) {
    isGone = true;
    hear(null);
    notice(text, "Open another document", () => {
      unsent.splice(0);
      open(null);
    });
  }

  const elementNow = () =>
    [...picture.states, ...picture.transitions].find((element) => element.id === selected);

  // MARK: Showing

  function show(next) {
    // The offer to convert a stroke ends with the next change.
    if (!next.decision && next.version !== picture?.version) { $("edit-decision").replaceChildren(); }
    picture = next;
    const isThere = (id) => [...picture.states, ...picture.transitions].some((e) => e.id === id);
    if (selected && !isThere(selected)) { selected = null; }
    if (dragged && dragged.kind !== "pan" && !isThere(dragged.id)) { dragged = null; }
    if (run && (run.version !== picture.version || run.name !== picture.name)) { endRun(); }
    draw();
    if (next.decision) { tell(next.decision); }
    $("edit-undo").disabled = !picture.canUndo;
    $("edit-redo").disabled = !picture.canRedo;
    $("edit-empty").hidden = picture.states.length + picture.transitions.length > 0;
    const items = [
      ...picture.errors.map((text) => ["error", text]),
      ...picture.warnings.map((text) => ["", text]),
    ];
    items.push(picture.isDeterministic ? ["good", "The automaton is deterministic."]
      : ["", "The automaton is not deterministic."]);
    $("edit-findings").replaceChildren(...items.map(([kind, text]) => {
      const item = document.createElement("li");
      item.className = kind;
      item.textContent = text;
      return item;
    }));
    showAlphabet();
    showSelection();
  }

  /// The symbols that were given; those that only transitions have are shown beside the field, so that they go
  /// with their transitions.
  function showAlphabet() {
    const others = $("alphabet-others");
    others.textContent = `Symbols of the transitions: ${picture.otherSymbols}`;
    others.hidden = !picture.otherSymbols;
    // What is being typed stays.
    if (document.activeElement === $("alphabet-symbols")) { return; }
    $("alphabet-symbols").value = picture.typedAlphabet;
  }

  function draw() {
    const box = svg.getBoundingClientRect();
    svg.setAttribute("viewBox",
      `${view.x} ${view.y} ${box.width / view.zoom} ${box.height / view.zoom}`);
    const lit = new Set();
    if (run) {
      run.steps[step].states.forEach((id) => lit.add(id));
      run.steps[step].transitions.forEach((id) => lit.add(id));
    }
    const group = (id) => shape("g", {
      "data-id": id, class: [selected === id ? "selected" : "", lit.has(id) ? "lit" : ""].join(" "),
    });
    const lines = picture.transitions.map((transition) => {
      const g = group(transition.id);
      g.append(
        shape("path", { class: "target", d: transition.line }),
        shape("path", { class: `line${transition.isDangling ? " dangling" : ""}`, d: transition.line }),
        shape("path", { class: "line", d: transition.head }));
      if (transition.text) {
        g.append(shape("text", transition.label, transition.text));
      }
      return g;
    });
    const circles = picture.states.map((state) => {
      const g = group(state.id);
      const at = { cx: state.center.x, cy: state.center.y };
      g.append(shape("circle", { class: "target", ...at, r: state.radius }));
      for (const r of state.rings) { g.append(shape("circle", { class: "line", fill: "none", ...at, r })); }
      const text = shape("text", { x: state.center.x, y: state.center.y }, state.name);
      text.style.fontSize = `${24 * state.textScale}px`;
      g.append(text);
      return g;
    });
    svg.replaceChildren(...lines, ...circles, ...handles(), waiting);
  }

  // The places at which the selected element can be dragged.
  function handles() {
    const state = picture.states.find((e) => e.id === selected);
    const transition = picture.transitions.find((e) => e.id === selected);
    const places = [];
    if (state) {
      // Behind the name, and clear of the inner ring that makes a state final.
      places.push(["moveState", state.center, Math.min(18 / view.zoom, 0.55 * state.radius)]);
      places.push(["resizeState", { x: state.center.x + state.radius, y: state.center.y }]);
    }
    if (transition) {
      places.push([transition.isLoop ? "turnLoop" : "bend", transition.handle]);
      if (transition.ends.length) {
        places.push(["moveStart", transition.ends[0]], ["moveTip", transition.ends[1]]);
      }
    }
    return places.map(([kind, place, r = 11 / view.zoom]) => shape("circle", {
      class: "handle", "data-handle": kind, cx: place.x, cy: place.y, r,
    }));
  }

  function tell(decision) {
    const box = $("edit-decision");
    box.className = `decision${decision.isRefused ? " refused" : ""}`;
    const text = document.createElement("span");
    text.textContent = decision.text;
    box.replaceChildren(text, ...decision.instead.map((label) => {
      const button = document.createElement("button");
      button.textContent = `Make it a ${label}`;
      button.addEventListener("click", () => {
        box.replaceChildren();
        svg.focus({ preventScroll: true });
        change(`instead?label=${label}`);
      });
      return button;
    }));
  }

  function showSelection() {
    const form = $("edit-selection");
    const state = picture.states.find((e) => e.id === selected);
    const transition = picture.transitions.find((e) => e.id === selected);
    const fields = $("selection-fields");
    if (form.dataset.id !== (selected ?? "")) { $("selection-said").textContent = ""; }
    $("selection-none").hidden = state || transition;
    if (!state && !transition) {
      form.dataset.id = form.dataset.content = "";
      $("selection-title").textContent = "No element selected";
      const hadFocus = fields.contains(document.activeElement);
      fields.replaceChildren();
      if (hadFocus) { svg.focus({ preventScroll: true }); }
      return;
    }
    const focused = fields.contains(document.activeElement) ? document.activeElement.id : null;
    // What is being typed stays.
    const isSame = form.dataset.id === selected && focused !== null;
    if (isSame && document.activeElement.matches("input:not([type])")) { return; }
    // Fields stay as long as they show what is there.
    const content = JSON.stringify([state ?? transition, picture.states.map(({ id, name }) => [id, name])]);
    if (form.dataset.content === content) { return; }
    Object.assign(form.dataset, { id: selected, content });
    // Enter leaves a field and takes the value over, as leaving it in another way does; Escape restores it.
    const field = (id, name, value, done, hint = "") => {
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.value = value;
      input.id = `field-${id}`;
      input.autocomplete = "off";
      input.spellcheck = false;
      input.placeholder = hint;
      label.append(name, input);
      input.addEventListener("keydown", (event) => {
        if (event.key === "Escape") { input.value = value; }
        if (event.key === "Enter") {
          event.preventDefault();
          event.stopPropagation();
          svg.focus({ preventScroll: true });
        }
      });
      input.addEventListener("blur", () => { if (input.value !== String(value)) { done(input); } });
      return label;
    };
    const check = (id, name, value, done) => {
      const label = document.createElement("label");
      label.className = "check";
      const input = document.createElement("input");
      input.type = "checkbox";
      input.checked = value;
      input.id = `field-${id}`;
      input.addEventListener("change", async () => { if (!await done(input.checked)) { input.checked = value; } });
      label.append(input, name);
      return label;
    };
    const button = (id, name, done) => {
      const element = document.createElement("button");
      element.type = "button";
      element.id = `field-${id}`;
      element.textContent = name;
      element.addEventListener("click", done);
      return element;
    };
    const choice = (id, name, options) => {
      const select = document.createElement("select");
      select.id = `field-${id}`;
      select.setAttribute("aria-label", name);
      select.append(...options);
      return select;
    };
    // The state at one end of a transition, for those who do not drag it. The state at the other end is not
    // among the choices: a self-loop has a shape of its own and is added at its state.
    const end = (name, kind, chosen, other) => {
      const label = document.createElement("label");
      const states = picture.states.filter((to) => to.id !== other);
      const select = choice(name.toLowerCase(), name, states.map(
        (to) => new Option(to.name || nameless, to.id, false, to.id === chosen)));
      if (!chosen) { select.prepend(new Option("no state", "", true, true)); }
      select.addEventListener("change", () => {
        const to = picture.states.find((s) => s.id === select.value);
        if (to) { command(kind, { id: transition.id, place: to.center }); }
      });
      label.append(name, select);
      return label;
    };
    // A field that is still there after its change was refused shows the old value again.
    const replace = async (input, value, changed) => {
      await changed;
      if (document.activeElement !== input) { input.value = value; }
    };
    if (state) {
      $("selection-title").textContent = state.name ? `State ${state.name}` : "State without a name";
      const targets = choice("target", "New transition to", [
        ...picture.states.filter((to) => to.id !== state.id).map((to) => new Option(to.name || nameless, to.id)),
        new Option("itself (self-loop)", state.id),
      ]);
      const row = document.createElement("span");
      row.className = "row wrap";
      row.append(targets, button(
        "connect", "Add transition", () => command("connect", { id: state.id, to: targets.value })));
      const add = document.createElement("div");
      add.className = "field";
      add.append("New transition to", row);
      fields.replaceChildren(
        field("name", "Name", state.name, (input) => replace(
          input, state.name, command("rename", { id: state.id, text: input.value }))),
        field("radius", "Radius", Math.round(state.radius), (input) => replace(
          input, Math.round(state.radius), command("resizeState", { id: state.id, radius: Number(input.value) }))),
        check("final", "Final", state.isFinal, (value) => command("setFinal", { id: state.id, value })),
        check("initial", "Initial", state.isInitial, (value) => command("setInitial", { id: state.id, value })),
        add);
    } else {
      const symbols = document.createElement("p");
      symbols.className = "row wrap";
      symbols.append(...transition.symbols.map((text) => {
        const remove = button(
          `remove-${text}`, `${text} ×`, () => command("removeSymbol", { id: transition.id, text }));
        remove.setAttribute("aria-label", `Remove ${text}`);
        return remove;
      }));
      $("selection-title").textContent =
        transition.isInitialMarker ? "Initial arrow" : transition.isLoop ? "Self-loop" : "Transition";
      fields.replaceChildren(...transition.isInitialMarker ? [] : [
        symbols,
        field("symbol", "Add symbols", "", (input) => addSymbols(transition, input), "a, b or ε"),
        check("ε", "ε (the empty word)", transition.includesEpsilon,
          (value) => command("setEpsilon", { id: transition.id, value })),
      ]);
      if (!transition.isLoop) {
        if (!transition.isInitialMarker) {
          fields.append(end("From", "moveStart", transition.start, transition.end));
        }
        fields.append(end("To", "moveTip", transition.end, transition.start));
      }
      fields.append(button("reverse", "Reverse direction", () => command("flip", { id: transition.id })));
    }
    fields.append(button("delete", state ? "Delete state" : "Delete transition",
      () => command("delete", { id: selected })));
    if (state) {
      fields.append(button("delete-all", "Delete state and transitions",
        () => command("delete", { id: selected, value: true })));
    }
    if (focused) { document.getElementById(focused)?.focus(); }
  }

  /// Sends what was typed to the server's parser, and shows what was understood.
  async function addSymbols({ id }, input) {
    const before = picture.transitions.find((transition) => transition.id === id);
    const text = input.value;
    input.value = "";
    if (!before || !text.trim()) { return; }
    const said = $("selection-said");
    said.textContent = "";
    const answer = await command("addSymbol", { id, text });
    if (selected !== id) { return; }
    const now = answer?.transitions.find((transition) => transition.id === id);
    if (!now) {
      // It can be corrected.
      const field = $("field-symbol");
      if (field) { field.value = text; }
      return;
    }
    const added = now.symbols.filter((symbol) => !before.symbols.includes(symbol));
    if (now.includesEpsilon && !before.includesEpsilon) { added.push("ε (the empty word)"); }
    said.textContent = added.length ? `Added: ${added.join(", ")}.`
      : "Nothing added: the transition has these symbols already.";
  }

  /// Moves the keyboard to the selected element's name or symbols.
  function editText() {
    const input = $("selection-fields").querySelector("#field-name, #field-symbol");
    input?.focus();
    input?.select();
  }

  /// What an element is, for those who hear it.
  function words(element) {
    const name = (id) => picture.states.find((s) => s.id === id)?.name || (id ? nameless : "no state");
    if (!element) { return "No element selected"; }
    if (element.center) {
      return `${element.name ? `state ${element.name}` : nameless}${element.isInitial ? ", initial" : ""}${
        element.isFinal ? ", final" : ""}`;
    }
    return element.isInitialMarker ? `initial arrow of ${name(element.end)}`
      : `transition from ${name(element.start)} to ${name(element.end)}, ${element.text || "no symbols"}`;
  }

  // MARK: Pen and hand

  // Touches that came before the pen were palms: they move nothing. This listener comes before
  // the one that draws, so that the first stroke of the pen begins.
  whenPenComes(svg, () => {
    const isMoving = pinch || dragged?.pointerType === "touch";
    fingers.clear();
    if (!isMoving) { return; }
    if (pinch) { ({ view } = pinch); }
    pinch = null;
    if (dragged?.pointerType === "touch") { dragged = null; }
    draw();
  });

  const ink = capture(svg, $("edit-ink"), {
    place: paper,
    begins: (event) => picture && !isGone && !event.target.dataset?.handle && !event.shiftKey && !pinch,
    done: (stroke) => {
      const length = stroke.slice(1).reduce(
        (sum, p, i) => sum + Math.hypot(p.sx - stroke[i].sx, p.sy - stroke[i].sy), 0);
      // A tap selects; drawing draws.
      if (length < tap.length) { return select(stroke[0]); }
      $("edit-decision").replaceChildren();
      send($("edit-erase").checked ? `erase?attached=${$("edit-attached").checked}` : "stroke", stroke);
    },
  });

  function choose(id) {
    selected = id;
    draw();
    showSelection();
    $("edit-said").textContent = words(elementNow());
  }

  /// Selects what was tapped; a second tap on it edits its name or symbols.
  function select(point) {
    const under = picture.states.find(
      (s) => Math.hypot(s.center.x - point.x, s.center.y - point.y) <= s.radius);
    let id = under?.id ?? null;
    if (!id) {
      const probe = svg.createSVGPoint();
      [probe.x, probe.y] = [point.x, point.y];
      for (const g of svg.querySelectorAll("g[data-id]")) {
        if (g.querySelector("path.target")?.isPointInStroke(probe)) { id = g.dataset.id; }
      }
    }
    choose(id);
    const isSecond = id && id === lastTap.id && point.time - lastTap.time < tap.pause;
    lastTap = isSecond ? { id: null, time: 0 } : { id, time: point.time };
    if (isSecond) { editText(); }
  }

  svg.addEventListener("pointerdown", (event) => {
    const kind = event.target.dataset?.handle;
    if (dragged || isGone || event.button !== 0 || isPalm(event)) { return; }
    if (!kind && !event.shiftKey) { return; }
    dragged = {
      kind: kind ?? "pan", id: selected, pointer: event.pointerId, pointerType: event.pointerType,
      from: { x: event.clientX, y: event.clientY }, view: { ...view },
    };
    event.preventDefault();
    // Keys act on the drawing from now on.
    svg.focus({ preventScroll: true });
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (dragged?.pointer !== event.pointerId) { return; }
    if (dragged.kind === "pan") {
      view.x = dragged.view.x - (event.clientX - dragged.from.x) / view.zoom;
      view.y = dragged.view.y - (event.clientY - dragged.from.y) / view.zoom;
      return draw();
    }
    const place = paper(event);
    if (dragged.kind === "moveState") {
      const { center } = picture.states.find((s) => s.id === dragged.id);
      svg.querySelector(`g[data-id="${CSS.escape(dragged.id)}"]`)?.setAttribute(
        "transform", `translate(${place.x - center.x} ${place.y - center.y})`);
    }
    const handle = svg.querySelector(`[data-handle=${dragged.kind}]`);
    handle?.setAttribute("cx", place.x);
    handle?.setAttribute("cy", place.y);
  });
  for (const lost of ["pointercancel", "lostpointercapture"]) {
    svg.addEventListener(lost, (event) => {
      if (dragged?.pointer !== event.pointerId) { return; }
      dragged = null;
      draw();
    });
  }
  svg.addEventListener("pointerup", (event) => {
    if (dragged?.pointer !== event.pointerId) { return; }
    const { kind, id, from } = dragged;
    dragged = null;
    if (kind === "pan") { return; }
    const place = paper(event);
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < tap.length) {
      // A tap on the middle of an element is one on the element.
      return select({ ...place, time: performance.timeOrigin + event.timeStamp });
    }
    if (kind === "resizeState") {
      const { center } = picture.states.find((s) => s.id === id);
      command(kind, { id, radius: Math.hypot(place.x - center.x, place.y - center.y) });
    } else {
      command(kind, { id, place });
    }
  });

  // Two fingers move and enlarge the paper.
  const pinchNow = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  };
  const fingerAt = (event) => {
    const box = svg.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" || isPalm(event)) { return; }
    fingers.set(event.pointerId, fingerAt(event));
    if (fingers.size === 2) {
      ink.cancel();
      dragged = null;
      pinch = { ...pinchNow(), view };
    }
  });
  svg.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) { return; }
    fingers.set(event.pointerId, fingerAt(event));
    if (!pinch || fingers.size !== 2) { return; }
    const now = pinchNow();
    const next = Math.min(4, Math.max(0.1, pinch.view.zoom * now.distance / pinch.distance));
    // What was between the fingers stays there.
    view = {
      x: pinch.view.x + pinch.x / pinch.view.zoom - now.x / next,
      y: pinch.view.y + pinch.y / pinch.view.zoom - now.y / next, zoom: next,
    };
    draw();
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    svg.addEventListener(kind, (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size === 0) { pinch = null; }
    });
  }

  function zoom(factor, x, y) {
    const box = svg.getBoundingClientRect();
    const [sx, sy] = [x ?? box.width / 2, y ?? box.height / 2];
    const next = Math.min(4, Math.max(0.1, view.zoom * factor));
    view = {
      x: view.x + sx / view.zoom - sx / next, y: view.y + sy / view.zoom - sy / next, zoom: next,
    };
    draw();
  }
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    } else {
      view.x += event.deltaX / view.zoom;
      view.y += event.deltaY / view.zoom;
      draw();
    }
  }, { passive: false });

  function fit() {
    const box = svg.getBoundingClientRect();
    if (!picture.states.length) {
      view = { x: 0, y: 0, zoom: 1 };
      return draw();
    }
    const xs = picture.states.flatMap((s) => [s.center.x - s.radius, s.center.x + s.radius]);
    const ys = picture.states.flatMap((s) => [s.center.y - s.radius, s.center.y + s.radius]);
    for (const t of picture.transitions) {
      for (const p of [t.label, ...t.ends]) { xs.push(p.x); ys.push(p.y); }
    }
    const [left, top] = [Math.min(...xs) - 40, Math.min(...ys) - 40];
    const [width, height] = [Math.max(...xs) + 40 - left, Math.max(...ys) + 40 - top];
    const scale = Math.min(1.5, box.width / width, box.height / height);
    view = {
      zoom: scale, x: left - (box.width / scale - width) / 2, y: top - (box.height / scale - height) / 2,
    };
    draw();
  }

  function showErase() { $("edit-attached-label").hidden = !$("edit-erase").checked; }

  // MARK: Without a pen

  function addState() {
    const box = svg.getBoundingClientRect();
    const radius = 60;
    // Beside the existing states.
    let x = view.x + box.width / view.zoom / 2;
    const y = view.y + box.height / view.zoom / 2;
    while (picture.states.some((s) => Math.hypot(s.center.x - x, s.center.y - y) < s.radius + radius)) {
      x += 3 * radius;
    }
    command("addState", { place: { x, y } });
  }

  function chooseNext(step) {
    const all = [...picture.states, ...picture.transitions];
    if (!all.length) { return; }
    const at = all.findIndex((element) => element.id === selected);
    choose(all[(at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step + all.length) % all.length].id);
  }

  function move(dx, dy) {
    const element = elementNow();
    if (!element) { return; }
    const from = element.center ?? element.handle;
    const place = { x: from.x + dx, y: from.y + dy };
    const kind = element.center ? "moveState" : element.isLoop ? "turnLoop" : "bend";
    command(kind, { id: element.id, place });
  }

  function press(event) {
    const element = elementNow();
    const length = event.shiftKey ? 2 : 20;
    const remove = () => element && command("delete", { id: element.id });
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const keys = {
      Delete: remove,
      Backspace: remove,
      Escape: () => choose(null),
      Enter: editText,
      F2: editText,
      e: () => {
        $("edit-erase").checked = !$("edit-erase").checked;
        showErase();
      },
      n: () => chooseNext(event.shiftKey ? -1 : 1),
      s: addState,
      f: () => element?.center && command("setFinal", { id: element.id, value: !element.isFinal }),
      i: () => element?.center && command("setInitial", { id: element.id, value: !element.isInitial }),
      r: () => element && !element.center && command("flip", { id: element.id }),
      w: () => $("run-word").focus(),
      ".": () => $("step-on").click(),
      ",": () => $("step-back").click(),
      "+": () => zoom(1.25), "-": () => zoom(0.8), 0: fit,
    };
    const action = arrows[event.key]
      ? () => move(arrows[event.key][0] * length, arrows[event.key][1] * length)
      : keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) { return; }
    event.preventDefault();
    action();
  }

  // MARK: Running

  function endRun() {
    run = null;
    $("run-tape").replaceChildren();
    $("run-step").textContent = "";
    $("run-result").textContent = "No word run yet.";
    $("run-result").className = "";
    $("step-back").disabled = $("step-on").disabled = true;
  }

  function showStep() {
    $("run-tape").replaceChildren(...run.symbols.map((symbol, index) => {
      const cell = document.createElement("span");
      cell.textContent = symbol;
      cell.className = index < step ? "read" : index === step ? "now" : "";
      return cell;
    }));
    $("step-back").disabled = step === 0;
    $("step-on").disabled = step >= run.steps.length - 1;
    const names = run.steps[step].states.map(
      (id) => picture.states.find((s) => s.id === id)?.name || nameless);
    $("run-step").textContent =
      `${step} of ${run.symbols.length} symbols read. ${
        names.length ? `Current ${names.length > 1 ? "states" : "state"}: ${names.join(", ")}.` : "No state is active."}`;
    draw();
  }

  $("run-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await queue;
    endRun();
    draw();
    $("run-result").textContent = "";
    const { name, version } = picture;
    const answer = await asking(path("run"), "POST", { word: $("run-word").value });
    if (name !== picture.name || version !== picture.version) { return; }
    const result = $("run-result");
    result.textContent = answer.isAccepted ? "Accepted" : `Rejected: ${answer.reason}`;
    result.className = answer.isAccepted ? "accepted" : "rejected";
    run = { ...answer, name, version };
    step = 0;
    showStep();
  });
  $("step-on").addEventListener("click", () => { step += 1; showStep(); });
  $("step-back").addEventListener("click", () => { step -= 1; showStep(); });

  // MARK: Documents

  /// Asks for what concerns the document that is shown, and follows it if it was renamed or deleted.
  async function asking(address, method = "GET", body = undefined) {
    try { return await ask(address, method, body, { retry: resume }); } catch (failure) {
      follow(failure);
      throw failure;
    }
  }

  async function load() { take(await ask(path(), "GET", undefined, { retry: resume })); }

  /// Shows the document as it is after all changes of this page.
  function refresh() { queue = queue.then(load).catch(follow); }

  // Another window may change the document as well, rename it or delete it.
  const hear = listen($("edit"), async (event) => {
    await queue;
    if (event.name === picture.name && event.version !== picture.version) { refresh(); }
  }, {
    renamed: (name) => open(name),
    deleted: (name) => leave(`“${name}” was deleted in another window.`),
  }, () => { if (!isLate) { refresh(); } });

  /// Shows a document; without a name, the first one, or a new one if there is none.
  async function open(wish) {
    opening += 1;
    const turn = opening;
    await queue;
    const names = await ask("/api/documents", "GET", undefined, { retry: begin });
    if (wish && !names.includes(wish)) {
      const renamedTo = await ask(at(wish), "GET", undefined, { place: null })
        .catch((failure) => failure.answer.renamedTo);
      if (typeof renamedTo === "string") { return open(renamedTo); }
    }
    const name = names.includes(wish) ? wish : names[0];
    const next = name === undefined ? await ask("/api/documents", "POST", undefined, { retry: begin })
      : await ask(at(name), "GET", undefined, { retry: begin });
    // Another one was chosen meanwhile.
    if (turn !== opening) { return; }
    const isSame = next.id === picture?.id;
    isGone = false;
    if (!isSame) {
      missed = 0;
      endRun();
      selected = null;
      $("edit-decision").replaceChildren();
    }
    const all = [...new Set([...names, next.name])];
    $("edit-name").replaceChildren(...all.map((text) => new Option(text, text, false, text === next.name)));
    show(next);
    showWaiting();
    localStorage.setItem("document", next.name);
    if (!isSame) { fit(); }
    $("edit-files").replaceChildren(...forms.map((form) => {
      const link = document.createElement("a");
      link.href = path(`file?form=${form}`);
      link.download = "";
      link.textContent = form;
      link.setAttribute("aria-label", `Save as ${form}`);
      return link;
    }));
    hear(path("versions"));
  }

  $("edit-name").addEventListener("change", (event) => open(event.target.value));
  $("edit-new").addEventListener("click", async () => {
    await queue;
    open((await ask("/api/documents", "POST")).name);
  });
  $("edit-rename").addEventListener("click", async () => {
    const name = window.prompt(`New name of “${picture.name}”`, picture.name)?.trim();
    if (name && name !== picture.name) {
      await queue;
      hear(null);
      try { open(await asking(path(`rename?to=${encodeURIComponent(name)}`), "POST")); } catch {
        hear(path("versions"));
      }
    }
  });
  $("edit-delete").addEventListener("click", async () => {
    if (!window.confirm(`Delete “${picture.name}”? The file moves to the folder “deleted”.`)) { return; }
    await queue;
    hear(null);
    try { await asking(path(), "DELETE"); } catch { return hear(path("versions")); }
    open(null);
  });
  $("edit-add").addEventListener("click", () => addState());
  $("edit-undo").addEventListener("click", () => change("undo"));
  $("edit-redo").addEventListener("click", () => change("redo"));
  $("edit-erase").addEventListener("change", showErase);
  $("edit-clear").addEventListener("click", () => command("clear", {}));
  $("zoom-in").addEventListener("click", () => zoom(1.25));
  $("zoom-out").addEventListener("click", () => zoom(0.8));
  $("zoom-fit").addEventListener("click", fit);
  for (const kind of ["determinize", "minimize", "complement"]) {
    $(`make-${kind}`).addEventListener("click", async () => {
      await queue;
      open(await asking(path(kind), "POST"));
    });
  }
  takeFiles($("edit"), $("edit-open"), async (file) => {
    const dot = file.name.lastIndexOf(".");
    if (dot < 1) { return complain("Choose a file whose name ends in .automaton, .jff, .dot, .txt or .json."); }
    const [stem, form] = [file.name.slice(0, dot), file.name.slice(dot + 1)];
    open(await ask(
      `/api/documents/${encodeURIComponent(stem)}/open?form=${encodeURIComponent(form)}`, "POST", file));
  });
  $("alphabet-form").addEventListener("submit", (event) => {
    event.preventDefault();
    svg.focus({ preventScroll: true });
    command("setAlphabet", { text: $("alphabet-symbols").value });
  });
  window.addEventListener("beforeunload", (event) => { if (isLate) { event.preventDefault(); } });
  document.addEventListener("keydown", (event) => {
    if ($("edit").hidden || !picture) { return; }
    const isTyping = event.target.matches("input:not([type=checkbox]), select");
    if (isTyping && event.key === "Escape") { svg.focus(); }
    if (isTyping || event.altKey) { return; }
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() === "z") {
        event.preventDefault();
        change(event.shiftKey ? "redo" : "undo");
      }
    } else if (event.key !== "Enter" || event.target === svg || event.target === document.body) {
      press(event);
    }
  });
  new ResizeObserver(() => { if (picture) { draw(); } }).observe(svg);
  const begin = () => open(localStorage.getItem("document")).catch(() => {});
  // A problem is shown; the page tries again when it is shown again.
  await begin();
  return () => { if (!picture) { begin(); } };
}
