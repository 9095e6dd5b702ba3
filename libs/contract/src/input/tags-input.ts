import { type Fault, MAX_TAG_LENGTH, MAX_TAGS, MAX_TAGS_BYTES, tagsBytes } from "@tickwheel/core";
import * as z from "zod";
import { list, special } from "../shapes/parts.js";
import { type InputRule, textRule } from "./input-rules.js";
import { looksLike } from "./input-shape.js";

/** One tag: of a task, or of a filter. */
export const tagRule: InputRule = textRule(1, MAX_TAG_LENGTH);

const NO_LIST = "must be a list of strings";
const TOO_MANY = `must hold at most ${MAX_TAGS} tags`;
const TWICE = "must not be the same as a tag before it";
const TOO_LONG = `must be at most ${MAX_TAGS_BYTES} bytes of UTF-8, all tags together`;

/**
 * A task's tags: at most 16, each of 1 to 64 characters, none twice, at most 1,024 bytes in all. They keep their order.
 * A wrong tag is a fault at its own place.
 *
 * @example ["shop:7", "vip"]
 */
export const tagsField = looksLike(
  z.preprocess(
    ownTags,
    z.custom<readonly string[]>().check(({ value, issues }) => {
      for (const { path, message } of tagsFaults(value))
        issues.push({ code: "custom", message, path: path === "" ? [] : [path], input: undefined, continue: true });
    }),
  ),
  () =>
    list(special("String", { type: "string", minLength: 1, maxLength: MAX_TAG_LENGTH }), {
      maxItems: MAX_TAGS,
      uniqueItems: true,
    }),
);

/**
 * A copy of a list, each item read once: what is checked is what is kept. A list that is too long is cut behind the
 * item that is one too many.
 */
export function ownTags(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return Array.from({ length: Math.min(value.length, MAX_TAGS + 1) }, (_, place) => value[place] as unknown);
}

/** Paths are within the list; `""` is the list itself. */
function tagsFaults(value: unknown): Fault[] {
  if (!Array.isArray(value)) return [{ path: "", message: NO_LIST }];
  const tags: readonly unknown[] = value;
  if (tags.length > MAX_TAGS) return [{ path: "", message: TOO_MANY }];
  const faults: Fault[] = [];
  for (const [place, tag] of tags.entries()) {
    const message = tagRule(tag) ?? (tags.indexOf(tag) < place ? TWICE : null);
    if (message !== null) faults.push({ path: `[${place}]`, message });
  }
  if (faults.length === 0 && tagsBytes(tags as readonly string[]) > MAX_TAGS_BYTES)
    faults.push({ path: "", message: TOO_LONG });
  return faults;
}
