import type { FlowLimit, LimitId, LimitValues, TypeId } from "@tickwheel/core";
import { type LimitsOfType, UNLIMITED } from "../src/types/limits-in-force.js";

/** A limit of a type. */
export function limitOf(id: LimitId, typeId: TypeId, values: Partial<LimitValues>): FlowLimit {
  const nothing = { maxRunning: null, rate: null };
  return { id, namespace: "shop", typeId, changedAt: 0, changedBy: "test", ...nothing, ...values };
}

/** What limits types, where each of these limits has a type of its own. */
export function limitsOf(...limits: readonly FlowLimit[]): (typeId: TypeId) => LimitsOfType {
  return (typeId) => {
    const own = limits.filter((limit) => limit.typeId === typeId);
    const counted = own.filter(({ maxRunning }) => maxRunning !== null);
    if (own.length === 0) return UNLIMITED;
    return {
      all: own,
      counted: counted.map(({ id }) => id),
      maxRunning: Math.min(...counted.map(({ maxRunning }) => maxRunning!)),
      rated: own.filter(({ rate }) => rate !== null),
    };
  };
}
