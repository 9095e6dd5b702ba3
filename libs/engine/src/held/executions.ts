import type {
  ClaimedTask,
  Completion,
  EpochMs,
  Execution,
  ExecutionRef,
  Finder,
  LatenessParts,
  SystemContext,
  TaskType,
  TypeId,
} from "@tickwheel/core";
import type { AbortCause } from "./abort-reasons.js";
import { ShrinkingMap } from "./shrinking-map.js";

/**
 * `claimed`: waits for its start. `running`: its handler was called. `ended`: its end waits for the store's
 * acknowledgement; the handler's later result is ignored.
 */
export type ExecutionState = "claimed" | "running" | "ended";

/**
 * One execution as this node holds it, and the argument of its executor. It is one object for both, without fields that
 * few executions need: there are thousands a second, and their garbage is collected while others are due.
 */
export class ExecutionEntry implements Execution {
  state: ExecutionState = "claimed";
  /** When its handler was called; 0: not yet. */
  startedAt: EpochMs = 0;
  /** Where the lateness of its start went; null: it has not started. */
  latenessParts: LatenessParts | null = null;
  /** Since when it has waited for a place, although it was claimed; 0: it has not. */
  placelessMonoMs = 0;
  /** The first cause of its abort. */
  abortCause: AbortCause | null = null;
  /** When its time-out is over; Infinity: its handler was not called yet. */
  endsMonoMs = Infinity;
  /** Its place among those whose handlers have not returned. */
  calledPlace = -1;
  /** The asynchronous context of its handler; null: it was not called yet. */
  context: SystemContext | null = null;
  private aborting: AbortController | null = null;

  constructor(
    readonly task: ClaimedTask,
    private readonly knownType: TaskType | undefined,
    private readonly held: ClaimedWay & {
      /** Since when it is known to be this node's: the claim was sent, or a verification answered. */
      knownMonoMs: number;
      forget: (task: ClaimedTask, completion: Committed) => void;
      isForgotten: (typeId: TypeId) => boolean;
    },
  ) {}

  /** Shared by all executions of this node. */
  get type(): TaskType {
    return this.knownType!;
  }

  get foundBy(): Finder {
    return this.held.found.foundBy;
  }

  get isForgotten(): boolean {
    return this.held.isForgotten(this.task.typeId);
  }

  /** How it came to this node, up to the answer of its claim. */
  get way(): ClaimedWay {
    return this.held;
  }

  get knownMonoMs(): number {
    return this.held.knownMonoMs;
  }

  /** The store has just confirmed that it is this node's. */
  verified(atMonoMs: number): void {
    this.held.knownMonoMs = atMonoMs;
  }

  /** A signal costs more than the rest of an execution, and few handlers read theirs. */
  get signal(): AbortSignal {
    return (this.aborting ??= new AbortController()).signal;
  }

  /** Listeners of the signal are called in the handler's context, not in that of the abort's caller. */
  abort(reason: Error): void {
    const aborting = (this.aborting ??= new AbortController());
    if (this.context === null) aborting.abort(reason);
    else this.context.run(() => aborting.abort(reason));
  }

  /** Its handler's own transaction has completed it: nothing is left to settle. */
  committed(completion: Completion, finishedAt: EpochMs): void {
    if (this.state === "ended") return;
    this.state = "ended";
    this.held.forget(this.task, { ...completion, finishedAt });
  }
}

/**
 * A completion that its handler's own transaction has committed; `finishedAt`: when the task ended, as its row says.
 */
export type Committed = Completion & { finishedAt: EpochMs };

/** When a task passed the points of its way to this node, in monotonic milliseconds. */
export interface ClaimedWay {
  found: WayToClaim;
  /** Shared by the tasks of one claim. */
  claim: ClaimTimes;
}

/** When a claim was sent, and answered. */
export interface ClaimTimes {
  sentMonoMs: number;
  answeredMonoMs: number;
}

/** The way up to the claim. */
export interface WayToClaim {
  id: string;
  foundBy: Finder;
  knownMonoMs: number;
  readyMonoMs: number;
  offeredMonoMs: number;
}

/** The tasks of a claim that has been sent and not answered. They are forgotten together. */
export type ClaimInFlight = ReadonlyMap<string, WayToClaim>;

/** Tasks that were in memory at any time while a watch was open. */
export interface HoldingsWatch {
  /** Whether this execution, or a claim of its task in flight, was held at any time since the watch began. */
  held(ref: { id: string; fence: number }): boolean;
  close(): void;
}

/**
 * All executions that this node knows, from the reply of their claim until the store has acknowledged their end; also
 * the ids of the claims in flight and of claims without an answer. Bounded by the node's places and by the settles that
 * may wait.
 */
export class Executions {
  /** By task, the latest one. */
  private readonly entries = new ShrinkingMap<string, ExecutionEntry>();
  /** Earlier executions of the same tasks; there are seldom any. */
  private earlier: ExecutionEntry[] = [];
  /** Two of each claimer at most: one on its way, and one whose answer is being taken over. */
  private readonly claims = new Set<ClaimInFlight>();
  /** Tasks whose claim got no answer, by the number of the last lost claim. */
  private readonly doubted = new Map<string, number>();
  private lostClaims = 0;
  private readonly watches = new Set<Set<string>>();
  private readonly forget = (task: ClaimedTask, completion: Committed): void => {
    this.remove(task);
    this.completed(task, completion);
  };

  /**
   * @param completed called for an execution that its handler's own transaction has completed
   * @param isForgotten whether rows of a type are deleted when their tasks succeed
   */
  constructor(
    private readonly completed: (task: ClaimedTask, completion: Committed) => void = () => undefined,
    private readonly isForgotten: (typeId: TypeId) => boolean = () => false,
  ) {}

  get size(): number {
    return this.entries.size + this.earlier.length;
  }

  all(): ExecutionEntry[] {
    return [...this.entries.values(), ...this.earlier];
  }

  in(state: ExecutionState): ExecutionEntry[] {
    return this.all().filter((entry) => entry.state === state);
  }

  /** All that have not ended. */
  *unfinished(): Iterable<ExecutionEntry> {
    for (const entry of this.entries.values()) if (entry.state !== "ended") yield entry;
    for (const entry of this.earlier) if (entry.state !== "ended") yield entry;
  }

  get(ref: { id: string; fence: number }): ExecutionEntry | undefined {
    const last = this.entries.get(ref.id);
    return last !== undefined && isOf(last, ref) ? last : this.earlier.find((entry) => isOf(entry, ref));
  }

  isClaiming(id: string): boolean {
    for (const claim of this.claims) if (claim.has(id)) return true;
    return false;
  }

  /** @returns what its sender tells of it later */
  claimSent(batch: readonly WayToClaim[]): ClaimInFlight {
    const claim = new Map<string, WayToClaim>();
    for (const found of batch) {
      claim.set(found.id, found);
      for (const seen of this.watches) seen.add(found.id);
    }
    this.claims.add(claim);
    return claim;
  }

  /** A claim is over; its tasks, if any, were added before. */
  claimOver(claim: ClaimInFlight): void {
    this.claims.delete(claim);
  }

  /** A claim got no answer: its effect is unknown until the store was asked. */
  claimLost(claim: ClaimInFlight): void {
    this.lostClaims++;
    for (const id of claim.keys()) this.doubted.set(id, this.lostClaims);
    this.claimOver(claim);
  }

  /** Tasks whose claim got no answer. */
  inDoubt(): string[] {
    return [...this.doubted.keys()];
  }

  /** How many claims got no answer so far. */
  get claimsLost(): number {
    return this.lostClaims;
  }

  /** The store was asked after this many claims had been lost: their effect is known. */
  doubtOver(claimsLost: number): void {
    for (const [id, claim] of this.doubted) if (claim <= claimsLost) this.doubted.delete(id);
  }

  /** Tasks of the claims in flight. */
  inClaim(): string[] {
    return [...this.claims].flatMap((claim) => [...claim.keys()]);
  }

  /** Takes over what a claim in flight has brought. */
  add(task: ClaimedTask, type: TaskType | undefined, claim: ClaimTimes): ExecutionEntry {
    const found = this.wayOf(task.id)!;
    const { forget, isForgotten } = this;
    const held = { found, claim, knownMonoMs: claim.sentMonoMs, forget, isForgotten };
    const entry = new ExecutionEntry(task, type, held);
    this.setAside(task);
    this.entries.set(task.id, entry);
    for (const seen of this.watches) seen.add(nameOf(task));
    return entry;
  }

  remove(ref: ExecutionRef): void {
    const last = this.entries.get(ref.id);
    if (last !== undefined && isOf(last, ref)) this.entries.delete(ref.id);
    else if (this.earlier.length > 0) this.earlier = this.earlier.filter((entry) => !isOf(entry, ref));
  }

  /** Records what is held from now on, until `close`. */
  watch(): HoldingsWatch {
    const seen = new Set<string>([...this.all().map(({ task }) => nameOf(task)), ...this.inClaim()]);
    this.watches.add(seen);
    return {
      held: (ref) => seen.has(nameOf(ref)) || seen.has(ref.id),
      close: () => this.watches.delete(seen),
    };
  }

  private wayOf(id: string): WayToClaim | undefined {
    for (const claim of this.claims) {
      const way = claim.get(id);
      if (way !== undefined) return way;
    }
    return undefined;
  }

  /** Makes room for an execution: another one of its task is kept, one with the same fence is replaced. */
  private setAside(task: ClaimedTask): void {
    const last = this.entries.get(task.id);
    if (this.earlier.length > 0) this.earlier = this.earlier.filter((entry) => !isOf(entry, task));
    if (last !== undefined && !isOf(last, task)) this.earlier.push(last);
  }
}

function isOf({ task }: ExecutionEntry, ref: { id: string; fence: number }): boolean {
  return task.fence === ref.fence && task.id === ref.id;
}

function nameOf(ref: { id: string; fence: number }): string {
  return `${ref.id}:${ref.fence}`;
}
