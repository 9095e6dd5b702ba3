import { formatLine } from "@tickwheel/core/filter";
import type { Command } from "../place/commands.js";
import { fragmentOf } from "../place/route.js";

export interface PaletteGroup {
  readonly name: "Do" | "Go" | "Find";
  readonly items: readonly Command[];
}

export interface PaletteSource {
  /** What can be done here by who is logged in. */
  readonly commands: readonly Command[];
  readonly pages: readonly { readonly name: string; readonly icon: string; readonly href: string }[];
  readonly go: (href: string) => void;
}

/** Of a task or of a batch. */
const anId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * What the palette offers for what was typed. Words are found in any order, anywhere in a name. A text that is an id
 * leads to its task or batch first; any other may be a key, a type or a name.
 */
export function paletteGroups(typed: string, { commands, pages, go }: PaletteSource): PaletteGroup[] {
  const text = typed.trim();
  const words = text.toLowerCase().split(/\s+/);
  const has = ({ name }: { name: string }): boolean => words.every((word) => name.toLowerCase().includes(word));
  const groups: PaletteGroup[] = [
    { name: "Do", items: commands.filter(has) },
    {
      name: "Go",
      items: pages.filter(has).map(({ name, icon, href }) => ({ name, icon, run: () => go(href) })),
    },
  ];
  const find: PaletteGroup = { name: "Find", items: findItems(text, go) };
  const ordered = anId.test(text) ? [find, ...groups] : [...groups, find];
  return ordered.filter(({ items }) => items.length > 0);
}

function findItems(text: string, go: (href: string) => void): Command[] {
  if (text === "") return [];
  if (anId.test(text)) {
    const id = text.toLowerCase();
    const [task, batch] = [fragmentOf({ page: "task", id }), fragmentOf({ page: "batch", id })];
    return [
      { name: `Task ${text}`, icon: "search", note: "by its id", run: () => go(task) },
      { name: `Batch ${text}`, icon: "search", note: "by its id", run: () => go(batch) },
    ];
  }
  const byKey = fragmentOf({ page: "tasks", line: formatLine({ key: text }) });
  const byName = fragmentOf({ page: "batches", filter: { namePrefix: text } });
  const byType = fragmentOf({ page: "tasks", line: formatLine({ type: text }) });
  return [
    { name: `Tasks with the key ${text}`, icon: "search", note: "exactly so", run: () => go(byKey) },
    ...(/\s/.test(text)
      ? []
      : [
          { name: `Tasks of the type ${text}`, icon: "search", note: noteOf(text), run: () => go(byType) },
          { name: `Batches whose name begins with ${text}`, icon: "search", run: () => go(byName) },
        ]),
  ];
}

/** A type with a star at its end stands for all that begin so. */
function noteOf(type: string): string {
  return type.endsWith("*") ? "that begin so" : "exactly so";
}
