import type { EpochMs } from "@tickwheel/core";
import { Instants } from "../instants/instants.js";
import { GRACE_MS } from "../definition/schedule.js";
import { type ExecutedRun, executedRun } from "./executed-run.js";
import { MOST_STEPS, type PlanningInput, type StandIn, type WaitingInstant } from "./planning.js";
import { SkipLedger } from "./skip-ledger.js";

/** What became of all instants that are due. */
export interface Settlement {
  instants: Instants;
  ledger: SkipLedger;
  backlog: WaitingInstant[];
  settledUntil: EpochMs;
  standIn: StandIn | null;
  /** Whether an instant that is not excluded passed beside or after the last run. */
  hasPassed: boolean;
}

/** How instants are settled beside the policies. */
export interface SettleOptions {
  /** Every instant up to here is settled or excluded already. */
  accountedUntil: EpochMs;
  /** The time of a pause that this call ends. */
  pause?: { since: EpochMs; until: EpochMs };
  /** Misfire `last` and `skip` take none of the missed ones. */
  catchesUpNone?: boolean;
  /** None of the missed ones runs, since as many occurrences live as may. */
  isFull?: boolean;
}

/** Unsettled instants by their class, each list rising. */
interface Classes {
  paused: EpochMs[];
  tooOld: EpochMs[];
  overlapped: EpochMs[];
  missed: EpochMs[];
}

/**
 * Gives each instant that is due and not settled its class, and does with it what the policy of the class says: a skip
 * with its reason, or a place in the backlog. It chooses nothing and looks at no more than 1,000 instants, the newest.
 */
export function settle(input: PlanningInput, options: SettleOptions): Settlement {
  const instants = new Instants(input.definition);
  const settlement: Settlement = {
    instants,
    ledger: new SkipLedger(instants),
    backlog: [...input.state.backlog],
    settledUntil: Math.max(input.state.settledUntil, options.accountedUntil),
    standIn: null,
    hasPassed: false,
  };
  noteExcluded(settlement, input.state.settledUntil, options.accountedUntil);
  const due = unsettled(settlement, input);
  const run = executedRun(input);
  const classes = classified(due, { input, settlement, options, run });
  settlement.hasPassed = due.some((at) => !instants.isExcluded(at) && (!run || instants.dueAt(at) > run.startedAt));
  settlement.settledUntil = Math.max(settlement.settledUntil, due.at(-1) ?? 0);
  settlement.ledger.skipAll(classes.tooOld, "CATCH_UP_LIMIT");
  standInFor(classes, { input, settlement, run });
  const candidates = [
    ...pausedToRun(classes.paused, { input, settlement }),
    ...overlappedToRun(classes.overlapped, { input, settlement }),
    ...missedToRun(classes.missed, { input, settlement, options, run }),
  ];
  queue(candidates, { input, settlement });
  return settlement;
}

/**
 * Excluded instants that a choice passed over: they are told when the occurrence behind them is settled. Between the
 * two bounds there are no others, so what was not counted is one stretch.
 */
function noteExcluded({ instants, ledger }: Settlement, after: EpochMs, until: EpochMs): void {
  const found: EpochMs[] = [];
  for (const at of instants.forward(after)) {
    if (at > until) break;
    if (found.length === MOST_STEPS)
      return ledger.skipUncounted({ from: found[0]!, to: lastExcluded(instants, until) });
    if (instants.isExcluded(at)) found.push(at);
  }
  ledger.skipAll(found, "EXCLUDED");
}

function lastExcluded(instants: Instants, until: EpochMs): EpochMs {
  const last = instants.previous(until + 1)!;
  return instants.isExcluded(last) ? last : instants.previous(last)!;
}

/** The instants that are due and not settled, rising. Beyond 1,000 of them, the newest stand for the older ones. */
function unsettled({ instants, ledger }: Settlement, { state, now }: PlanningInput): EpochMs[] {
  const newest = instants.newestDueBy(now);
  if (newest === null) return [];
  const found: EpochMs[] = [];
  for (const at of instants.backward(newest + 1)) {
    if (at <= state.plannedUntil) break;
    found.push(at);
    if (found.length <= MOST_STEPS) continue;
    const oldest = instants.next(state.plannedUntil)!;
    if (oldest < at) ledger.reachesBackTo(oldest);
    break;
  }
  return found.reverse();
}

interface Settling {
  input: PlanningInput;
  settlement: Settlement;
  run: ExecutedRun | null;
  options: SettleOptions;
}

function classified(due: readonly EpochMs[], { input, settlement, options, run }: Settling): Classes {
  const { instants, ledger } = settlement;
  const classes: Classes = { paused: [], tooOld: [], overlapped: [], missed: [] };
  const limitMs = input.definition.policies.catchUpLimitMs ?? Infinity;
  for (const at of due) {
    const dueAt = instants.dueAt(at);
    // A run that started stands for what was due by then; its age counts from that start.
    const seenAt = run && dueAt <= run.startedAt ? run.startedAt : input.now;
    if (instants.isExcluded(at)) ledger.skip(at, "EXCLUDED");
    else if (options.pause && options.pause.since < dueAt && dueAt <= options.pause.until) classes.paused.push(at);
    else if (seenAt - dueAt > limitMs) classes.tooOld.push(at);
    else if (run && run.startedAt < dueAt && dueAt <= run.until) classes.overlapped.push(at);
    else classes.missed.push(at);
  }
  return classes;
}

/** With misfire `last`, a run that started late stands for the newest instant that was due by then. */
function standInFor(classes: Classes, { input, settlement, run }: Omit<Settling, "options">): void {
  if (!run || run.isTrigger || input.definition.policies.misfire.kind !== "last") return;
  const { instants, ledger } = settlement;
  const stood = classes.missed.filter((at) => at > run.at && instants.dueAt(at) <= run.startedAt);
  const newest = stood.pop();
  if (newest === undefined) return;
  classes.missed = classes.missed.filter((at) => at > newest);
  ledger.standsFor([run.at, ...stood]);
  settlement.standIn = {
    occurrenceAt: newest,
    missed: Math.min(stood.length + 1, MOST_STEPS),
    hasMissedMore: ledger.hasMore,
  };
}

function pausedToRun(
  paused: EpochMs[],
  { input, settlement }: Pick<Settling, "input" | "settlement">,
): WaitingInstant[] {
  const newest = input.definition.policies.onResume === "last" ? paused.pop() : undefined;
  settlement.ledger.skipAll(paused, "PAUSED");
  return newest === undefined ? [] : [{ at: newest, reason: "PAUSED" }];
}

function overlappedToRun(
  overlapped: EpochMs[],
  { input, settlement }: Pick<Settling, "input" | "settlement">,
): WaitingInstant[] {
  const newest = input.definition.policies.overlap === "skip" ? undefined : overlapped.pop();
  settlement.ledger.skipAll(overlapped, "OVERLAP");
  return newest === undefined ? [] : [{ at: newest, reason: "OVERLAP" }];
}

function missedToRun(missed: EpochMs[], { input, settlement, options, run }: Settling): WaitingInstant[] {
  const { ledger } = settlement;
  const { misfire } = input.definition.policies;
  if (options.isFull) {
    ledger.skipAll(missed, "LIVE_LIMIT");
    return [];
  }
  if (misfire.kind === "all") {
    ledger.skipAll(missed.splice(0, Math.max(missed.length - misfire.limit, 0)), "CATCH_UP_LIMIT");
    return missed.map((at) => ({ at, reason: "MISSED" }));
  }
  const newest = options.catchesUpNone ? undefined : missed.at(-1);
  if (newest === undefined || !isTaken(newest, { input, settlement, run })) {
    ledger.skipAll(missed, "MISSED");
    return [];
  }
  ledger.skipAll(missed.slice(0, -1), "MISSED");
  return [{ at: newest, reason: "MISSED" }];
}

/** Whether the newest missed instant runs: always, but with misfire `skip` only if it is hardly late. */
function isTaken(newest: EpochMs, { input, settlement, run }: Omit<Settling, "options">): boolean {
  if (input.definition.policies.misfire.kind === "last") return true;
  const dueAt = settlement.instants.dueAt(newest);
  // What was due before a run started has lost nothing: that run came instead.
  if (run && dueAt <= run.startedAt) return false;
  return input.now - dueAt <= GRACE_MS;
}

/** Puts candidates into the backlog and skips those that find no place there, each for the reason it waited for. */
function queue(candidates: WaitingInstant[], { input, settlement }: Pick<Settling, "input" | "settlement">): void {
  const { misfire, overlap } = input.definition.policies;
  const { ledger } = settlement;
  const waiting = [...settlement.backlog, ...candidates].sort((one, other) => one.at - other.at);
  const young = waiting.filter((each) => !isTooOld(each, { input, settlement }));
  for (const each of waiting) if (!young.includes(each)) ledger.skip(each.at, "CATCH_UP_LIMIT");
  const replacing = overlap === "cancel-other" && candidates.some(({ reason }) => reason === "OVERLAP");
  const keepsOne = misfire.kind !== "all" || replacing;
  const kept = keepsOne ? young.slice(-1) : keptOfAll(young, misfire.limit);
  const places = new Set(kept);
  for (const each of young)
    if (!places.has(each)) ledger.skip(each.at, replacing ? "OVERLAP" : displacedReason(each, misfire.kind));
  settlement.backlog = kept;
}

/** With misfire `all`: the newest overlapped one, and as many of the others as the limit allows. */
function keptOfAll(waiting: readonly WaitingInstant[], limit: number): WaitingInstant[] {
  const overlapped = waiting.findLast(({ reason }) => reason === "OVERLAP");
  const others = waiting.filter(({ reason }) => reason !== "OVERLAP").slice(-limit);
  return waiting.filter((each) => each === overlapped || others.includes(each));
}

function displacedReason({ reason }: WaitingInstant, misfire: string): WaitingInstant["reason"] | "CATCH_UP_LIMIT" {
  return misfire === "all" && reason === "MISSED" ? "CATCH_UP_LIMIT" : reason;
}

function isTooOld(
  { at, reason }: WaitingInstant,
  { input, settlement }: Pick<Settling, "input" | "settlement">,
): boolean {
  const { catchUpLimitMs } = input.definition.policies;
  if (catchUpLimitMs === null || reason === "PAUSED") return false;
  return input.now - settlement.instants.dueAt(at) > catchUpLimitMs;
}
