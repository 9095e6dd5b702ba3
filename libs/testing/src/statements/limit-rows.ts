import { type FlowLimit, hasLimit, type LimitValues, type Rate, tokensIn, type TypeId } from "@tickwheel/core";
import type { StatementScope } from "../database/statement-scope.js";
import type { BucketRow, FlowLimitRow } from "../database/tables.js";

/** So little less than a whole token is one: sums of parts of a token are not exact. */
const EPSILON = 1e-9;

export function readFlowLimits({ flowLimits }: StatementScope): FlowLimit[] {
  const rows = flowLimits.values().sort((one, other) => one.id - other.id);
  return rows.map(({ places: _places, ...limit }) => limit);
}

/**
 * Writes the limits of a subject and the bucket of a rate, or deletes both. A new bucket is full; another rate leaves
 * it what tokens it has, as far as they fit.
 */
export async function writeFlowLimit(
  scope: StatementScope,
  subject: { namespace: string; typeId: TypeId | null },
  values: LimitValues & { changedBy: string },
): Promise<void> {
  const { flowLimits, buckets, now } = scope;
  const isMeant = ({ namespace, typeId }: FlowLimitRow): boolean =>
    namespace === subject.namespace && typeId === subject.typeId;
  const known = flowLimits.values().find(isMeant);
  const id = known?.id ?? ++scope.host.tables.lastLimit.id;
  const name = String(id);
  const row = known && (await flowLimits.lock(name));
  const after = { id, ...subject, ...values, changedAt: now, places: row?.places ?? [] };
  if (row || hasLimit(values)) await flowLimits.write(name, hasLimit(values) ? after : undefined);
  const bucket = await buckets.lockNewest(name);
  if (bucket || values.rate) await buckets.write(name, values.rate ? refitted(bucket, values.rate, now) : undefined);
}

/** Who holds places and runs. */
export function occupants({ tasks }: StatementScope, { places }: FlowLimitRow): string[] {
  return places.filter((id) => tasks.get(id)?.state === "running");
}

export function keepPlaces(
  { flowLimits }: StatementScope,
  limit: FlowLimitRow,
  places: readonly string[],
): Promise<void> {
  return flowLimits.write(String(limit.id), { ...limit, places: [...new Set(places)] });
}

function refitted(bucket: BucketRow | null, rate: Rate, now: number): BucketRow {
  if (bucket === null) return { rate, tokens: rate.burst, refilledAt: now };
  return { ...bucket, rate, tokens: Math.min(bucket.tokens, rate.burst) };
}

/** The tokens of a bucket at `now`. A clock that was set back refills nothing. */
export function tokensAt({ rate, tokens, refilledAt }: BucketRow, now: number): number {
  return Math.min(rate.burst, tokens + tokensIn(rate, Math.max(0, now - refilledAt)));
}

export function wholeTokens(tokens: number): number {
  return Math.floor(tokens + EPSILON);
}

/** In how many milliseconds there is a whole token, if now there are so many and no whole one. */
export function nextTokenMs({ count, perMs }: Rate, tokens: number): number {
  return Math.ceil((1 - EPSILON - tokens) / (count / perMs));
}
