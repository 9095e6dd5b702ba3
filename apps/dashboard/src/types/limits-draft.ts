import type { LimitsBody, RateBody } from "../api/setting-api.js";
import type { Limits } from "../api/wire.js";
import { durationOf } from "../tasks/task-draft.js";
import { durationInput } from "../time/exact.js";

/** What is typed of the limits of a type or a namespace; empty: it has none. Pure. */
export interface LimitsDraft {
  readonly maxRunning: string;
  readonly count: string;
  readonly per: string;
  readonly burst: string;
}

/** What can be sent, or why it cannot. */
export type DraftReading<Body> =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly why: string };

/** A whole number as it is typed, by the name that its field has. */
export interface TypedNumber {
  readonly label: string;
  readonly typed: string;
  readonly most: number;
}

export function limitsDraftOf(limits: Limits | null): LimitsDraft {
  const rate = limits?.rate ?? null;
  return {
    maxRunning: numberText(limits?.maxRunning ?? null),
    count: numberText(rate && rate.count),
    per: rate ? durationInput(rate.perMs) : "1s",
    burst: numberText(rate && rate.burst),
  };
}

export function readLimits({ maxRunning, count, per, burst }: LimitsDraft): DraftReading<LimitsBody> {
  const reading = readNumbers({
    maxRunning: { label: "At once in the whole cluster", typed: maxRunning, most: 1_000 },
    count: { label: "Starts", typed: count, most: 1_000_000 },
    burst: { label: "At once after a rest", typed: burst, most: 1_000_000 },
  });
  if (!reading.ok) return reading;
  const { body } = reading;
  return { ok: true, body: { maxRunning: body.maxRunning, rate: rateOf({ ...body, per }) } };
}

/** Without a number of starts there is no rate, whatever else is typed of it. */
function rateOf({ count, per, burst }: { count: number | null; per: string; burst: number | null }): RateBody | null {
  return count === null ? null : { count, per: durationOf(per), ...(burst !== null && { burst }) };
}

/**
 * Whole numbers from 1 on, null where nothing is typed. Other bounds are the API's to tell; here it is only told what
 * is no such number.
 */
export function readNumbers<Name extends string>(
  asked: Readonly<Record<Name, TypedNumber>>,
): DraftReading<Record<Name, number | null>> {
  const numbers: Partial<Record<Name, number | null>> = {};
  for (const name of Object.keys(asked) as Name[]) {
    const { label, typed, most } = asked[name];
    const number = numberOf(typed);
    if (number === undefined || (number !== null && number > most))
      return { ok: false, why: `${label}: give a whole number from 1 to ${most.toLocaleString("en-US")}, or nothing.` };
    numbers[name] = number;
  }
  return { ok: true, body: numbers as Record<Name, number | null> };
}

/** Null: nothing is typed; undefined: no whole number from 1 on. */
function numberOf(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}

export const numberText = (value: number | null): string => (value === null ? "" : String(value));
