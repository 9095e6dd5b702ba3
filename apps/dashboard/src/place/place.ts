import { computed, signal } from "@preact/signals";
import { fragmentOf, routeOf, type Route } from "./route.js";

const fragment = signal(location.hash);
addEventListener("hashchange", () => (fragment.value = location.hash));

/** Where the page is now. */
export const place = computed(() => routeOf(fragment.value));

/** Where the page is at this moment: the event that tells of a new address comes a little after it. */
export function placeNow(): Route {
  fragment.value = location.hash;
  return place.peek();
}

/** Goes there; `replace` leaves no way back to where the page is. */
export function goTo(target: Exclude<Route, { page: "unknown" }>, how: "push" | "replace" = "push"): void {
  const address = fragmentOf(target);
  if (how === "replace") {
    history.replaceState(null, "", address);
    fragment.value = address;
  } else location.hash = address;
}
