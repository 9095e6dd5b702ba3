import type { DueScope, HintCursor, TaskHint, TypeId } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { Slice } from "./sweep-slices.js";

const ALL: Slice = { from: null, before: null };

/**
 * [level-triggered], [full-sweep]: the full sweep's first query of a slice: as the sweep's, but the last slice has no
 * lower bound. Default: everything in one slice.
 */
export function firstPages(
  types: readonly TypeId[],
  ownership: Pick<Ownership, "mineOrNobodys">,
  { from, before }: Slice = ALL,
): DueScope[] {
  return types.map((typeId) => ({
    typeId,
    slots: ownership.mineOrNobodys(typeId),
    notBefore: from,
    before,
    after: null,
  }));
}

/** The types that are not read to their end, each from after its last row. */
export function nextPages(
  scopes: readonly DueScope[],
  reply: { hints: readonly TaskHint[]; shortTypes: readonly TypeId[] },
): DueScope[] {
  const last = new Map<TypeId, HintCursor>();
  for (const { typeId, dueAt, id } of reply.hints) last.set(typeId, { dueAt, id });
  return scopes
    .filter(({ typeId }) => !reply.shortTypes.includes(typeId) && last.has(typeId))
    .map((scope) => ({ ...scope, after: last.get(scope.typeId)! }));
}
