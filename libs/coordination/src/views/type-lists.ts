import type { TypeId } from "@tickwheel/core";

/** The list itself if it is already ascending, as those of views are: it may hold thousands of types. */
export function ascending(list: readonly TypeId[]): readonly TypeId[] {
  for (let place = 1; place < list.length; place++) {
    if (list[place]! <= list[place - 1]!) return [...list].sort((one, other) => one - other);
  }
  return list;
}

/** Whether two ascending lists are equal. */
export function hasSameTypes(one: readonly TypeId[], other: readonly TypeId[]): boolean {
  return one === other || (one.length === other.length && one.every((id, place) => id === other[place]));
}
