import type { ClockTimer, TypeId } from "@tickwheel/core";
import type { Capacity } from "../held/capacity.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { ExecutionEntry, Executions } from "../held/executions.js";

/** A task that was running this often when its node died is suspected of the crash, whatever the real cause. */
const SUSPECT_AFTER_CRASHES = 2;
/** How often, and for how long at most, a suspect checks whether the other executions of its type here have ended. */
const LOOK_INTERVAL_MS = 50;
const PATIENCE_MS = 10_000;
/**
 * Suspects that find the quarantine taken are postponed for longer each time, those of one claim one after the other.
 */
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
const SPACING_MS = 50;

interface QuarantineParts {
  executions: Pick<Executions, "unfinished">;
  capacity: Pick<Capacity, "closedTypeId">;
  /** They may start. */
  start: (entries: readonly ExecutionEntry[]) => void;
  /** Postpone it, and do not keep it here meanwhile: a crash would be charged to it, too. */
  postpone: (entry: ExecutionEntry, delayMs: number) => void;
  giveBack: (entry: ExecutionEntry) => void;
  /** The type may be claimed again. */
  opened: () => void;
}

/**
 * [poison-stops]: lets tasks start that were running when a node died.
 *
 * A suspect (it ran in a blocked loop when its node died, or when two nodes died) starts only in quarantine: it holds
 * the one place that the cluster has for suspects, and on its node nothing else of its type runs meanwhile. So if that
 * node dies, too, the culprit is known, and no other suspect is charged. All other work goes on beside it. The store's
 * row decides which task is in quarantine. The place is free when the occupant's row has left `running`, so it never
 * leaks. Suspects that find it taken are postponed, uncharged, for longer each time.
 *
 * Cost: none for tasks that have never crashed; for a claim's others one look, and one short transaction if the first
 * is a suspect. If the store does not answer they are given back.
 */
export class Quarantine {
  private occupant: ExecutionEntry | null = null;
  private occupiedMonoMs = 0;
  private lookTimer: ClockTimer | null = null;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: QuarantineParts,
  ) {}

  /** Whether a task of this type may start now, beside the one in quarantine. */
  admits(typeId: TypeId): boolean {
    return typeId !== this.parts.capacity.closedTypeId;
  }

  /** Starts tasks that have crashed, postpones them or gives them back. */
  async judge(entries: readonly ExecutionEntry[]): Promise<void> {
    try {
      const suspects = await this.suspectsAmong(entries);
      this.parts.start(entries.filter((entry) => !suspects.has(entry) && entry.state === "claimed"));
      await this.judgeSuspects([...suspects].filter(({ state }) => state === "claimed"));
    } catch {
      // The writers report the store's absence, and the tasks that are given back are claimed again.
      for (const entry of entries) if (entry.state === "claimed" && !this.isWaiting(entry)) this.parts.giveBack(entry);
    }
  }

  /** An execution has ended, or was given back. */
  left(entry: ExecutionEntry): void {
    if (entry !== this.occupant) return;
    this.occupant = null;
    this.lookTimer?.clear();
    this.lookTimer = null;
    this.parts.capacity.closedTypeId = null;
    this.parts.opened();
  }

  private isWaiting(entry: ExecutionEntry): boolean {
    return entry === this.occupant && this.lookTimer !== null;
  }

  private async suspectsAmong(entries: readonly ExecutionEntry[]): Promise<Set<ExecutionEntry>> {
    const unclear = entries.filter(({ task }) => task.crashCount < SUSPECT_AFTER_CRASHES).map(({ task }) => task.id);
    const named = new Set(unclear.length === 0 ? [] : await this.context.tasks.suspectsAmong(unclear));
    const isSuspect = ({ task }: ExecutionEntry): boolean =>
      task.crashCount >= SUSPECT_AFTER_CRASHES || named.has(task.id);
    return new Set(entries.filter(isSuspect));
  }

  private async judgeSuspects([first, ...others]: readonly ExecutionEntry[]): Promise<void> {
    if (first === undefined) return;
    const { clock } = this.context;
    const occupiedForMs = this.occupant === null ? await this.enter(first) : clock.monotonicMs() - this.occupiedMonoMs;
    const waitMs = Math.min(Math.max(occupiedForMs ?? 0, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
    const waiting = occupiedForMs === null ? others : [first, ...others];
    for (const [place, entry] of waiting.entries())
      if (entry.state === "claimed") this.parts.postpone(entry, waitMs + place * SPACING_MS);
  }

  /** How long the place has been taken by another; null: this one has entered. */
  private async enter(entry: ExecutionEntry): Promise<number | null> {
    const { id, owner, fence, typeId } = entry.task;
    this.occupant = entry;
    this.occupiedMonoMs = this.context.clock.monotonicMs();
    this.parts.capacity.closedTypeId = typeId;
    try {
      const reply = await this.context.tasks.enterQuarantine({ id, owner, fence });
      if (reply.entered && entry.state === "claimed") {
        this.awaitOthers(entry, this.context.clock.monotonicMs() + PATIENCE_MS);
        return null;
      }
      this.left(entry);
      return reply.entered ? 0 : reply.occupiedForMs;
    } catch (error) {
      this.left(entry);
      throw error;
    }
  }

  private awaitOthers(entry: ExecutionEntry, untilMonoMs: number): void {
    this.lookTimer = null;
    if (entry.state !== "claimed") return;
    if (!this.hasOthers(entry)) return this.parts.start([entry]);
    const { clock } = this.context;
    if (clock.monotonicMs() >= untilMonoMs) return this.parts.postpone(entry, LONGEST_WAIT_MS);
    this.lookTimer = clock.setTimer(LOOK_INTERVAL_MS, () => this.awaitOthers(entry, untilMonoMs));
  }

  private hasOthers({ task }: ExecutionEntry): boolean {
    for (const other of this.parts.executions.unfinished())
      if (other.task.typeId === task.typeId && other.task.id !== task.id) return true;
    return false;
  }
}
