import { type LimitValues, parseDurationMs, type Rate } from "@tickwheel/core";
import type { NamespaceChangesInput, RateInput } from "@tickwheel/contract";

const SECOND_MS = 1_000;

/** What is to be limited in the whole cluster; what is absent stays. Its fields are checked. */
export function toLimitValues({ maxRunning, rate }: NamespaceChangesInput): Partial<LimitValues> {
  return {
    ...(maxRunning !== undefined && { maxRunning }),
    ...(rate !== undefined && { rate: rate && toRate(rate) }),
  };
}

function toRate({ count, per, burst }: RateInput): Rate {
  const perMs = Math.round(parseDurationMs(per)!);
  return { count, perMs, burst: burst ?? Math.max(1, Math.round((count * SECOND_MS) / perMs)) };
}
