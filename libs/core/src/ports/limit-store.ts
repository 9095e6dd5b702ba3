import type { EpochMs, TypeId } from "../task/task.js";
import type { ClaimReply, ClaimRequest } from "./task-store.js";

/** The number of a limit's row. A limit that is set again after it was taken away has another one. */
export type LimitId = number;

/** How often tasks may start in the whole cluster: `count` in `perMs`, and `burst` at once after a rest. */
export interface Rate {
  /** 1 to 1,000,000. */
  count: number;
  /** In milliseconds, up to a day. */
  perMs: number;
  /** 1 to 1,000,000. */
  burst: number;
}

/** What may run in the whole cluster. Null: as much as there is room for. */
export interface LimitValues {
  /** How many tasks may run at once, 1 to 1,000. */
  maxRunning: number | null;
  rate: Rate | null;
}

export const NO_LIMIT: LimitValues = { maxRunning: null, rate: null };

/** How many types of a namespace, and it itself, may have limits. */
export const MAX_LIMITS_OF_NAMESPACE = 1_000;

/** The limits of a type, or of all types of a namespace together but for our own. */
export interface FlowLimit extends LimitValues {
  id: LimitId;
  namespace: string;
  /** Null: the namespace's. */
  typeId: TypeId | null;
  changedAt: EpochMs;
  /** Who changed it last. */
  changedBy: string;
}

/** How many tokens a rate gives in so many milliseconds, without its burst. */
export function tokensIn({ count, perMs }: Rate, ms: number): number {
  return (count * ms) / perMs;
}

/** A claim of tasks of one type. */
export interface LimitedClaimRequest extends ClaimRequest {
  /** The limits of the type and of its namespace: those with `maxRunning`. At least one. */
  limitIds: readonly LimitId[];
  /** At most so many are claimed, however many ids and places there are. At least 1. */
  most: number;
}

/**
 * `taken`: another claim holds one of the limits just now, or one of them is gone; nothing was claimed. `places`: how
 * many were free for this claim; it has taken as many as `tasks` are. `full`: the limits that have no free place any
 * more. For a fenced claim: 0, and none.
 */
export type LimitedClaimReply =
  | { outcome: "taken" }
  | ({ outcome: "answered"; places: number; full: LimitId[] } & ClaimReply);

/** What runs of a limit's subject already, to take its places. */
export interface Places {
  limitId: LimitId;
  ids: readonly string[];
}

/** `granted`: how many may start. `nextMs`: in so many milliseconds there is the next one; 0: all were granted. */
export interface TokenGrant {
  granted: number;
  nextMs: number;
}

/** How full a limit is just now. */
export interface LimitState {
  id: LimitId;
  /** Tasks that hold its places; null: it has no `maxRunning`. */
  running: number | null;
  /** Whole tokens; null: it has no rate. */
  tokens: number | null;
}

/** Whether nothing more may start by this limit just now. */
export function isLimitFull({ maxRunning }: LimitValues, { running, tokens }: Omit<LimitState, "id">): boolean {
  return (maxRunning !== null && (running ?? 0) >= maxRunning) || (tokens !== null && tokens < 1);
}

/**
 * The limits of the whole cluster, which are set as `SettingStore` has it.
 *
 * `maxRunning` is never exceeded: a limit's row names the tasks that hold its places, and those of them that run still
 * do. All claims of a limited type are made while they hold the row, so nobody has to give a place back: an end, a
 * release or a node's death frees it by what the task's own row says.
 *
 * A rate gives tokens by the store's clock, which nobody gives back.
 */
export interface LimitStore {
  /**
   * The claim of {@link ClaimRequest} within limits. The first of `ids`, in their order, that can be claimed take what
   * places there are, `most` at most: so a request names more ids than it wants, for others may have had some of them.
   */
  claimLimited(request: LimitedClaimRequest): Promise<LimitedClaimReply>;
  /** Tasks that were claimed before their node knew the limits take places, whether or not there are any free. */
  adoptPlaces(places: readonly Places[]): Promise<void>;
  /** The same for all tasks of these limits' subjects that run, on whatever node. Limits that are gone are left out. */
  adoptRunning(limitIds: readonly LimitId[]): Promise<void>;
  /** Takes tokens of a rate, at most `most`; null: it is gone. */
  takeTokens(request: { limitId: LimitId; most: number }): Promise<TokenGrant | null>;
  /** All limits, in the order of their numbers, for people: what a claim reads is newer. */
  readLimits(): Promise<LimitState[]>;
}
