import type { ClusterEventFacts, ClusterEventKind, EventNode } from "@tickwheel/core";
import type { ApiKeyPage } from "./records/api-key.js";
import type { Batch } from "./records/batch.js";
import type { Cluster, ClusterEventPage, ClusterWheel } from "./records/cluster.js";
import type { DeadGroupDetails } from "./records/dead-letter.js";
import type { FindingReport, Forecast, History, Stats, TabCounts, TypePage } from "./records/figures.js";
import type { Schedule, ScheduleBackfill, SchedulePreview, ScheduleRunPage } from "./records/schedule.js";
import type { ChangedTaskPage, TaskOperation } from "./records/operation.js";
import type { PageSessionPage } from "./records/page-session.js";
import type { Session } from "./records/session.js";
import type { TaskInput as CheckedTaskInput } from "./input/task-input.js";
import type { JournalPage, Task } from "./records/task.js";

// The types of what is answered, for those who load none of our code.

export type { ApiKeyPage, NewApiKey } from "./records/api-key.js";
export type { AddMembersResult, Batch, BatchPage } from "./records/batch.js";
export type { Cluster, ClusterEventPage, ClusterWheel } from "./records/cluster.js";
export type { DeadGroup, DeadGroupDetails, DeadGroupPage } from "./records/dead-letter.js";
export type { ClaimEndView as ClaimEnd, ClaimView as Claim, ConsumerReport } from "./records/queue.js";
export type { Problem } from "./records/fault.js";
export type { ChangedTaskPage, DryRun, OperationDetails, OperationPage, TaskOperation } from "./records/operation.js";
export type { FindingReport, Forecast, History, Stats, TabCounts, TypePage } from "./records/figures.js";
export type {
  NamespaceChange,
  NamespaceDetails,
  Pause,
  PauseChange,
  PausePage,
  TypeChange,
  TypeDetails,
} from "./records/setting.js";
export type { Schedule, ScheduleBackfill, SchedulePage, SchedulePreview, ScheduleRunPage } from "./records/schedule.js";
export type { PageSessionPage } from "./records/page-session.js";
export type { Session } from "./records/session.js";
export type {
  BulkResult,
  CancelManyResult,
  CancelResult,
  JournalPage,
  ReducedTask,
  RetryManyResult,
  Task,
  TaskPage,
} from "./records/task.js";
export type { StreamTopic } from "./queries/stream-query.js";

type Item<Page extends { readonly items: readonly unknown[] }> = Page["items"][number];

/** A task as it is given over HTTP: its payload is any JSON. */
export type TaskInput = Omit<CheckedTaskInput, "payload" | "scheduledAt" | "merge"> & {
  readonly merge?: unknown;
  readonly payload?: unknown;
  readonly scheduledAt?: string | null | undefined;
};
export type ConflictPolicy = NonNullable<TaskInput["onConflict"]>;
export type ApiKey = Item<ApiKeyPage>;
export type ApiKeyState = ApiKey["state"];
export type ApiKeyRole = ApiKey["role"];
export type ApiKeyRight = ApiKey["rights"][number];
export type PageSession = Item<PageSessionPage>;
export type Role = Session["role"];
export type Severity = Finding["severity"];
export type BecauseCode = Because["code"];
export type ScheduleState = Schedule["state"];
export type BatchState = Batch["state"];
export type NodeState = ClusterNode["state"];
export type HistoryRange = History["range"];
export type TaskTab = Exclude<keyof TabCounts, "countedAt">;
export type TaskState = Task["state"];
export type LatenessParts = NonNullable<Task["latenessParts"]>;
export type TakenFrom = NonNullable<LatenessParts["takenFrom"]>;
export type Because = NonNullable<Task["because"]>;
export type LateStart = NonNullable<Because["late"]>;
export type JournalEntry = Item<JournalPage>;
export type ScheduleBackoff = NonNullable<Schedule["backoff"]>;
export type SchedulePause = NonNullable<Schedule["pause"]>;
export type BackfillProgress = NonNullable<Schedule["backfill"]>;
export type BackfillInstant = ScheduleBackfill["instants"][number];
export type PreviewedInstant = Item<SchedulePreview>;
export type ScheduleRun = Item<ScheduleRunPage>;
export type SkippedInstants = Extract<ScheduleRun, { readonly kind: "skip" }>;
export type ScheduledRun = Exclude<ScheduleRun, SkippedInstants>;
export type OperationAction = TaskOperation["action"];
export type OperationState = TaskOperation["state"];
export type ChangedTask = Item<ChangedTaskPage>;
export type DeadLetter = DeadGroupDetails["newest"][number];
export type BatchCounts = Batch["counts"];
export type Leftover = NonNullable<Batch["leftovers"]>["named"][number];
export type FollowUp = NonNullable<Batch["onComplete"]>;
export type Lateness = NonNullable<Stats["lastMinute"]["latenessMs"]>;
export type ClusterNode = Cluster["nodes"][number];
export type GoneNode = NonNullable<Cluster["gone"]>[number];
/** An event with the facts of its kind. */
export type ClusterEvent = {
  readonly [Kind in ClusterEventKind]: Omit<Item<ClusterEventPage>, "kind" | "facts"> & {
    readonly kind: Kind;
    readonly facts: ClusterEventFacts[Kind];
  };
}[ClusterEventKind];
export type { ClusterEventFacts, ClusterEventKind, EventNode };
export type WheelShare = ClusterWheel["all"];
export type Finding = Item<{ items: FindingReport["now"] }>;
export type HistoryBucket = History["buckets"][number];
export type ForecastBucket = Forecast["buckets"][number];
export type Capacity = Forecast["capacity"];
export type OverCapacity = NonNullable<Forecast["over"]>;
export type TypeFigures = Item<TypePage>;
export type TypeBreaker = NonNullable<TypeFigures["breaker"]>;
export type Limits = NonNullable<TypeFigures["limits"]>;
export type TabCount = TabCounts["dead"];
