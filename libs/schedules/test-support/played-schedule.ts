import {
  decide,
  decideEdit,
  decidePause,
  decideResume,
  decideTrigger,
  Instants,
  type LastRun,
  type LiveOccurrence,
  newPlanningState,
  type PlanningInput,
  type PlanningOutput,
  type PlanningState,
  type ScheduleDefinition,
  standIn,
} from "@tickwheel/schedules";

/** What became of an instant. */
export type Fate = "run" | "skipped" | "ended";

/**
 * One chain of occurrences, played by hand: time, starts, attempts and ends are the test's, decisions are production's.
 * It keeps what became of each instant, and throws as soon as an instant gets two fates or a promise of planning
 * breaks.
 */
export class PlayedSchedule {
  state: PlanningState;
  live: LiveOccurrence | null = null;
  last: LastRun | null = null;
  /** What the last decision said. */
  output: PlanningOutput | null = null;
  readonly fates = new Map<number, Fate>();
  readonly reasons = new Map<number, string>();
  private isEdited = false;
  private startDeadlineAt: number | null = null;
  private expectedStandIn: { occurrenceAt: number; missed: number } | null = null;

  constructor(
    public definition: ScheduleDefinition,
    public now: number,
  ) {
    this.state = newPlanningState(definition.createdAt);
  }

  decide(): void {
    this.apply(decide(this.input()));
    this.expectNothingNew();
  }

  pause(until: number | null = null): void {
    this.apply(decidePause(this.input(), { until }), "may fall");
  }

  resume(): void {
    this.apply(decideResume(this.input()));
    this.expectNothingNew();
  }

  edit(definition: ScheduleDefinition): void {
    const output = decideEdit(this.input(), definition);
    this.apply(output, "may fall", definition);
    this.isEdited = true;
  }

  trigger(): void {
    const output = decideTrigger(this.input());
    if (output) this.apply(output, "may fall");
  }

  /** The first attempt starts, or the next one. A start after the deadline is an expiry. */
  start(): void {
    const { live, now } = this;
    if (!live || now < live.dueAt || live.state === "running") return;
    if (live.startedAt === null && this.startDeadlineAt !== null && now > this.startDeadlineAt)
      return this.endUnstarted();
    const isFirst = live.startedAt === null;
    if (isFirst) {
      const run = { at: live.at, startedAt: now, plannedUntil: this.state.plannedUntil, isTrigger: live.isTrigger };
      const { occurrenceAt, missed } = standIn(this.definition, run);
      this.expectedStandIn = occurrenceAt === live.at ? null : { occurrenceAt, missed };
      if (!live.isTrigger) this.note(live.at, "run");
    }
    this.live = { ...live, state: "running", startedAt: live.startedAt ?? now, attemptEndedAt: null };
  }

  /** The attempt fails and the run waits for its retry. */
  fail(): void {
    const { live, now } = this;
    if (live?.state !== "running") return;
    if (!live.hasAttemptsLeft) return this.end();
    this.live = { ...live, state: "retrying", attemptEndedAt: now };
  }

  /** The run ends; an occurrence that has not started is cancelled by hand. */
  end(): void {
    const { live, now } = this;
    if (!live) return;
    if (live.startedAt === null) return this.endUnstarted();
    this.last = { at: live.at, startedAt: live.startedAt, endedAt: now, isTrigger: live.isTrigger };
    this.live = null;
  }

  /** Instants up to `plannedUntil` that have no fate, or another number of fates than one. */
  unaccounted(): number[] {
    const waiting = new Set(this.state.backlog.map(({ at }) => at));
    const instants = new Instants(this.definition);
    const lost: number[] = [];
    for (const at of instants.forward(this.definition.createdAt)) {
      if (at > this.state.plannedUntil) break;
      const isAheadAndExcluded = instants.isExcluded(at) && at > this.state.settledUntil;
      const isLive = this.live?.at === at && this.live.startedAt === null && !this.live.isTrigger;
      const places = [this.fates.has(at), waiting.has(at), isLive, isAheadAndExcluded];
      if (places.filter(Boolean).length !== 1) lost.push(at);
    }
    return lost;
  }

  input(): PlanningInput {
    const { definition, state, now, live, last } = this;
    const isOverdue = live !== null && live.startedAt === null && live.dueAt <= now;
    return { definition, state, now, live: isOverdue ? { ...live, state: "overdue" } : live, last };
  }

  private endUnstarted(): void {
    const { live, now } = this;
    if (!live!.isTrigger) this.note(live!.at, "ended");
    this.last = { at: live!.at, startedAt: null, endedAt: now, isTrigger: live!.isTrigger };
    this.live = null;
  }

  private apply(output: PlanningOutput, planned: "rises" | "may fall" = "rises", definition = this.definition): void {
    if (output.state.settledUntil < this.state.settledUntil) throw new Error("settledUntil fell");
    if (planned === "rises" && output.state.plannedUntil < this.state.plannedUntil)
      throw new Error("plannedUntil fell");
    this.followStandIn(output);
    this.followLive(output);
    for (const skip of output.skips) this.noteSkips(skip);
    this.definition = definition;
    this.state = output.state;
    this.output = output;
    if (output.insert.length > 1) throw new Error("a chain has one live occurrence");
    const [next] = output.insert;
    if (!next) return;
    if (this.live) throw new Error("the key is taken");
    if (!next.isTrigger && this.fates.has(next.at)) throw new Error(`${next.at} is planned a second time`);
    this.startDeadlineAt = next.startDeadlineAt;
    const { at, dueAt, isTrigger } = next;
    const fresh = { startedAt: null, attemptEndedAt: null, hasAttemptsLeft: true, isCancelRequested: false };
    this.live = { at, dueAt, state: "scheduled", ...fresh, isTrigger };
  }

  /** A run stands for what the node was told when it started. */
  private followStandIn({ standIn: decided }: PlanningOutput): void {
    if (!decided) return;
    const { occurrenceAt, missed } = decided;
    if (JSON.stringify({ occurrenceAt, missed }) !== JSON.stringify(this.expectedStandIn))
      throw new Error("the decision and the node name another instant for a late run");
    const run = this.live ?? this.last;
    this.fates.delete(run!.at);
    this.note(occurrenceAt, "run");
  }

  private followLive({ live: verdict }: PlanningOutput): void {
    const { live, now } = this;
    if (!live || verdict === "keep") return;
    if (verdict === "withdraw") this.live = null;
    else if (live.state === "retrying") {
      this.last = { at: live.at, startedAt: live.startedAt, endedAt: now, isTrigger: live.isTrigger };
      this.live = null;
    } else if (verdict === "cancel") this.live = { ...live, isCancelRequested: true };
    else this.live = { ...live, hasAttemptsLeft: false };
  }

  private noteSkips({ from, to, count, hasMore, reason }: PlanningOutput["skips"][number]): void {
    const told = new Set([from, to]);
    for (const at of new Instants(this.definition).forward(from - 1)) {
      if (at > to) break;
      told.add(at);
    }
    for (const at of told) {
      this.note(at, "skipped");
      this.reasons.set(at, reason);
    }
    // After an edit a stretch may hold an instant that only the old definition has.
    const isWrong = hasMore ? told.size < count : told.size !== count;
    if (isWrong && !this.isEdited) throw new Error(`a stretch of ${told.size} is told as ${count}`);
  }

  private note(at: number, fate: Fate): void {
    if (this.fates.has(at)) throw new Error(`${at} was ${this.fates.get(at)} and is ${fate}`);
    this.fates.set(at, fate);
  }

  private expectNothingNew(): void {
    const { insert, skips, live, state } = decide(this.input());
    const isSame = JSON.stringify(state) === JSON.stringify(this.state);
    if (insert.length + skips.length > 0 || live !== "keep" || !isSame) throw new Error("asked twice, it decides anew");
  }
}
