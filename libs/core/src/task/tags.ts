/**
 * Tags say what a task belongs to, for people who look for it later. Nothing runs by them. They keep the order in which
 * they were given. Only an operation changes them.
 */

/** A task has at most so many tags. */
export const MAX_TAGS = 16;
/** The longest tag, in UTF-16 units. The shortest has one. */
export const MAX_TAG_LENGTH = 64;
/** All tags of a task together, in bytes of UTF-8. */
export const MAX_TAGS_BYTES = 1_024;

/** How many bytes of UTF-8 these tags have together. */
export function tagsBytes(tags: readonly string[]): number {
  return tags.reduce((sum, tag) => sum + new TextEncoder().encode(tag).length, 0);
}
