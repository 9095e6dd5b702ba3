import { computed, signal } from "@preact/signals";
import { isFrozen } from "./attention.js";

/** How the open page is kept up to date. */
export type LiveMode =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** `isFallback`: it has a stream, which does not answer. */
  | { readonly kind: "polling"; readonly everyMs: number; readonly isFallback?: true }
  /** No event since then, in milliseconds of the epoch. */
  | { readonly kind: "stale"; readonly since: number };

/** What the open page's source says of itself; null: the page has none. */
export const sourceMode = signal<LiveMode | null>(null);

/** What the button in the header shows. */
export const liveMode = computed<LiveMode | { readonly kind: "frozen" } | null>(() =>
  sourceMode.value && isFrozen.value ? { kind: "frozen" } : sourceMode.value,
);
