import { signal } from "@preact/signals";

/** What lies over the page. */
export const overlay = signal<"palette" | "keys" | null>(null);
