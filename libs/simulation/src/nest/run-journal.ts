import { type MemoryDatabase, isTerminal, type StatementRecord, type TaskRow } from "@tickwheel/testing";
import type { TraceHash } from "../time/trace-hash.js";

/** An effect that was done: committed, or done outside. */
export interface DoneEffect {
  name: string;
  key: string;
  /** The task whose handler did it; null: none's. */
  taskId: string | null;
  /** The node's number. */
  node: number;
  /** By the run's time, in milliseconds. */
  atMs: number;
  /** A call with the idempotency key of an earlier one: the other side answered, and did nothing again. */
  isRepeat: boolean;
}

/** A task at the end of a run. */
export interface SimulatedTask {
  id: string;
  type: string;
  key: string | null;
  state: TaskRow["state"];
  attempt: number;
  crashCount: number;
  lastError: string | null;
}

interface Line {
  atMs: number;
  taskId: string | null;
  text: string;
}

/** What happens in a run, in its order: for the report, and for the hash by which two runs are compared. */
export class RunJournal {
  readonly effects: DoneEffect[] = [];
  private readonly lines: Line[] = [];
  private readonly tasks = new Map<string, TaskRow>();
  /** By effect and idempotency key. */
  private readonly calls = new Set<string>();

  constructor(private readonly parts: { database: MemoryDatabase; time: { monotonicMs(): number }; trace: TraceHash }) {
    parts.database.onCommit = ({ records }) => {
      for (const record of records) this.committed(record);
    };
  }

  /** @param taskId the task that it is about; null: none's, and it stands in every story */
  note(text: string, taskId: string | null = null): void {
    this.lines.push({ atMs: this.parts.time.monotonicMs(), taskId, text });
    this.parts.trace.add(text);
  }

  /** @param idempotencyKey by which the other side knows a repetition; absent: it does not */
  effect(done: Omit<DoneEffect, "atMs" | "isRepeat">, idempotencyKey?: string): void {
    const call = JSON.stringify([done.name, idempotencyKey]);
    const isRepeat = idempotencyKey !== undefined && this.calls.has(call);
    if (idempotencyKey !== undefined) this.calls.add(call);
    this.effects.push({ ...done, isRepeat, atMs: this.parts.time.monotonicMs() });
    const again = isRepeat ? ", a repetition by its idempotency key: nothing is done again" : "";
    this.note(`EFFECT ${done.name} "${done.key}" by node-${done.node}${again}`, done.taskId);
  }

  /** The tasks that have not ended. */
  get live(): TaskRow[] {
    return [...this.tasks.values()].filter((task) => !isTerminal(task.state));
  }

  /** The ids of the tasks that the node has which has this one. */
  ownedLike(taskId: string): string[] {
    const owner = this.tasks.get(taskId)?.owner ?? null;
    return owner === null ? [] : this.live.filter((task) => task.owner === owner).map(({ id }) => id);
  }

  allTasks(): SimulatedTask[] {
    const names = new Map(
      [...this.parts.database.tables.types.values()].flatMap(({ committed }) =>
        committed ? [[committed.id, committed.type] as const] : [],
      ),
    );
    return [...this.tasks.values()].map(({ id, typeId, key, state, attempt, crashCount, lastError }) => ({
      id,
      key,
      state,
      attempt,
      crashCount,
      lastError,
      type: names.get(typeId) ?? "?",
    }));
  }

  /** What happened to these tasks and to the nodes, a line each, oldest first. */
  story(isMeant: (taskId: string) => boolean): string[] {
    const told = this.lines.filter(({ taskId }) => taskId === null || isMeant(taskId));
    return told.map(({ atMs, text }) => `${(atMs / 1_000).toFixed(3).padStart(10)} s  ${text}`);
  }

  private committed({ statement, node, changes, nodeChanges }: StatementRecord): void {
    for (const { before, after } of changes) {
      if (after === null) continue;
      this.tasks.set(after.id, after);
      const from = before?.state ?? "new";
      const to = after.state;
      if (from !== to) this.note(`task ${after.key ?? after.id}: ${from} -> ${to} (${statement}, ${node})`, after.id);
    }
    for (const { before, after } of nodeChanges)
      if (statement !== "leave" && after?.state === "dead" && before?.state !== "dead")
        this.note(`${after.label} is declared dead`);
  }
}
