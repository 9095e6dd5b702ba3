export * from "./definition/schedule.js";
export { type CronFields, MAX_CRON_LENGTH, parseCron } from "./cron/cron-fields.js";
export { type ClockPeriod, isTimeZone, ZoneClock, zoneClock } from "./cron/zone-clock.js";
export { dayBefore, dayIn, type InstantRange } from "./instants/calendar-days.js";
export { Instants } from "./instants/instants.js";
export { instantOfWallTime, wallTimeOf } from "./instants/wall-times.js";
export {
  type LastRun,
  type LiveOccurrence,
  type LiveVerdict,
  newPlanningState,
  type PlannedOccurrence,
  type PlanningInput,
  type PlanningOutput,
  type PlanningState,
  type SchedulePause,
  type SkippedStretch,
  type SkipReason,
  type StandIn,
  type WaitingInstant,
} from "./planning/planning.js";
export { decide, decideResume } from "./planning/decide.js";
export { decideNewRules } from "./planning/new-rules.js";
export { decideEdit, isSameDefinition } from "./planning/edit.js";
export { decidePause, decideTrigger, type SchedulePauseRequest } from "./planning/interventions.js";
export { standIn, type StartingRun } from "./planning/stand-in.js";
export { MAX_PREVIEW, preview, type PreviewedInstant, type PreviewNote } from "./preview/preview.js";
export {
  type CheckedFor,
  type CheckedSchedule,
  checkSchedule,
  readSchedule,
  type ScheduleInput,
} from "./input/schedule-input.js";
export {
  madeAhead,
  type MadeAhead,
  MAX_INSTANTS_AHEAD,
  MAX_INSTANTS_OF_SCHEDULE,
  MAX_SCHEDULES_AHEAD,
  type ScheduleAhead,
} from "./preview/made-ahead.js";
export { MAX_EXCLUDED_DAYS } from "./input/schedule-rules.js";
export {
  type AnnouncedSchedule,
  type Backfill,
  type BackfillState,
  type ChangeOptions,
  type CodeContent,
  type KeptRuns,
  type KnownAnnouncement,
  type NewOccurrence,
  type NewSchedule,
  type OccurrenceOptions,
  type OccurrenceStart,
  type OccurrenceTask,
  type PlannedSchedule,
  type PlanRequest,
  type PlanSchedule,
  type RunKind,
  RUNS_KEPT,
  SCHEDULE_STATES,
  type ScheduleChange,
  type ScheduleContent,
  type ScheduleFilter,
  type SchedulePage,
  type ScheduleRef,
  type ScheduleRules,
  type ScheduleRun,
  type ScheduleScene,
  SCHEDULES_LOOKED_AT,
  type ScheduleState,
  type ScheduleStore,
  type StartedOccurrence,
  type StoredPlanning,
  type StoredSchedule,
  type ZoneRules,
} from "./store/schedule-store.js";
export {
  actorOf,
  changedSchedule,
  type LiveEffect,
  liveEffect,
  newStoredSchedule,
  occurrenceKeyHeld,
  POSTPONED_LOOK_MS,
  scheduleQuotaReached,
  scheduleState,
} from "./store/schedule-effects.js";
export {
  backfillFates,
  type BackfillFate,
  type BackfillInstant,
  type BackfillScene,
  instantsIn,
  MAX_BACKFILL,
} from "./backfill/backfill.js";
export { BACKFILLED_KEPT, backfillTurn, endedBackfill } from "./backfill/backfill-turn.js";
