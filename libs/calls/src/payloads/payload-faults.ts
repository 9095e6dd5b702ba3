import type { Fault } from "@tickwheel/core";

/** What a library says of a value. */
export interface PayloadIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** One more than an error tells: so that it is told that there are more. */
export const MOST_FAULTS = 51;
/** The longest message, in characters. */
const LONGEST_MESSAGE = 200;
/** How many texts and numbers of a payload are looked for in a message. */
const MOST_VALUES = 2_000;
/** What is elsewhere in the payload counts as told from so many characters on: a short one stands in any text. */
const TELLING_CHARACTERS = 4;

/** The schema itself has thrown; what it threw may hold the payload. */
export const THREW: Fault = { path: "payload", message: "cannot be checked: its schema throws" };
const UNFIT = "does not fit its schema";

/**
 * The faults of a payload, each with its path, such as `payload.items[3].sku`. No message holds a value of the payload:
 * the received value that libraries tell is cut off, and a message that still has one is replaced.
 */
export function faultsOfIssues(payload: unknown, issues: Iterable<PayloadIssue>): Fault[] {
  const elsewhere = textsIn(payload);
  const faults: Fault[] = [];
  for (const { message, path = [] } of issues) {
    const keys = path.map((part) => (typeof part === "object" ? part.key : part));
    const place = placeIn(payload, keys);
    const nameless = withoutName(message, [place.path.replace(/^\./, ""), String(keys.at(-1) ?? "")]);
    faults.push({ path: `payload${place.path}`, message: silent(nameless, elsewhere, place.value) });
    if (faults.length === MOST_FAULTS) break;
  }
  return faults;
}

function placeIn(payload: unknown, keys: readonly PropertyKey[]): { path: string; value: unknown } {
  let value = payload;
  let path = "";
  for (const key of keys) {
    const isIndex = typeof key === "number" || Array.isArray(value);
    path += isIndex ? `[${String(key)}]` : `.${String(key)}`;
    value = typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  }
  return { path, value };
}

/** Some libraries begin a message with the path, or with its last part. */
function withoutName(message: string, names: readonly string[]): string {
  const name = names.find((start) => start !== "" && message.startsWith(`${start} `));
  return name === undefined ? message : message.slice(name.length + 1);
}

/** `, received …` of zod, ` but received …` of valibot, ` (was …)` of arktype. */
const RECEIVED = /(?:,| but) received .*$| \(was .*$/s;

function silent(message: string, elsewhere: readonly string[] | null, value: unknown): string {
  const cut = message.replace(RECEIVED, "").slice(0, LONGEST_MESSAGE).trim();
  const tells = (texts: readonly string[] | null, fewest: number): boolean =>
    texts === null || texts.some((text) => text.length >= fewest && holds(cut, text));
  return cut === "" || tells(elsewhere, TELLING_CHARACTERS) || tells(textsIn(value), 1) ? UNFIT : cut;
}

/** The texts and numbers of a value; null: there are too many. */
function textsIn(value: unknown): string[] | null {
  const texts: string[] = [];
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === "string" || typeof next === "number") texts.push(String(next));
    else if (typeof next === "object" && next !== null) for (const part of Object.values(next)) left.push(part);
    if (texts.length + left.length > MOST_VALUES) return null;
  }
  return texts;
}

/** Whether a text stands in a message, not as a part of a longer word. */
function holds(message: string, text: string): boolean {
  for (let at = message.indexOf(text); text !== "" && at >= 0; at = message.indexOf(text, at + 1)) {
    const isWord = !isOfWord(message[at - 1]) && !isOfWord(message[at + text.length]);
    if (isWord || text.length >= TELLING_CHARACTERS) return true;
  }
  return false;
}

function isOfWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
