import { CONSUMER } from "@tickwheel/core";
import type { TaskRow } from "@tickwheel/testing";
import type {
  CancelAcknowledged,
  CreateAcknowledged,
  EditAcknowledged,
  EffectCommitted,
  ExecutionAborted,
  ExtendAnswered,
  HandlerEnded,
  HandlerStarted,
  HistoryEvent,
  Leased,
  PullAnswered,
  RowChanged,
  SuccessAnswered,
} from "./history-event.js";

/** All that is known of one (task, fence). */
export interface Execution {
  readonly task: TaskHistory;
  readonly fence: number;
  readonly account: Account;
  /** The changes that took this fence to `running`; more than one is a fault. */
  readonly claims: RowChanged[];
  /** The change that had made the row due when it was claimed; null: before the history. */
  scheduling: RowChanged | null;
  /** The calls of its handler; more than one is a fault. */
  readonly starts: HandlerStarted[];
  end: HandlerEnded | null;
  readonly aborts: ExecutionAborted[];
  readonly effects: EffectCommitted[];
  /** For a pulled task: its lease, as it was each time. */
  readonly leases: Leased[];
  /** The consumers to whom it was given; more than one is a fault. */
  readonly pulls: PullAnswered[];
  /** How long it has the task, as its consumer was told. */
  readonly extends: ExtendAnswered[];
  /** The successes that consumers were told to count. */
  readonly successes: SuccessAnswered[];
  /** The change that took the row out of `running`. */
  exit: RowChanged | null;
}

/** A task's life up to an explicit retry, which begins the next account. */
export interface Account {
  readonly taskId: string;
  /** The fence it began with. */
  readonly firstFence: number;
  readonly executions: Execution[];
  readonly changes: RowChanged[];
  readonly effects: EffectCommitted[];
  readonly starts: HandlerStarted[];
  /** The row as the account left it, or as it is now; null: never seen. */
  row: TaskRow | null;
}

/** All events that name one task. */
export class TaskHistory {
  readonly events: HistoryEvent[] = [];
  readonly changes: RowChanged[] = [];
  readonly edits: EditAcknowledged[] = [];
  readonly cancels: CancelAcknowledged[] = [];
  readonly executions = new Map<number, Execution>();
  readonly accounts: Account[];
  created: CreateAcknowledged | null = null;
  /** Whether retention dropped its row. */
  isDropped = false;
  private scheduling: RowChanged | null = null;

  constructor(readonly id: string) {
    this.accounts = [newAccount(id, 0)];
  }

  /** The account that is open at the end. */
  get lastAccount(): Account {
    return this.accounts.at(-1)!;
  }

  /** The account that an event with this fence belongs to, however late it comes. */
  accountOf(fence: number): Account {
    return this.accounts.findLast(({ firstFence }) => firstFence <= fence) ?? this.accounts[0]!;
  }

  /** The next event, in the order of the history. */
  add(event: HistoryEvent): void {
    this.events.push(event);
    switch (event.kind) {
      case "create-acknowledged":
        this.created ??= event;
        return;
      case "edit-acknowledged":
        this.edits.push(event);
        return;
      case "cancel-acknowledged":
        this.cancels.push(event);
        return;
      case "retry-acknowledged":
        return this.beginAccount(event.fence);
      case "row-changed":
        return this.addChange(event);
      case "started":
        this.executionOf(event.fence).starts.push(event);
        this.accountOf(event.fence).starts.push(event);
        return;
      case "ended":
        this.executionOf(event.fence).end ??= event;
        return;
      case "timed-out":
      case "drain-aborted":
        this.executionOf(event.fence).aborts.push(event);
        return;
      case "leased":
        this.executionOf(event.fence).leases.push(event);
        return;
      case "pull-answered":
        this.executionOf(event.fence).pulls.push(event);
        return;
      case "extend-answered":
        this.executionOf(event.fence).extends.push(event);
        return;
      case "success-answered":
        this.executionOf(event.fence).successes.push(event);
        return;
      case "effect":
        this.executionOf(event.fence).effects.push(event);
        this.accountOf(event.fence).effects.push(event);
    }
  }

  private addChange(change: RowChanged): void {
    const { before, after, statement } = change;
    this.changes.push(change);
    this.isDropped = after === null;
    if (change.isForgotten && before) this.addForgotten(change, before);
    if (after === null) return;
    if (statement === "retry") this.beginAccount(after.fence);
    this.lastAccount.changes.push(change);
    this.lastAccount.row = after;
    if (before?.state === "running" && after.state !== "running") this.executionOf(before.fence).exit ??= change;
    if (before?.state !== "running" && after.state === "running") {
      const execution = this.executionOf(after.fence);
      execution.claims.push(change);
      execution.scheduling ??= this.scheduling;
    }
    if (after.state === "scheduled" && (before?.state !== "scheduled" || before.dueAt !== after.dueAt))
      this.scheduling = change;
  }

  /** Its row would say that it has succeeded. */
  private addForgotten(change: RowChanged, before: TaskRow): void {
    const after: TaskRow = { ...before, state: "succeeded" };
    this.lastAccount.row = after;
    this.executionOf(before.fence).exit ??= { ...change, after };
  }

  private beginAccount(fence: number): void {
    if (fence > this.lastAccount.firstFence) this.accounts.push(newAccount(this.id, fence));
  }

  private executionOf(fence: number): Execution {
    const known = this.executions.get(fence);
    if (known) return known;
    const execution = newExecution(this, fence);
    this.executions.set(fence, execution);
    execution.account.executions.push(execution);
    return execution;
  }
}

function newAccount(taskId: string, firstFence: number): Account {
  return { taskId, firstFence, executions: [], changes: [], effects: [], starts: [], row: null };
}

/** Whether a consumer has it, and no node. */
export function isPulled({ claims }: Pick<Execution, "claims">): boolean {
  return claims[0]?.after?.owner === CONSUMER;
}

function newExecution(task: TaskHistory, fence: number): Execution {
  return {
    task,
    fence,
    account: task.accountOf(fence),
    claims: [],
    scheduling: null,
    starts: [],
    end: null,
    aborts: [],
    effects: [],
    leases: [],
    pulls: [],
    extends: [],
    successes: [],
    exit: null,
  };
}
