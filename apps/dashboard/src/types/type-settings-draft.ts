import type { RateBody, TypeChangesBody } from "../api/setting-api.js";
import type { TypeFigures } from "../api/wire.js";
import { durationOf } from "../tasks/task-draft.js";
import { durationInput } from "../time/exact.js";

/** What is typed of a type's settings; empty: nothing is set. Pure. */
export interface TypeSettingsDraft {
  readonly concurrency: string;
  readonly maxRunning: string;
  readonly count: string;
  readonly per: string;
  readonly burst: string;
  readonly keepSucceeded: string;
  readonly keepDead: string;
}

/** What can be sent, or why it cannot. */
export type DraftReading =
  | { readonly ok: true; readonly body: TypeChangesBody }
  | { readonly ok: false; readonly why: string };

export function draftOf({ settings, limits }: Pick<TypeFigures, "settings" | "limits">): TypeSettingsDraft {
  const rate = limits?.rate ?? null;
  return {
    concurrency: numberText(settings.concurrency),
    maxRunning: numberText(limits?.maxRunning ?? null),
    count: numberText(rate && rate.count),
    per: rate ? durationInput(rate.perMs) : "1s",
    burst: numberText(rate && rate.burst),
    keepSucceeded: lengthText(settings.keepSucceeded),
    keepDead: lengthText(settings.keepDead),
  };
}

/** Bounds are the API's to tell; here it is only told what is no number at all. */
export function readDraft(draft: TypeSettingsDraft): DraftReading {
  const asked = [
    ["At once on each node", draft.concurrency, 10_000],
    ["At once in the whole cluster", draft.maxRunning, 1_000],
    ["Starts", draft.count, 1_000_000],
    ["At once after a rest", draft.burst, 1_000_000],
  ] as const;
  for (const [label, typed, most] of asked) {
    const number = numberOf(typed);
    if (number === undefined || (number !== null && number > most))
      return { ok: false, why: `${label}: give a whole number from 1 to ${most.toLocaleString("en-US")}, or nothing.` };
  }
  const [concurrency, maxRunning, count, burst] = asked.map(([, typed]) => numberOf(typed) ?? null);
  return {
    ok: true,
    body: {
      concurrency: concurrency!,
      maxRunning: maxRunning!,
      rate: rateOf({ count: count!, burst: burst!, per: draft.per }),
      keepSucceeded: durationOrNull(draft.keepSucceeded),
      keepDead: durationOrNull(draft.keepDead),
    },
  };
}

/** Without a number of starts there is no rate, whatever else is typed of it. */
function rateOf({ count, per, burst }: { count: number | null; per: string; burst: number | null }): RateBody | null {
  return count === null ? null : { count, per: durationOf(per), ...(burst !== null && { burst }) };
}

/** Null: nothing is typed; undefined: no whole number from 1 on. */
function numberOf(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}

const numberText = (value: number | null): string => (value === null ? "" : String(value));
const lengthText = (lengthMs: number | null): string => (lengthMs === null ? "" : durationInput(lengthMs));

function durationOrNull(typed: string): number | string | null {
  return typed.trim() === "" ? null : durationOf(typed);
}
