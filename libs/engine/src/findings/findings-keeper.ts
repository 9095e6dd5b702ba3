import {
  type Breaker,
  type BatchStore,
  type OperationStore,
  type BootId,
  causesOf,
  CLOSE_AFTER_MS,
  type DeadLetterStore,
  doneWithin,
  type FigureStore,
  type Finding,
  type FindingReport,
  type FindingStore,
  FindingTracker,
  type HeldSnapshot,
  type NodeVitals,
  type OverCapacity,
  type PolicyStore,
  presentNodes,
  type SceneSettings,
  type StalledSchedules,
  type UnsafeSetting,
} from "@tickwheel/core";
import type { ClusterStatus } from "@tickwheel/coordination";
import type { ScheduleStore } from "@tickwheel/schedules";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import { findingScene } from "./finding-scene.js";

const LOOK_INTERVAL_MS = 1_000;
/** A leader looks so often while nobody asks, so that the last day is known to those who ask later. */
const UNWATCHED_INTERVAL_MS = 5_000;
/** How long after a question this node goes on looking. */
const WATCHED_FOR_MS = 15_000;
/** A store that does not answer for so long is away. */
const PROBE_LIMIT_MS = 2_000;
/** The findings of the last day are read again after so long. */
const LAST_DAY_BELIEVED_MS = 3_000;
/** What was seen longer ago is not known any more. */
const KNOWN_FOR_MS = 2 * UNWATCHED_INTERVAL_MS;
/** An answer holds so many closed findings at most. */
const LAST_DAY_LIMIT = 500;

export interface FindingSources {
  /** `ip:pid`. */
  label: string;
  isLeading(): boolean;
  status(): Promise<ClusterStatus>;
  figures: FigureStore | null;
  findings: FindingStore | null;
  policies?: PolicyStore;
  /** What people have set, and for how long this node has known it. Default: nobody knows. */
  settings?: () => SceneSettings | null;
  /** Breakers that are not closed. Default: there are none. */
  breakers?: () => readonly Breaker[];
  /** Settings of servers that take promises away. Default: nobody looks. */
  unsafeSettings?: () => readonly UnsafeSetting[];
  /** Snapshots that have been held for too long. Default: nobody looks. */
  heldSnapshots?: () => readonly HeldSnapshot[];
  /** Default: there are no schedules. */
  schedules?: Pick<ScheduleStore, "stalled">;
  /** Default: there are no batches. */
  batches?: Pick<BatchStore, "troubled">;
  /** Default: there are no operations. */
  operations?: Pick<OperationStore, "troubled">;
  /** Default: dead tasks are not counted by cause. */
  deadLetters?: Pick<DeadLetterStore, "unseen">;
  /** The first bucket to come that holds more than the cluster starts. Default: not known. */
  overCapacity?: () => Promise<OverCapacity | null>;
}

/**
 * Looks what is the matter with the cluster. A node that is asked looks for itself, once a second while it is asked,
 * from what all nodes tell; the leader also looks every five seconds while nobody asks, and every second until it knows
 * whether a new cause lasts. Findings are written to rows that all share, so the nodes tell the same; while Postgres is
 * away, a node tells what it sees itself.
 *
 * Cost of a look: a probe of the store, the node rows, the figures of the types, the schedules that do not run, the
 * batches, operations and dead tasks that need somebody, one short transaction; all but the probe on the connections
 * for reads.
 */
export class FindingsKeeper extends PeriodicService {
  private readonly tracker = new FindingTracker();
  private lastVitals = new Map<BootId, NodeVitals>();
  private awaySinceMonoMs: number | null = null;
  private askedMonoMs = Number.NEGATIVE_INFINITY;
  private lookedMonoMs = Number.NEGATIVE_INFINITY;
  private lookedAt = 0;
  private underWay: Promise<void> | null = null;
  private lastDay: { findings: Finding[]; readMonoMs: number } = { findings: [], readMonoMs: Number.NEGATIVE_INFINITY };

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "health" | "tasks" | "dbClock" | "options">,
    private readonly sources: FindingSources,
  ) {
    super("findings", context);
  }

  async runOnce(): Promise<void> {
    const nowMonoMs = this.context.clock.monotonicMs();
    const isWatched = nowMonoMs - this.askedMonoMs < WATCHED_FOR_MS;
    const isDue = nowMonoMs - this.lookedMonoMs >= UNWATCHED_INTERVAL_MS || this.tracker.isUndecided;
    if (isWatched || (isDue && this.sources.isLeading())) await this.lookShared();
  }

  /** What is the case, at most a second old, and what was. Never throws: without Postgres it tells what it knows. */
  async report(): Promise<FindingReport> {
    const nowMonoMs = this.context.clock.monotonicMs();
    this.askedMonoMs = nowMonoMs;
    // Until a look has ended, what it saw has no rows to name it by.
    const isOld = nowMonoMs - this.lookedMonoMs >= LOOK_INTERVAL_MS;
    if (isOld || this.underWay !== null) await this.lookShared();
    await this.readLastDay();
    return { at: this.lookedAt, now: this.tracker.open(this.lookedAt), lastDay: this.lastDay.findings };
  }

  /** What this node knows without a look: what it last saw, if that is not long ago. */
  known(): Finding[] {
    const isOld = this.context.clock.monotonicMs() - this.lookedMonoMs > KNOWN_FOR_MS;
    return isOld ? [] : this.tracker.open(this.lookedAt);
  }

  protected intervalMs(): number {
    return LOOK_INTERVAL_MS;
  }

  private lookShared(): Promise<void> {
    this.underWay ??= this.look().finally(() => (this.underWay = null));
    return this.underWay;
  }

  private async look(): Promise<void> {
    const { dbClock, options } = this.context;
    const { label, figures, policies, batches, operations, deadLetters, overCapacity } = this.sources;
    const [postgresAwayForMs, { status, stalled }, types, conflicts, troubled, halted, unseen, over] =
      await Promise.all([
        this.probe(),
        this.statusAndStalled(),
        figures?.types(null).catch(() => null),
        policies?.conflicts().catch(() => null),
        batches?.troubled().catch(() => null),
        operations?.troubled().catch(() => null),
        deadLetters?.unseen().catch(() => null),
        overCapacity?.().catch(() => null),
      ]);
    this.remember(status);
    const nowMs = Math.round(dbClock.nowMs());
    const scene = findingScene({
      nowMs,
      label,
      status,
      postgresAwayForMs,
      options,
      lastVitals: this.lastVitals,
      figures: types ?? null,
      settings: this.sources.settings?.() ?? null,
      breakers: this.sources.breakers?.() ?? [],
      policyConflicts: conflicts ?? [],
      stalledSchedules: stalled,
      troubledBatches: troubled ?? [],
      troubledOperations: halted ?? [],
      unseenDead: unseen ?? [],
      unsafeSettings: this.sources.unsafeSettings?.() ?? [],
      heldSnapshots: this.sources.heldSnapshots?.() ?? [],
      overCapacity: over ?? null,
    });
    this.tracker.see(causesOf(scene), nowMs);
    this.lookedAt = nowMs;
    this.lookedMonoMs = this.context.clock.monotonicMs();
    await this.share(postgresAwayForMs !== null);
  }

  private async statusAndStalled(): Promise<{ status: ClusterStatus; stalled: StalledSchedules[] }> {
    const status = await this.sources.status();
    const served = new Set(presentNodes(status).flatMap(({ typeIds }) => typeIds));
    const stalled = await this.sources.schedules?.stalled([...served]).catch(() => null);
    return { status, stalled: stalled ?? [] };
  }

  /** How long the store has not answered; null: it answers. */
  private async probe(): Promise<number | null> {
    const { clock, tasks } = this.context;
    const sentMonoMs = clock.monotonicMs();
    const answers = await doneWithin(clock, PROBE_LIMIT_MS, tasks.now()).catch(() => false);
    this.awaySinceMonoMs = answers ? null : (this.awaySinceMonoMs ?? sentMonoMs);
    return this.awaySinceMonoMs === null ? null : clock.monotonicMs() - this.awaySinceMonoMs;
  }

  private remember({ nodes }: ClusterStatus): void {
    this.lastVitals = new Map(
      nodes.flatMap(({ bootId, vitals }) => {
        const last = vitals ?? this.lastVitals.get(bootId);
        return last ? [[bootId, last] as const] : [];
      }),
    );
  }

  /** Writes what is seen, and reads what others wrote. */
  private async share(isAway: boolean): Promise<void> {
    const { findings } = this.sources;
    if (isAway || findings === null) return this.tracker.read([]);
    const open = await findings.keep(this.tracker.toWrite(this.lookedAt), CLOSE_AFTER_MS).catch(() => null);
    this.tracker.read(open ?? []);
  }

  private async readLastDay(): Promise<void> {
    const { clock } = this.context;
    const nowMonoMs = clock.monotonicMs();
    const isOld = nowMonoMs - this.lastDay.readMonoMs >= LAST_DAY_BELIEVED_MS;
    if (!isOld || this.awaySinceMonoMs !== null || this.sources.findings === null) return;
    this.lastDay.readMonoMs = nowMonoMs;
    const findings = await this.sources.findings.lastDay(LAST_DAY_LIMIT).catch(() => null);
    if (findings) this.lastDay = { findings, readMonoMs: nowMonoMs };
  }
}
