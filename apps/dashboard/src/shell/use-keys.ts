import { useEffect } from "preact/hooks";
import { isFrozen } from "../feeds/attention.js";
import { liveMode } from "../feeds/live-mode.js";
import { remembered } from "../memory/remembered.js";
import { switchZone } from "../time/zone.js";
import { commandOf, type KeyCommand } from "./keys.js";
import { overlay } from "./overlays.js";

/** Whether single letters act. */
export const letters = remembered<"on" | "off">("letters", ["on", "off"]);

/** Lets the keyboard act on the page while the frame is shown. */
export function useKeys(): void {
  useEffect(() => {
    let leaderAt: number | null = null;
    const hear = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
      const place = { ...focusPlace(event.target), hasLetters: letters.peek() === "on", leaderAt };
      const command = commandOf(event, place, event.timeStamp);
      leaderAt = command === "leader" ? event.timeStamp : null;
      if (command === null || command === "leader") return;
      if (run(command)) event.preventDefault();
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, []);
}

function focusPlace(target: EventTarget | null): { isInField: boolean; isOnControl: boolean } {
  const element = target instanceof Element ? target : null;
  return {
    isInField:
      element?.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") != null,
    isOnControl: element?.closest("button, summary, input") != null,
  };
}

/** False: there is nothing here for it to act on. */
function run(command: KeyCommand): boolean {
  switch (command.do) {
    case "palette":
      overlay.value = "palette";
      return true;
    case "help":
      overlay.value = "keys";
      return true;
    case "zone":
      switchZone();
      return true;
    case "hold":
      if (liveMode.peek() === null) return false;
      isFrozen.value = !isFrozen.peek();
      return true;
    case "filter":
      return focus(document.querySelector<HTMLElement>("main [role=search] :is(input, select)"));
    case "next":
      return focusRow(1);
    case "previous":
      return focusRow(-1);
    case "newer":
      return press(document.querySelector<HTMLElement>("main button.newer"));
    case "go":
      location.hash = command.href;
      return true;
  }
}

/** Rows are walked by the link that opens each: Enter then opens it. */
function focusRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("main a.row")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  return focus(rows[at === -1 ? 0 : at + step]);
}

function press(element: HTMLElement | null): boolean {
  element?.click();
  return element !== null;
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element != null;
}
