import type {
  Backoff,
  BootId,
  EpochMs,
  ExecutionRef,
  JsonText,
  NamespaceReader,
  NewTask,
  OutboundDelivery,
  StalledSchedules,
  Task,
  TaskHint,
  TypeId,
} from "@tickwheel/core";
import type { InstantRange } from "../instants/calendar-days.js";
import type { PlanningState, SkippedStretch } from "../planning/planning.js";
import type { ScheduleDefinition } from "../definition/schedule.js";
import type { ScheduleInput } from "../input/schedule-input.js";

/** Names a schedule: by its name, or by its id, which no later schedule of the same name has. */
export type ScheduleRef = NamespaceReader & ({ name: string } | { id: string });

/** A definition without what its row says anyway. */
export type ScheduleRules = Omit<ScheduleDefinition, "id" | "createdAt">;

/** Options of a schedule's tasks. An absent option is the type's, else the documented default. */
export interface OccurrenceOptions {
  priority?: number;
  maxAttempts?: number;
  backoff?: Backoff;
  timeoutMs?: number;
  tags?: readonly string[];
  outbound?: OutboundDelivery;
  /** For a handler's tasks: the version of the schedule's payload. */
  payloadVersion?: number;
}

/** What a schedule is, as somebody defined it. The store looks into none of it. */
export interface ScheduleContent {
  typeId: TypeId;
  /** The name of its type. */
  type: string;
  payload: JsonText;
  /** Spec, zone, window, exclusions and policies. */
  definition: ScheduleRules;
  taskOptions: OccurrenceOptions;
  /** Whose code defines it; null: it was made by a call. `hash`: of the definition in force. */
  source: { application: string; hash: string } | null;
}

/** A schedule to be added, and who adds it. */
export interface NewSchedule extends ScheduleContent {
  /** UUIDv7. */
  id: string;
  namespace: string;
  name: string;
  actor: string;
}

/** A schedule's row. */
export interface StoredSchedule extends ScheduleContent {
  /** UUIDv7. */
  id: string;
  namespace: string;
  name: string;
  /** 1 at first, raised by each change of the content. */
  revision: number;
  createdAt: EpochMs;
  /** When the content was last changed. */
  changedAt: EpochMs;
  /** Who made it, and who changed its content last. */
  createdBy: string;
  changedBy: string;
  planning: StoredPlanning;
}

/**
 * A backfill that goes on: the range it was asked for, up to the first instant that is not decided yet, and the
 * instants that wait for their turn.
 */
export interface Backfill extends InstantRange {
  /** How many runs it makes in all. */
  count: number;
  /** Rising. */
  left: readonly EpochMs[];
  /** When it was asked for, and by whom. */
  since: EpochMs;
  by: string;
}

/** What a schedule's row keeps of backfills. */
export interface BackfillState {
  /** Null: none goes on. */
  backfill: Backfill | null;
  /** What backfills have run so far: a few ranges, rising. */
  backfilled: readonly InstantRange[];
}

/** Under which rules of its time zone the occurrence that is ahead was planned; for others than cron all null. */
export interface ZoneRules {
  /** The version of tzdata, such as `2026a`. */
  zoneRules: string | null;
  /** The occurrence's wall time, see `wallTimeOf`. */
  wallAt: number | null;
}

/** `finished`: it has no instant left. */
export const SCHEDULE_STATES = ["active", "paused", "finished"] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

/** What planning keeps of a schedule, with what people are told of a pause. */
export interface StoredPlanning extends PlanningState, BackfillState, ZoneRules {
  /** When the look is to ask again; null: never (finished, or paused without an end). */
  lookAt: EpochMs | null;
  isFinished: boolean;
  /** What the person who paused it said, and who that was; null: nothing, or it is not paused. */
  pauseNote: string | null;
  pausedBy: string | null;
}

/** `spec`: an instant of the spec. `trigger`, `backfill`: outside it, by hand. */
export type RunKind = "spec" | "trigger" | "backfill";

/** The task of an occurrence that may still be live, as its row has it now. */
export interface OccurrenceTask {
  taskId: string;
  kind: RunKind;
  /** The instant it was made for; of a trigger the time of the call. */
  at: EpochMs;
  /** How many instants were skipped by the decision that made it, and whether there were more. */
  missed: number;
  hasMissedMore: boolean;
  /** When its first attempt started; null: none has. */
  startedAt: EpochMs | null;
  /** `gone`: the task is kept no more, and nobody knows how it ended. */
  state: Task["state"] | "gone";
  reason: Task["reason"];
  dueAt: EpochMs;
  /** When its last attempt ended, while it waits for the next; else null. */
  attemptEndedAt: EpochMs | null;
  attempt: number;
  maxAttempts: number;
  isCancelRequested: boolean;
  /** Null while it lives, and where it is not known. */
  finishedAt: EpochMs | null;
}

/** What a decision about one schedule sees, by statements that were sent after its row was locked. */
export interface ScheduleScene {
  schedule: StoredSchedule;
  /** The database's clock, read after the lock. */
  now: EpochMs;
  /** Occurrences whose end was not concluded yet, by their instants: live ones, and those that have ended since. */
  open: OccurrenceTask[];
  /** The concluded occurrence of kind `spec` or `trigger` that ended last; null: none is kept. */
  last: OccurrenceTask | null;
  /** What is kept of its runs; absent unless the change asked for it. */
  past?: KeptRuns;
}

/** The runs that are kept of a schedule, the last written first. */
export interface KeptRuns {
  runs: readonly ScheduleRun[];
  /** Whether these are all that there ever were. */
  areAll: boolean;
}

/** An occurrence to create. */
export interface NewOccurrence {
  task: NewTask;
  kind: RunKind;
  at: EpochMs;
  missed: number;
  hasMissedMore: boolean;
}

/** What is written about one schedule, all in the transaction that holds its row. */
export interface ScheduleChange {
  /**
   * What becomes of live occurrences, before anything is inserted. `cancel`: asked to stop, or cancelled at once where
   * it waits. `withdraw`: cancelled where it waits and has not started, and its run is no more, since its
   * instant is open again; else nothing. `end-retries`: cancelled where it
   * waits, and where it executes its `maxAttempts` is lowered to the attempt it is in. The reason is the task's.
   */
  live: readonly {
    taskId: string;
    verdict: "cancel" | "withdraw" | "end-retries";
    reason: "OVERLAP" | "SCHEDULE_CHANGED" | "REQUESTED";
  }[];
  /**
   * Occurrences whose end is settled by this decision, with what a late one stood in for. One that still lives only
   * gets what it stood in for; its end is to be settled later.
   */
  concluded: readonly {
    taskId: string;
    /** The instant it stood in for; null: its own, or what was written before. */
    stoodFor: EpochMs | null;
    /** In all, those of its making included. */
    missed: number;
    hasMissedMore: boolean;
  }[];
  skips: readonly SkippedStretch[];
  insert: readonly NewOccurrence[];
  planning: StoredPlanning;
  /** A new content; the revision rises. */
  content?: ScheduleContent & { actor: string };
  /** Who cancels the live ones; absent: who changes the content, else the schedule itself. */
  actor?: string;
  /** The schedule is no more: its name is free, its runs are kept for a while. */
  isDeleted?: true;
}

/** What a plan of one schedule has done. */
export interface PlannedSchedule {
  schedule: StoredSchedule;
  /** The created tasks, for the messages behind the commit. */
  created: Task[];
  /** Running tasks that were asked to stop: their nodes should be told. */
  asked: ExecutionRef[];
  /** Tasks that were cancelled before they ran. */
  cancelled: string[];
}

/**
 * Decides about a scene; null: nothing is written. It must be quick, and it must not call the store. It may be asked
 * again about a newer scene of the same schedule; then only its last answer counts.
 */
export type PlanSchedule = (scene: ScheduleScene) => ScheduleChange | null;

/** A row of the list of runs: a run, or instants that were skipped. The last written first. */
export type ScheduleRun =
  | ({ kind: RunKind; seq: number } & Pick<
      OccurrenceTask,
      "taskId" | "at" | "missed" | "hasMissedMore" | "startedAt"
    > & {
        /** The instant that it stood in for; null: its own. */
        stoodFor: EpochMs | null;
        dueAt: EpochMs;
        /** Null: it lives. */
        outcome: OccurrenceTask["state"] | null;
        reason: Task["reason"];
        finishedAt: EpochMs | null;
      })
  | ({ kind: "skip"; seq: number } & SkippedStretch);

/** An attempt of an occurrence that starts. */
export interface OccurrenceStart {
  taskId: string;
  /** An earlier attempt's start wins. */
  startedAt: EpochMs;
}

/** What a handler's context is made of, when its first attempt starts. */
export interface StartedOccurrence {
  schedule: StoredSchedule;
  kind: RunKind;
  at: EpochMs;
  missed: number;
  hasMissedMore: boolean;
  /** When its first attempt started: now, or an earlier one's start. */
  startedAt: EpochMs;
}

/** A definition in an application's code, as a node that runs its type announces it. */
export interface AnnouncedSchedule {
  namespace: string;
  name: string;
  application: string;
  /** The hash of its content. */
  hash: string;
  content: CodeContent;
}

/** What code says of a schedule. Its rules are read when it is put in force: some start at its creation. */
export interface CodeContent {
  type: string;
  payload: JsonText;
  rules: ScheduleInput;
  options: OccurrenceOptions;
}

/** A definition that at least one live node announces, or that was announced a moment ago. */
export interface KnownAnnouncement extends AnnouncedSchedule {
  /** When this hash was first announced for this name. */
  firstSeenAt: EpochMs;
  /** For how long the longest-living node that announces it has been live; null: no live node announces it any more. */
  liveForMs: number | null;
}

/**
 * Where schedules live. Every change of a schedule is one transaction: it locks the schedule's row by a statement of
 * its own, then reads the clock and the occurrences by further statements, asks the caller's {@link PlanSchedule}, and
 * writes all that this answers. So two planners of one schedule take turns, and the second sees what the first did.
 *
 * An occurrence is an ordinary task; the store keeps a row beside it, by its id, with the schedule, the instant and,
 * later, the outcome. Those rows and the skipped stretches are the schedule's runs: of each schedule the newest
 * {@link RUNS_KEPT} are kept, and all that are not concluded.
 *
 * On failure: `STORE_UNAVAILABLE`; whether the change was made is then unknown, and asking again is right.
 */
export interface ScheduleStore {
  /** Adds a schedule with its first plan; null: the namespace has a schedule of this name. */
  add(
    schedule: NewSchedule,
    /** The most schedules of a namespace: beyond them the call throws `VALIDATION_FAILED`. */
    limits: { perNamespace: number },
    plan: PlanSchedule,
  ): Promise<PlannedSchedule | null>;
  /**
   * Changes one schedule, waiting for its row; null: there is none, or nothing was to be written. A decision that only
   * looks is asked in the same way: it sees what no planner changes meanwhile.
   *
   * @throws TickwheelError `TASK_KEY_CONFLICT`: another task holds the key of an occurrence; nothing is changed
   */
  change(ref: ScheduleRef, plan: PlanSchedule, options?: ChangeOptions): Promise<PlannedSchedule | null>;
  /**
   * Plans schedules whose `lookAt` has come, the oldest first, up to `limit`, passing over rows that others hold. One
   * that cannot be planned now is left for a later look: a task of it changes at this moment, or another task holds the
   * key of its occurrence (then its `lookAt` moves on).
   *
   * @see PlanRequest for which others it plans instead
   */
  plan(request: PlanRequest, plan: PlanSchedule): Promise<PlannedSchedule[]>;
  get(ref: ScheduleRef): Promise<StoredSchedule | null>;
  /** By name, rising. */
  list(filter: ScheduleFilter): Promise<SchedulePage>;
  /**
   * Those that an application's code defines, of all namespaces, by namespace and name. `after`: the schedule behind
   * which the page begins.
   */
  listInCode(request: { limit: number; after: { namespace: string; name: string } | null }): Promise<StoredSchedule[]>;
  /** The last written first, of a deleted schedule too. `before`: the `seq` before which the page begins. */
  runs(request: NamespaceReader & { id: string; limit: number; before: number | null }): Promise<ScheduleRun[]>;
  /** The live and the next occurrence, for people: hints of the open ones. */
  openOf(namespace: string, id: string): Promise<(TaskHint & { at: EpochMs; kind: RunKind })[]>;
  /** Notes that attempts of occurrences start, answered in their order; null: of no schedule that is kept. */
  begin(starts: readonly OccurrenceStart[]): Promise<(StartedOccurrence | null)[]>;
  /**
   * Schedules that do not run although nobody asked for that, of all namespaces: those in force whose type is none of
   * these, and those that paused themselves or were taken back. By reason and type; the least
   * `MAX_STALLED_KINDS` (200) of these pairs.
   *
   * @param servedTypeIds the types that some node runs
   */
  stalled(servedTypeIds: readonly TypeId[]): Promise<StalledSchedules[]>;
  /** Takes the place of what this node announced before. */
  announce(bootId: BootId, schedules: readonly AnnouncedSchedule[]): Promise<void>;
  /** What nodes announce, and what live nodes have announced within `forgetAfterMs`. Forgets what is older. */
  announced(forgetAfterMs: number): Promise<KnownAnnouncement[]>;
}

/** Which schedules of a namespace a list shows; all that is said must hold. */
export interface ScheduleFilter extends NamespaceReader {
  state?: ScheduleState;
  /** The name of their type. */
  type?: string;
  /** Only those whose names begin so; default: all. */
  namePrefix?: string;
  limit: number;
  /** The name behind which the page begins; null: the first page. */
  after: string | null;
}

/** A page of a list of schedules. */
export interface SchedulePage {
  schedules: StoredSchedule[];
  /** The name behind which the next page begins; null: there is none. */
  next: string | null;
  /**
   * The look ended before the page was full, and goes on behind `next`: of `active` without a type, see
   * {@link SCHEDULES_LOOKED_AT}.
   */
  incomplete: boolean;
}

/** No index has the schedules that are active, whatever their type: a look for them passes over so many at most. */
export const SCHEDULES_LOOKED_AT = 1_000;

/** Which schedules are planned: those whose look has come, unless another field says otherwise. */
export interface PlanRequest {
  /** How many at most. */
  limit: number;
  /**
   * These by their ids, whether or not their look has come: their occurrence ended. Their rows are waited for, since
   * nobody else might see the end.
   */
  of?: readonly string[];
  /** Those that were planned under an older tzdata than this one. Rows that others hold are passed over. */
  rulesBefore?: string;
}

/** What a change reads besides. */
export interface ChangeOptions {
  /** Whether the scene has the schedule's past. Default false. */
  withPast?: boolean;
}

/** How many runs and skipped stretches of a schedule are kept, and older ones that are not concluded. */
export const RUNS_KEPT = 100;
