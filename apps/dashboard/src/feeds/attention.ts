import { computed, effect, signal } from "@preact/signals";
import { hasEnded, session } from "../session/session.js";
import type { Visibility } from "./poller.js";

/** Somebody has frozen the page as it is: Space, or the button in the header. */
export const isFrozen = signal(false);

const isHidden = signal(document.hidden);
document.addEventListener("visibilitychange", () => (isHidden.value = document.hidden));

const isAway = computed(() => isHidden.value || isFrozen.value || hasEnded.value || session.value === null);

/** Whether the page is to be kept up to date: it is seen, not frozen, and its session lives. */
export const attention: Visibility = {
  isHidden: () => isAway.peek(),
  onChange(listener) {
    let before = isAway.peek();
    return effect(() => {
      if (isAway.value === before) return;
      before = isAway.value;
      listener();
    });
  },
};
