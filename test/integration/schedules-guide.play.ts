import {
  backfillFates,
  decide,
  instantsIn,
  type PlanningOutput,
  type ScheduleDefinition,
  type ScheduleRun,
  standIn,
} from "@tickwheel/schedules";
import { PlayedSchedule } from "../../libs/schedules/test-support/played-schedule.js";

/** Reads a schedule that an example writes. */
type DefinitionReader = (text: string, createdAt: number) => ScheduleDefinition;

/** A schedule to which an example's events happen; what it then does is told in the words of the guide. */
export class SchedulePlay {
  private readonly played: PlayedSchedule;
  /** What the handler of the run was told at its start. */
  private told: { at: number; missed: number } | null = null;
  private readonly skips: ScheduleRun[] = [];

  constructor(
    definition: ScheduleDefinition,
    private readonly tell: (at: number) => string,
  ) {
    this.played = new PlayedSchedule(definition, definition.createdAt);
  }

  /** @returns what the schedule does at this event */
  play(event: string, now: number): string {
    this.played.now = now;
    if (this.isOpen) return this.decidedOpen();
    const events: Readonly<Record<string, () => string>> = {
      "is made": () => this.decided(() => this.played.decide()),
      "is due": () => this.decided(() => this.played.decide()),
      starts: () => this.started(),
      "starts again": () => this.started(),
      fails: () => this.failed(),
      "its node dies": () => this.failed(),
      ends: () => this.ended(0),
      "is dead": () => this.ended(this.played.state.failures + 1),
      "is paused": () => this.decided(() => this.played.pause()),
      "is resumed": () => this.decided(() => this.played.resume()),
      "is triggered": () => this.triggered(),
    };
    const happen = events[event];
    if (!happen) throw new Error(`no example can play "${event}"`);
    return happen();
  }

  /** Gives the schedule another definition. */
  edit(now: number, text: string, definitionOf: DefinitionReader): string {
    this.played.now = now;
    return this.decided(() => this.played.edit(definitionOf(text, this.played.definition.createdAt)));
  }

  /** The instants from this one on that a backfill would run now, and why they had no run. */
  backfill(now: number, from: number): string {
    const { definition, state } = this.played;
    const { instants } = instantsIn(definition, { from, to: now, limit: 100 });
    const planning = { ...state, backfilled: [] };
    const past = { runs: this.skips, areAll: true };
    const fates = backfillFates(instants, { createdAt: definition.createdAt, planning, past });
    const ready = fates.filter(({ fate }) => fate === "ready");
    return ready.map(({ at, skipped }) => `${this.tell(at)} was ${skipped}`).join(", ");
  }

  private get isOpen(): boolean {
    return this.played.definition.policies.overlap === "allow";
  }

  /** With overlap `allow` each instant is a task of its own, and what lives is not asked for. */
  private decidedOpen(): string {
    const { definition, now, state } = this.played;
    const output = decide({ definition, state, now, live: null, last: null });
    this.played.state = output.state;
    const planned = output.insert.map(({ at }) => `${this.tell(at)} is planned`);
    return planned.length > 0 ? planned.join("; ") : `looks again at ${this.tell(output.lookAt!)}`;
  }

  private started(): string {
    const { definition, live, now, state, output } = this.played;
    if (live!.startedAt !== null) {
      this.played.start();
      return `runs ${this.tell(this.told!.at)} again`;
    }
    const run = { at: live!.at, startedAt: now, plannedUntil: state.plannedUntil, isTrigger: live!.isTrigger };
    const { occurrenceAt, missed } = standIn(definition, run);
    this.told = { at: occurrenceAt, missed: missed + (output?.insert[0]?.missed ?? 0) };
    this.played.start();
    if (this.played.live?.state !== "running")
      return `${this.tell(live!.at)} expires; ${this.decided(() => this.played.decide())}`;
    return `runs ${this.tell(occurrenceAt)}, missed ${this.told.missed}`;
  }

  private failed(): string {
    this.played.fail();
    return this.decided(() => this.played.decide(), "waits for its next attempt");
  }

  private ended(failures: number): string {
    this.played.state = { ...this.played.state, failures };
    this.played.end();
    return this.decided(() => this.played.decide());
  }

  private triggered(): string {
    return this.decided(() => this.played.trigger(), "409 TASK_STATE_CONFLICT");
  }

  /** What a decision comes to. `otherwise`: said where it comes to nothing. */
  private decided(act: () => void, otherwise = "nothing changes"): string {
    this.played.output = null;
    act();
    const { output } = this.played;
    const parts = output === null ? [] : this.partsOf(output);
    return parts.length === 0 ? otherwise : parts.join("; ");
  }

  private partsOf({ skips, live, state, insert, isFinished }: PlanningOutput): string[] {
    const { tell } = this;
    const waiting = state.backlog.map(({ at }) => tell(at));
    for (const skip of skips) this.skips.push({ kind: "skip", seq: this.skips.length + 1, ...skip });
    return [
      ...skips.map(({ from, to, count, reason }) =>
        count === 1 ? `${tell(from)} ${reason}` : `${tell(from)} to ${tell(to)} ${reason}: ${count}`,
      ),
      ...(live === "cancel" ? ["the run is asked to stop"] : []),
      ...(live === "end-retries" ? ["no further attempt"] : []),
      ...(state.pause ? [state.pause.reason === "FAILURES" ? "pauses itself" : "paused"] : []),
      ...insert.map(({ at, dueAt, missed }) => {
        const when = dueAt <= this.played.now ? `${tell(at)} at once` : `next ${tell(at)}`;
        return missed === 0 ? when : `${when}, missed ${missed}`;
      }),
      ...(waiting.length > 0 ? [`${waiting.join(", ")} behind it`] : []),
      ...(isFinished ? ["finished"] : []),
    ];
  }
}
