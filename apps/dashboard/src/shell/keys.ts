import { pages } from "./pages.js";

/** What a key asks for. */
export type KeyCommand =
  | { readonly do: "palette" | "help" | "zone" | "hold" | "filter" | "next" | "previous" | "newer" }
  | { readonly do: "go"; readonly href: string };

export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

export interface KeyPlace {
  /** The focus is where keys write or choose. */
  readonly isInField: boolean;
  /** The focus is on something that Space presses. */
  readonly isOnControl: boolean;
  /** Single letters may act (WCAG 2.1.4). */
  readonly hasLetters: boolean;
  /** When `g` was pressed, if it was the key before; in milliseconds. */
  readonly leaderAt: number | null;
}

/** How long after `g` the next key still belongs to it. */
const leaderMs = 1_500;

const single: Readonly<Record<string, KeyCommand>> = {
  "?": { do: "help" },
  "/": { do: "filter" },
  z: { do: "zone" },
  j: { do: "next" },
  k: { do: "previous" },
  n: { do: "newer" },
};

/** What a key does; `leader`: it waits for the next. Null: it is not the page's. */
export function commandOf(pressed: PressedKey, place: KeyPlace, now: number): KeyCommand | "leader" | null {
  const { key, ctrlKey, metaKey, altKey } = pressed;
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") return { do: "palette" };
  if (ctrlKey || metaKey || altKey || place.isInField || !place.hasLetters) return null;
  if (place.leaderAt !== null && now - place.leaderAt < leaderMs) {
    const page = pages.find((entry) => entry.key === key);
    if (page) return { do: "go", href: page.href };
  }
  if (key === "g") return "leader";
  if (key === " ") return place.isOnControl ? null : { do: "hold" };
  return Object.hasOwn(single, key) ? single[key]! : null;
}

/** What the help lists, page keys aside. */
export const keyTexts: readonly { readonly keys: readonly string[]; readonly text: string }[] = [
  { keys: ["Ctrl", "K"], text: "find or do; on a Mac ⌘ K" },
  { keys: ["/"], text: "edit the filter" },
  ...pages.map(({ key, name }) => ({ keys: ["g", key], text: name.toLowerCase() })),
  { keys: ["j"], text: "next row" },
  { keys: ["k"], text: "previous row" },
  { keys: ["↵"], text: "open it" },
  { keys: ["n"], text: "show what is newer in the list" },
  { keys: ["space"], text: "hold the figures as they are" },
  { keys: ["z"], text: "time zone" },
  { keys: ["?"], text: "all keys" },
];
