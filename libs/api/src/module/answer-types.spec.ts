import { expect, test } from "@jest/globals";
import type {
  Batch,
  BatchPage,
  CancelManyResult,
  Cluster,
  ClusterEventPage,
  ClusterWheel,
  FindingReport,
  Forecast,
  History,
  JournalPage,
  ReducedTask as SaidReducedTask,
  RetryManyResult,
  Schedule,
  ScheduleBackfill,
  SchedulePage,
  SchedulePreview,
  ScheduleRunPage,
  Session,
  Stats,
  TabCounts,
  Task,
  TaskPage,
  TypePage,
  TypePayload,
} from "@tickwheel/contract/types";
import type { BackfillFields, CancelledItem, PreviewFields, RetriedItem } from "@tickwheel/calls";
import type { BatchPageView, ShownBatch } from "../batches/batch-api.service.js";
import type { ClusterEventPageView } from "../cluster/event-view.js";
import type { ForecastView, HistoryView, TabCountsView } from "../cluster/figure-views.js";
import type { FindingReportView } from "../cluster/finding-view.js";
import type { TypePayloadView } from "../cluster/type-payload-view.js";
import type { TypePageView } from "../cluster/type-view.js";
import type { ClusterWheelView } from "../cluster/wheel-view.js";
import type { RunPageView, SchedulePageView, ShownSchedule } from "../schedules/schedule-api.service.js";
import type { SessionView } from "../sessions/session.controller.js";
import type { ClusterReportView, JournalPageView, StatsView, TaskPageView } from "../tasks/task-api.service.js";
import type { DetailedTask, ReducedTask, ShownTask } from "../tasks/task-json.js";

/** What the API answers, beside what the contract says of it. A field that the answer lacks does not compile. */
type Answer<Shown extends Said, Said> = { shown: Shown; said: Said };

type Answers = [
  Answer<DetailedTask, Task>,
  Answer<ReducedTask, SaidReducedTask>,
  Answer<TaskPageView, TaskPage>,
  Answer<JournalPageView, JournalPage>,
  Answer<{ results: CancelledItem<ShownTask>[] }, CancelManyResult>,
  Answer<{ results: RetriedItem<ShownTask>[] }, RetryManyResult>,
  Answer<TabCountsView, TabCounts>,
  Answer<ShownSchedule, Schedule>,
  Answer<SchedulePageView, SchedulePage>,
  Answer<RunPageView, ScheduleRunPage>,
  Answer<{ items: PreviewFields<string>[] }, SchedulePreview>,
  Answer<BackfillFields<string>, ScheduleBackfill>,
  Answer<ShownBatch, Batch>,
  Answer<BatchPageView, BatchPage>,
  Answer<ClusterReportView, Cluster>,
  Answer<ClusterEventPageView, ClusterEventPage>,
  Answer<ClusterWheelView, ClusterWheel>,
  Answer<StatsView, Stats>,
  Answer<FindingReportView, FindingReport>,
  Answer<TypePageView, TypePage>,
  Answer<TypePayloadView, TypePayload>,
  Answer<HistoryView, History>,
  Answer<ForecastView, Forecast>,
  Answer<SessionView, Session>,
];

/** The names of a type's fields. */
type Names<Type> = keyof Type & string;
/** The other way round: names that an answer has and the contract does not say. */
type Unsaid<Pairs extends readonly { shown: unknown; said: unknown }[]> = {
  [Index in keyof Pairs]: Exclude<Names<Pairs[Index]["shown"]>, Names<Pairs[Index]["said"]>>;
}[number];

test("no answer has a field that the contract does not say", () => {
  const unsaid: Unsaid<Answers>[] = [];
  // It compiles only where the type has no value.
  const none: never[] = unsaid;
  expect(none).toEqual([]);
});
