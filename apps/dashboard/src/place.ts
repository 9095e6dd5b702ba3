import { computed, signal } from "@preact/signals";
import { fragmentOf, routeOf, type Route } from "./route.js";

const fragment = signal(location.hash);
addEventListener("hashchange", () => (fragment.value = location.hash));

/** Where the page is now. */
export const route = computed(() => routeOf(fragment.value));

export function goTo(target: Exclude<Route, { page: "unknown" }>): void {
  location.hash = fragmentOf(target);
}
