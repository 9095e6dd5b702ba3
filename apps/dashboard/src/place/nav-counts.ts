import { signal } from "@preact/signals";
import type { Route } from "./route.js";

/** A number beside an entry of the navigation, in the hue of a state. */
export interface NavCount {
  readonly text: string;
  readonly state: string;
  /** What the number counts, in words. */
  readonly label: string;
}

/** By page; a page that knows a count puts it here. */
export const navCounts = signal<Partial<Record<Route["page"], NavCount>>>({});
