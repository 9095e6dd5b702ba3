import type { BootId, Task, TelemetryEvent } from "@tickwheel/core";
import {
  type Fault,
  type HistoryEvent,
  type Instant,
  type RowChanged,
  rowChangesOf,
  type TraceHash,
} from "@tickwheel/simulation";
import { type MemoryDatabase, type StatementRecord } from "@tickwheel/testing";

/** An event without its instant, which the recorder adds. */
export type Happening = HistoryEvent extends infer Event
  ? Event extends HistoryEvent
    ? Omit<Event, keyof Instant>
    : never
  : never;

/** How often each thing was reached. */
export type Coverage = ReadonlyMap<string, number>;

/** What identifies a version of a task's row. */
const TOLD_BY = ["state", "version", "fence", "dueAt", "startedAt", "finishedAt", "cancelRequestedAt"] as const;
type Told = Pick<Task, (typeof TOLD_BY)[number]>;

/** Records what happens, in order, and counts each kind of event. */
export class Recorder {
  readonly events: HistoryEvent[] = [];
  readonly coverage = new Map<string, number>();
  /** Faults that no rule of a history covers: unexpected errors. */
  readonly surprises: string[] = [];
  /** The nodes' own reports: for stories, not for the checker. */
  readonly told: { monoMs: number; label: string; text: string }[] = [];
  private overloads = 0;
  private term = 0;
  private leader: BootId | null = null;
  /** For each task, in order. */
  private readonly changes = new Map<string, RowChanged[]>();
  /** Boot ids that are in the cluster, or were when their process ended, by label. */
  private readonly present = new Map<string, Set<BootId>>();
  /** As they were last, by the task's id. */
  private readonly leases = new Map<string, object>();
  private readonly commitTimes: { commit: number; monoMs: number }[] = [];

  constructor(
    private readonly parts: {
      database: MemoryDatabase;
      time: { monotonicMs(): number };
      trace: TraceHash;
    },
  ) {
    parts.database.onCommit = ({ commit, monoMs, records }) => {
      this.commitTimes.push({ commit, monoMs });
      this.noteTerm();
      for (const record of records) this.committed(record);
      this.noteLeases(commit);
    };
  }

  now(): Instant {
    return { at: this.parts.database.now(), monoMs: this.parts.time.monotonicMs() };
  }

  record(event: Happening): void {
    this.events.push({ ...this.now(), ...event } as HistoryEvent);
    this.parts.trace.add(event.kind).add("taskId" in event ? event.taskId : "");
  }

  count(what: string): void {
    this.coverage.set(what, (this.coverage.get(what) ?? 0) + 1);
  }

  tell(label: string, { name, message }: TelemetryEvent): void {
    this.count(`told ${name}`);
    this.told.push({ monoMs: this.parts.time.monotonicMs(), label, text: `${name}: ${message}` });
  }

  surprise(where: string, error: unknown): void {
    this.surprises.push(`${where}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  faultBegan(fault: Fault): void {
    this.record({ kind: "fault-began", fault });
  }

  faultEnded(fault: Fault): void {
    this.record({ kind: "fault-ended", fault });
  }

  /** One more node has no free place. */
  overloadBegan(): void {
    if (this.overloads++ === 0) this.faultBegan({ name: "overload" });
  }

  overloadEnded(): void {
    if (--this.overloads === 0) this.faultEnded({ name: "overload" });
  }

  /**
   * The commit that made the version of the task which a caller was told. A failover may have lost it before the answer
   * came.
   */
  commitOf(told: Task): number | null {
    return this.changes.get(told.id)?.findLast(({ after }) => after !== null && isAsTold(after, told))?.commit ?? null;
  }

  /**
   * The boot ids of a label's process that have joined and are not known to be gone. The process itself may not know
   * one of them yet.
   */
  presentUnder(label: string): BootId[] {
    return [...(this.present.get(label) ?? [])];
  }

  /** A label's process is gone, and with it its boot ids. */
  crashed(label: string): void {
    for (const bootId of this.presentUnder(label)) this.faultBegan({ name: "crash", bootId });
    this.present.delete(label);
  }

  /** The last commit that was made by then. */
  lastCommitBefore(monoMs: number): number {
    return this.commitTimes.findLast((known) => known.monoMs <= monoMs)?.commit ?? 0;
  }

  /** Called when a node has joined, so that faults which began before are recorded for it too. */
  onJoined: (label: string, bootId: BootId) => void = () => undefined;

  /** A term that a failover has lost may be taken again, by another node. */
  private noteTerm(): void {
    const { term, holder } = this.parts.database.cluster.term;
    if (term === this.term && holder === this.leader) return;
    this.term = term;
    this.leader = holder;
    if (holder !== null) this.record({ kind: "leads", bootId: holder });
  }

  private noteLeases(commit: number): void {
    for (const { committed: lease } of this.parts.database.tables.leases.values()) {
      if (!lease || lease === this.leases.get(lease.taskId)) continue;
      this.leases.set(lease.taskId, lease);
      const { taskId, fence, consumer, untilAt: until } = lease;
      this.record({ kind: "leased", taskId, fence, consumer, until, commit });
    }
  }

  private committed(record: StatementRecord): void {
    for (const change of rowChangesOf([record])) {
      const { before, after, statement } = change;
      const { id } = (after ?? before)!;
      this.events.push(change);
      this.changes.set(id, [...(this.changes.get(id) ?? []), change]);
      this.parts.trace.add(statement).add(id);
      const reason = after?.state === "dead" || after?.state === "cancelled" ? ` ${after.reason}` : "";
      this.count(`row ${statement} ${before?.state ?? "none"}>${after?.state ?? "gone"}${reason}`);
      if (statement === "defer" && before!.crashCount >= 2) this.count("branch crash lane");
      if (before?.keyLive && after && !after.keyLive && after.state === "running")
        this.count("branch next cycle of a key");
      if (before?.keyLive && after && !after.keyLive && after.state === "scheduled")
        this.count("branch next cycle of a task that awaits its retry");
    }
    for (const { before, after } of record.nodeChanges) {
      if (!before && after) {
        this.record({ kind: "joined", bootId: after.bootId });
        const present = this.present.get(after.label) ?? new Set();
        this.present.set(after.label, present.add(after.bootId));
        this.onJoined(after.label, after.bootId);
      }
      if (after?.state === "draining") this.record({ kind: "draining", bootId: after.bootId });
      if (after?.state !== "dead" || before?.state === "dead") continue;
      this.present.get(after.label)?.delete(after.bootId);
      const { bootId, blocked } = after;
      if (record.statement === "leave") this.record({ kind: "goodbye", bootId });
      else this.record({ kind: "declared-dead", bootId, ...(blocked ? { wasBlocked: true } : {}) });
    }
  }
}

/** Whether the row is the one that was read. */
function isAsTold(row: Told, told: Told): boolean {
  return TOLD_BY.every((column) => row[column] === told[column]);
}
