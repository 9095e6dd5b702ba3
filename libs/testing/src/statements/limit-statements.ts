import {
  isOwnType,
  type LimitedClaimReply,
  type LimitedClaimRequest,
  type LimitId,
  type LimitState,
  type Places,
  type TokenGrant,
} from "@tickwheel/core";
import type { CallSession, MemorySession } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import type { FlowLimitRow } from "../database/tables.js";
import { claimAmong, lockOwner } from "./execution-statements.js";
import { keepPlaces, nextTokenMs, occupants, tokensAt, wholeTokens } from "./limit-rows.js";

/** Locks first and then looks by a second statement: its snapshot shows every claim within the limits before it. */
export function claimLimited(session: CallSession, request: LimitedClaimRequest): Promise<LimitedClaimReply> {
  return session.transaction(null, async (within) => {
    const outcome = await within.run((scope) => lockLimits(scope, request));
    if (outcome === "fenced") return { outcome: "answered", places: 0, full: [], fenced: true, tasks: [] };
    if (outcome === "taken") return { outcome };
    return within.run((scope) => claimWithin(scope, request));
  });
}

async function lockLimits(
  scope: StatementScope,
  { owner, limitIds }: LimitedClaimRequest,
): Promise<"fenced" | "taken" | "locked"> {
  if (!(await lockOwner(scope, owner))) return "fenced";
  const hasPlaces = ({ maxRunning }: FlowLimitRow): boolean => maxRunning !== null;
  for (const id of inOrder(limitIds))
    if (!(await scope.flowLimits.lock(String(id), hasPlaces, { locked: "skip" }))) return "taken";
  return "locked";
}

/** The claim, once the limits are locked. The tasks that it takes hold places from now on. */
async function claimWithin(scope: StatementScope, request: LimitedClaimRequest): Promise<LimitedClaimReply> {
  const limits = inOrder(request.limitIds).map((id) => scope.flowLimits.get(String(id))!);
  const free = limits.map((limit) => limit.maxRunning! - occupants(scope, limit).length);
  const places = Math.max(0, Math.min(...free));
  const reply = await claimAmong(scope, request, Math.min(places, request.most));
  const claimed = reply.tasks.map(({ id }) => id);
  if (claimed.length > 0)
    for (const limit of limits) await keepPlaces(scope, limit, [...occupants(scope, limit), ...claimed]);
  const full = limits.filter((_limit, index) => free[index]! <= claimed.length).map(({ id }) => id);
  return { outcome: "answered", places, full, ...reply };
}

/** Each limit is locked, after the claims within it, and then looked at by a second statement. */
export function adoptPlaces(session: CallSession, places: readonly Places[]): Promise<void> {
  const given = places.filter(({ ids }) => ids.length > 0);
  return session.transaction(null, async (within) => {
    await awaitLimits(
      within,
      given.map(({ limitId }) => limitId),
    );
    await within.run(async (scope) => {
      for (const { limitId, ids } of given) {
        const limit = scope.flowLimits.newest(String(limitId));
        if (limit) await keepPlaces(scope, limit, [...occupants(scope, limit), ...ids]);
      }
    });
  });
}

/** The same for all that runs of the limits' subjects. */
export function adoptRunning(session: CallSession, limitIds: readonly LimitId[]): Promise<void> {
  return session.transaction(null, async (within) => {
    await awaitLimits(within, limitIds);
    await within.run(async (scope) => {
      for (const id of inOrder(limitIds)) {
        const limit = scope.flowLimits.get(String(id));
        if (limit) await keepPlaces(scope, limit, runningOf(scope, limit));
      }
    });
  });
}

async function awaitLimits(within: MemorySession, limitIds: readonly LimitId[]): Promise<void> {
  await within.run(async ({ flowLimits }) => {
    for (const id of inOrder(limitIds)) await flowLimits.lock(String(id));
  });
}

/** Takes tokens of a rate. The clock is read after the wait for others that do. */
export async function takeTokens(
  scope: StatementScope,
  { limitId, most }: { limitId: LimitId; most: number },
): Promise<TokenGrant | null> {
  const bucket = await scope.buckets.lock(String(limitId));
  if (!bucket) return null;
  const { now } = scope;
  const tokens = tokensAt(bucket, now);
  const granted = Math.min(most, wholeTokens(tokens));
  const left = tokens - granted;
  await scope.buckets.write(String(limitId), { ...bucket, tokens: left, refilledAt: now });
  return { granted, nextMs: granted < most ? nextTokenMs(bucket.rate, left) : 0 };
}

export function readLimits(scope: StatementScope): LimitState[] {
  const limits = scope.flowLimits.values().sort((one, other) => one.id - other.id);
  return limits.map((limit) => {
    const bucket = scope.buckets.get(String(limit.id));
    const running = limit.maxRunning === null ? null : occupants(scope, limit).length;
    return { id: limit.id, running, tokens: bucket ? wholeTokens(tokensAt(bucket, scope.now)) : null };
  });
}

function runningOf({ tasks, types }: StatementScope, { namespace, typeId }: FlowLimitRow): string[] {
  const isMeant = (row: { typeId: number }): boolean => {
    if (typeId !== null) return row.typeId === typeId;
    const type = types.get(String(row.typeId));
    return type?.namespace === namespace && !isOwnType(type.type);
  };
  const running = tasks.values().filter((row) => row.state === "running" && isMeant(row));
  return running.map(({ id }) => id);
}

/** Each once, in the order in which all lock them. */
function inOrder(limitIds: readonly LimitId[]): LimitId[] {
  return [...new Set(limitIds)].sort((one, other) => one - other);
}
