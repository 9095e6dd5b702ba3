import { MAX_PAYLOAD_BYTES } from "@tickwheel/core";
import { MAX_PAYLOAD_DEPTH } from "./payload-limits.js";

/** What JSON would lose of a value without a word: where it stands, like `items[2].paidAt`, and why it is refused. */
export interface LostPart {
  path: string;
  reason: string;
}

/** Stands for the payload of a call that gave undefined for one: an input without the field has null. */
export const NO_PAYLOAD = Symbol("undefined");

/** Every value takes two bytes of JSON at least: of one that has more, its size is the fault. */
const MOST_VALUES = MAX_PAYLOAD_BYTES / 2;

const NO_UNDEFINED = "is undefined, which JSON has not: leave it out, or give null";
/** What has a text or fields of its own in JSON, and comes back as something else. */
const BUILT_IN =
  /^\[object (?:Date|Map|Set|WeakMap|WeakSet|RegExp|Error|Promise|DataView|(?:Shared)?ArrayBuffer|\w+Array)\]$/;

/**
 * Looks for what `JSON.stringify` would drop, empty or turn into something else in a value: undefined, functions,
 * symbols, numbers that are none, Date, Map and the like, and instances without fields. A value with a `toJSON` of its
 * own is taken as that. One walk without any allocation, bounded by depth and number: what is beyond is refused for its
 * size.
 *
 * @throws what a getter or a proxy throws
 */
export function lostPartOf(value: unknown): LostPart | null {
  return new Walk().look(value, 0);
}

class Walk {
  private left = MOST_VALUES;

  look(value: unknown, depth: number): LostPart | null {
    if (this.left-- <= 0 || value === null) return null;
    if (typeof value !== "object") return lostScalar(value);
    if (depth > MAX_PAYLOAD_DEPTH) return null;
    return Array.isArray(value) ? this.lookIntoList(value, depth) : this.lookIntoObject(value, depth);
  }

  private lookIntoList(list: readonly unknown[], depth: number): LostPart | null {
    for (let at = 0; at < list.length && this.left > 0; at++) {
      const lost = this.look(list[at], depth + 1);
      if (lost) return within(`[${at}]`, lost);
    }
    return null;
  }

  private lookIntoObject(object: object, depth: number): LostPart | null {
    const isOrdinary = isPlain(object);
    if (!isOrdinary) {
      const tag = Object.prototype.toString.call(object);
      if (BUILT_IN.test(tag)) return { path: "", reason: `is a ${tag.slice(8, -1)}, which JSON has not` };
    }
    if (typeof (object as { toJSON?: unknown }).toJSON === "function") return null;
    let isEmpty = true;
    for (const field of Object.keys(object)) {
      isEmpty = false;
      const lost = this.look((object as Record<string, unknown>)[field], depth + 1);
      if (lost) return within(field, lost);
    }
    return isEmpty && !isOrdinary ? { path: "", reason: "is an instance without fields that JSON would keep" } : null;
  }
}

/** Whether an object is a plain one, of this or of another realm. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function lostScalar(value: unknown): LostPart | null {
  if (value === undefined || value === NO_PAYLOAD) return { path: "", reason: NO_UNDEFINED };
  if (typeof value === "number")
    return Number.isFinite(value) ? null : { path: "", reason: `is ${value}, which JSON has not` };
  if (typeof value === "string" || typeof value === "boolean") return null;
  return { path: "", reason: `is a ${typeof value}, which JSON has not` };
}

function within(place: string, { path, reason }: LostPart): LostPart {
  const isNext = path === "" || path.startsWith("[");
  return { path: isNext ? place + path : `${place}.${path}`, reason };
}
