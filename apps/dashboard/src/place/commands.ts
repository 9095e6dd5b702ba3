import { signal } from "@preact/signals";

/** Something that can be done on the page that is open. */
export interface Command {
  readonly name: string;
  readonly icon: string;
  /** What comes of it, or what it asks for. */
  readonly note?: string;
  readonly run: () => void;
}

/** What the open page offers beside its buttons; the palette lists it. A page sets it while it is there. */
export const pageCommands = signal<readonly Command[]>([]);
