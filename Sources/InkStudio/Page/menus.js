// Menus: popovers below their buttons, with arrow keys; a choice closes them.

import { $ } from "./elements.js";

/// The distance between a menu and its button, and the edges of the window, in pixels.
const gap = 6;

const buttonOf = (menu) => document.querySelector(`[popovertarget="${menu.id}"]`);

/// Puts a menu below its button, inside the window.
function place(menu) {
  const button = buttonOf(menu).getBoundingClientRect();
  const top = button.bottom + gap;
  menu.style.top = `${top}px`;
  menu.style.maxHeight = `${innerHeight - top - gap}px`;
  menu.style.left = `${Math.max(gap, Math.min(button.left, innerWidth - menu.offsetWidth - gap))}px`;
}

function step(menu, event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || event.target.matches("select, textarea")) { return; }
  const items = [...menu.querySelectorAll("a, button, input, select")].filter((item) => !item.disabled);
  event.preventDefault();
  items.at((items.indexOf(event.target) + by) % items.length)?.focus();
}

/// Makes all menus of the page work.
export function beginMenus() {
  for (const menu of document.querySelectorAll(".menu[popover]")) {
    menu.addEventListener("toggle", ({ newState }) => {
      buttonOf(menu).setAttribute("aria-expanded", newState === "open");
      if (newState === "open") { place(menu); }
    });
    menu.addEventListener("keydown", (event) => step(menu, event));
    menu.addEventListener("click", (event) => {
      const choice = event.target.closest("a, button");
      if (choice && !("stays" in choice.dataset)) { closeMenu(menu.id); }
    });
  }
  addEventListener("resize", () => {
    for (const menu of document.querySelectorAll(".menu:popover-open")) { place(menu); }
  });
}

/// Closes a menu if it is open.
export function closeMenu(id) {
  if ($(id).matches(":popover-open")) { $(id).hidePopover(); }
}
