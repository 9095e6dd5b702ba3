import { formatLine } from "@tickwheel/core/filter";
import type { Command } from "../place/commands.js";
import { fragmentOf } from "../place/route.js";

export interface PaletteGroup {
  readonly name: "Do" | "Go" | "Found" | "Find";
  readonly items: readonly Command[];
}

/**
 * What the server knows that may be meant. Tasks, schedules and batches begin with what was typed; of types and nodes
 * it is all.
 */
export interface Found {
  readonly tasks: readonly { readonly id: string; readonly key: string | null; readonly type: string }[];
  readonly types: readonly string[];
  readonly schedules: readonly string[];
  readonly nodes: readonly { readonly name: string; readonly label: string }[];
  readonly batches: readonly { readonly id: string; readonly name: string | null }[];
}

export const nothingFound: Found = { tasks: [], types: [], schedules: [], nodes: [], batches: [] };

export interface PaletteSource {
  readonly found: Found;
  /** What can be done here by who is logged in. */
  readonly commands: readonly Command[];
  readonly pages: readonly { readonly name: string; readonly icon: string; readonly href: string }[];
  readonly go: (href: string) => void;
}

/** The id of a task or of a batch. */
const anId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * What the palette offers for what was typed. Words are found in any order, anywhere in a name. A text that is an id
 * leads to its task or batch first; any other may be a key, a type or a name.
 */
export function paletteGroups(typed: string, { commands, pages, found, go }: PaletteSource): PaletteGroup[] {
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
  groups.push({ name: "Found", items: foundItems(text, found, go) });
  const find: PaletteGroup = { name: "Find", items: findItems(text, go) };
  const ordered = anId.test(text) ? [find, ...groups] : [...groups, find];
  return ordered.filter(({ items }) => items.length > 0);
}

/** How many of each kind are offered. */
const mostOfEach = 5;

/** What there is by that name: those that begin so before those that hold it. */
function foundItems(text: string, found: Found, go: PaletteSource["go"]): Command[] {
  if (text === "") return [];
  const item = (name: string, at: { note: string; icon: string; href: string }): Command => {
    return { name, note: at.note, icon: at.icon, run: () => go(at.href) };
  };
  return [
    ...found.tasks.slice(0, mostOfEach).map(({ id, key, type }) => {
      return item(key ?? id, { note: `a task of ${type}`, icon: "tasks", href: fragmentOf({ page: "task", id }) });
    }),
    ...named(text, found.types, (type) => type).map((type) => {
      return item(type, { note: "a type", icon: "types", href: fragmentOf({ page: "types", type }) });
    }),
    ...found.schedules.slice(0, mostOfEach).map((name) => {
      return item(name, { note: "a schedule", icon: "cal", href: fragmentOf({ page: "schedule", name }) });
    }),
    ...named(text, found.nodes, ({ name, label }) => `${name} ${label}`).map(({ name, label }) => {
      const href = fragmentOf({ page: "cluster", view: { node: label } });
      return item(`${name}, ${label}`, { note: "a node", icon: "cluster", href });
    }),
    ...found.batches.slice(0, mostOfEach).map(({ id, name }) => {
      return item(name ?? id, { note: "a batch", icon: "batch", href: fragmentOf({ page: "batch", id }) });
    }),
  ];
}

function named<Thing>(text: string, things: readonly Thing[], nameOf: (thing: Thing) => string): Thing[] {
  const part = text.toLowerCase();
  const placeOf = (thing: Thing): number => nameOf(thing).toLowerCase().indexOf(part);
  return things
    .filter((thing) => placeOf(thing) >= 0)
    .sort((one, other) => placeOf(one) - placeOf(other))
    .slice(0, mostOfEach);
}

function findItems(text: string, go: (href: string) => void): Command[] {
  if (text === "") return [];
  if (anId.test(text)) {
    const id = text.toLowerCase();
    const task = fragmentOf({ page: "task", id });
    const batch = fragmentOf({ page: "batch", id });
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
