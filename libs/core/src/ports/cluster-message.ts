import type { ClusterMessage } from "./coordination.js";
import { isOwnTaskId } from "../ids/is-task-id.js";
import type { TaskHint } from "../task/task.js";

/**
 * [all-bounded]: the most hints that one message holds; of more its sender says only that there is something to load.
 */
export const MAX_HINTS_PER_MESSAGE = 500;
/** Longer texts are none of ours: 500 hints have 60,000 characters. */
const MAX_MESSAGE_CHARACTERS = 131_072;
/** The largest value of the database's `integer`. */
const MAX_INTEGER = 2_147_483_647;
/** The last instant that a `Date` can tell. */
const MAX_EPOCH_MS = 8_640_000_000_000_000;
const MAX_PRIORITY = 9;
/** How many limits one message names at most. */
export const MAX_LIMITS_PER_MESSAGE = 100;
/** How many types one message names at most. */
export const MAX_TYPES_PER_MESSAGE = 100;

/** What a text that came over the network holds; undefined: it is too long, or no JSON. Never throws. */
export function decodeText(text: string): unknown {
  if (text.length > MAX_MESSAGE_CHARACTERS) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * [hints-only]: what came over NOTIFY or Redis, where anybody may speak, as a message of this cluster's nodes; null: it
 * is none. Only what is checked here is in the answer, which is made anew. That a message is well-formed says nothing
 * of its truth: a node that acts on it asks the store.
 *
 * By hand, since a burst brings five hundred hints in one message. Cost: 2 µs for each hint, little more than its JSON
 * takes to parse.
 */
export function readMessage(value: unknown): ClusterMessage | null {
  if (!isRecord(value)) return null;
  switch (value.kind) {
    case "hints":
      return readHints(value.hints);
    case "load":
      return { kind: "load" };
    case "settings":
      return { kind: "settings" };
    case "breakers":
      return { kind: "breakers" };
    case "view":
      return isWithin(value.number, 0, Number.MAX_SAFE_INTEGER) ? { kind: "view", number: value.number } : null;
    case "room":
      return readNamed(value.limitIds, MAX_LIMITS_PER_MESSAGE, (limitIds) => ({ kind: "room", limitIds }));
    case "waiting":
      if (value.typeIds === "any") return { kind: "waiting", typeIds: "any" };
      return readNamed(value.typeIds, MAX_TYPES_PER_MESSAGE, (typeIds) => ({ kind: "waiting", typeIds }));
    case "pull":
      return readPull(value);
    case "cancel":
      return isOwnTaskId(value.id) && isWithin(value.fence, 0, MAX_INTEGER)
        ? { kind: "cancel", id: value.id, fence: value.fence }
        : null;
    default:
      return null;
  }
}

function readHints(value: unknown): ClusterMessage | null {
  if (!Array.isArray(value) || value.length > MAX_HINTS_PER_MESSAGE) return null;
  const hints: TaskHint[] = [];
  for (const item of value as readonly unknown[]) {
    const hint = readHint(item);
    if (hint === null) return null;
    hints.push(hint);
  }
  return { kind: "hints", hints };
}

/** A list of numbers of rows. */
function readNamed(value: unknown, most: number, message: (ids: number[]) => ClusterMessage): ClusterMessage | null {
  if (!Array.isArray(value) || value.length > most) return null;
  const ids = value as readonly unknown[];
  return ids.every((id) => isWithin(id, 1, MAX_INTEGER)) ? message([...ids]) : null;
}

function readPull({ typeIds, dueAt }: Readonly<Record<string, unknown>>): ClusterMessage | null {
  if (!isWithin(dueAt, 0, MAX_EPOCH_MS)) return null;
  return readNamed(typeIds, MAX_TYPES_PER_MESSAGE, (ids) => ({ kind: "pull", typeIds: ids, dueAt }));
}

function readHint(value: unknown): TaskHint | null {
  if (!isRecord(value)) return null;
  const { id, typeId, version, dueAt, priority } = value;
  if (!isOwnTaskId(id) || !isWithin(typeId, 1, MAX_INTEGER) || !isWithin(version, 0, MAX_INTEGER)) return null;
  if (!isWithin(dueAt, 0, MAX_EPOCH_MS) || !isWithin(priority, 0, MAX_PRIORITY)) return null;
  return { id, typeId, version, dueAt, priority };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** A whole number of this range. */
function isWithin(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}
