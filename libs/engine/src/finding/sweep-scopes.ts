import { type DueScope, type EpochMs, type Finder, slotOfId, type TaskHint, type TypeId } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import { type SweepBounds, sweepFrom } from "./sweep-bounds.js";

interface ScopeInput {
  types: readonly TypeId[];
  ownership: Pick<Ownership, "mineOrNobodys">;
  bounds: SweepBounds;
  dbNow: EpochMs;
  lookbackMs: number;
}

/**
 * [level-triggered], [due-sweep]: the query of a sweep: for each type that runs here, this node's slots and those
 * without an owner, from the soft bound on. (The store adds other owners' tasks once they are overdue.)
 */
export function sweepScopes({ types, ownership, bounds, dbNow, lookbackMs }: ScopeInput): DueScope[] {
  return types.map((typeId) => ({
    typeId,
    slots: ownership.mineOrNobodys(typeId),
    notBefore: sweepFrom(bounds, typeId, { dbNow, lookbackMs }),
    after: null,
  }));
}

/** Which of a sweep's finds are stolen: those in a slot that was not asked for. */
export function finderOf(scopes: readonly Pick<DueScope, "typeId" | "slots">[]): (hint: TaskHint) => Finder {
  const slots = new Map<TypeId, DueScope["slots"]>(scopes.map((scope) => [scope.typeId, scope.slots]));
  return ({ typeId, id }) => (slots.get(typeId)?.has(slotOfId(id)) ? "sweep" : "steal");
}
