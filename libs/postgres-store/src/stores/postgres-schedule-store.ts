import {
  type BootId,
  type EpochMs,
  isTaskId,
  type StalledSchedules,
  type TaskType,
  type TypeId,
} from "@tickwheel/core";
import {
  type AnnouncedSchedule,
  type ChangeOptions,
  type KnownAnnouncement,
  type NewSchedule,
  newStoredSchedule,
  occurrenceKeyHeld,
  type OccurrenceStart,
  type PlannedSchedule,
  type PlanRequest,
  type PlanSchedule,
  POSTPONED_LOOK_MS,
  type ScheduleFilter,
  type SchedulePage,
  scheduleQuotaReached,
  type ScheduleRef,
  type ScheduleRun,
  type ScheduleStore,
  type StartedOccurrence,
  type StoredSchedule,
} from "@tickwheel/schedules";
import type { ReadPool, Reads } from "../connection/read-pool.js";
import type { Session } from "../connection/session.js";
import { schedulePage } from "../reading/schedule-lists.js";
import type { ScheduleRow } from "../sql/schedule-rows.js";
import { addSchedule, countSchedules, lockScheduleNames } from "../statements/schedules/add-schedule.js";
import {
  announceSchedules,
  lockAnnouncements,
  withdrawAnnouncements,
} from "../statements/schedules/announce-schedules.js";
import { beginOccurrence, beginOccurrences } from "../statements/schedules/begin-occurrence.js";
import {
  forgetAnnouncements,
  knownAnnouncements,
  leaveAnnouncements,
} from "../statements/schedules/known-announcements.js";
import {
  lockDueSchedules,
  lockNamedSchedule,
  lockSchedules,
  lockSchedulesOfOldRules,
} from "../statements/schedules/lock-schedules.js";
import { openOccurrences, readRuns } from "../statements/schedules/read-runs.js";
import { listCodeSchedules, readScheduleByRef } from "../statements/schedules/read-schedules.js";
import { stalledSchedules } from "../statements/schedules/stalled-schedules.js";
import { postponeSchedules } from "../statements/schedules/write-schedules.js";
import { readNow } from "../statements/server/now.js";
import { KeysHeld, planLocked, type PlanningContext } from "../writing/plan-schedules.js";

const TIMEOUT_MS = 2_000;
/** A name whose schedule went away while its row was waited for may have a new one. */
const MAX_LOOKS = 3;

type TypeNames = { get(namespace: string, id: TypeId): Promise<TaskType> };

/**
 * Schedules as rows in Postgres, see {@link ScheduleStore}. It uses the connections for reads, never the engine's. Each
 * statement has two seconds, the wait for another's lock included.
 */
export class PostgresScheduleStore implements ScheduleStore {
  constructor(
    private readonly reads: Pick<ReadPool, "run" | "transaction" | "of">,
    private readonly options: { types: TypeNames; asOf?: () => EpochMs },
  ) {}

  async add(
    schedule: NewSchedule,
    { perNamespace }: { perNamespace: number },
    plan: PlanSchedule,
  ): Promise<PlannedSchedule | null> {
    const { namespace, name } = schedule;
    return this.orConflict(schedule, async (session) => {
      await session.run(lockScheduleNames, namespace);
      const [now] = await session.run(readNow, { asOf: this.asOf() });
      const [found] = await session.run(countSchedules, { namespace, name, limit: perNamespace });
      if (found!.isTaken) return null;
      if (found!.count >= perNamespace) throw scheduleQuotaReached(namespace, perNamespace);
      const row = { schedule: newStoredSchedule(schedule, now!), lastSeq: 0 };
      await session.run(addSchedule, row.schedule);
      const [planned] = await planLocked(this.context(session, true), [row], plan);
      return planned ?? { schedule: row.schedule, created: [], asked: [], cancelled: [] };
    });
  }

  async change(
    ref: ScheduleRef,
    plan: PlanSchedule,
    { withPast = false }: ChangeOptions = {},
  ): Promise<PlannedSchedule | null> {
    if (!canBeThere(ref)) return null;
    return this.orConflict({ namespace: ref.namespace, name: "id" in ref ? ref.id : ref.name }, async (session) => {
      const locked = await lockOne(session, ref);
      return (await planLocked({ ...this.context(session, true), withPast }, locked, plan))[0] ?? null;
    });
  }

  async plan(request: PlanRequest, plan: PlanSchedule): Promise<PlannedSchedule[]> {
    const postponed = new Set<string>();
    for (;;) {
      try {
        return await this.transaction((session) => this.planOnce(session, { ...request, postponed }, plan));
      } catch (error) {
        // Each round postpones one more schedule at least, so there are at most as many rounds as schedules.
        if (!(error instanceof KeysHeld)) throw error;
        for (const id of error.holders.keys()) postponed.add(id);
      }
    }
  }

  async get(ref: ScheduleRef): Promise<StoredSchedule | null> {
    if (!canBeThere(ref)) return null;
    return (
      (await this.reads.of(ref.namespace, ref.caller).run(readScheduleByRef, { name: null, id: null, ...ref }))[0] ??
      null
    );
  }

  list(filter: ScheduleFilter): Promise<SchedulePage> {
    return schedulePage(this.reads.of(filter.namespace, filter.caller), filter);
  }

  listInCode(request: Parameters<ScheduleStore["listInCode"]>[0]): Promise<StoredSchedule[]> {
    return this.reads.run(listCodeSchedules, request);
  }

  async runs(request: Parameters<ScheduleStore["runs"]>[0]): Promise<ScheduleRun[]> {
    return isTaskId(request.id) ? this.reads.of(request.namespace, request.caller).run(readRuns, request) : [];
  }

  async openOf(namespace: string, id: string): ReturnType<ScheduleStore["openOf"]> {
    return isTaskId(id) ? this.reads.of(namespace).run(openOccurrences, { namespace, id }) : [];
  }

  /** A run that a planner has locked is waited for by itself, so it holds up no other start. */
  async begin(starts: readonly OccurrenceStart[]): Promise<(StartedOccurrence | null)[]> {
    const asked = starts.filter(({ taskId }) => isTaskId(taskId));
    const begun = asked.length > 0 ? await this.reads.run(beginOccurrences, { starts: asked }) : [];
    const byTask = new Map(begun.map(({ taskId, started }) => [taskId, started]));
    const left = asked.filter(({ taskId }) => !byTask.has(taskId));
    const late = await Promise.all(left.map((start) => this.reads.run(beginOccurrence, { starts: [start] })));
    for (const { taskId, started } of late.flat()) byTask.set(taskId, started);
    return starts.map(({ taskId }) => byTask.get(taskId) ?? null);
  }

  stalled(servedTypeIds: readonly TypeId[]): Promise<StalledSchedules[]> {
    return this.reads.run(stalledSchedules, { servedTypeIds });
  }

  announce(bootId: BootId, schedules: readonly AnnouncedSchedule[]): Promise<void> {
    return this.transaction(async (session) => {
      await session.run(lockAnnouncements, null);
      await session.run(withdrawAnnouncements, { bootId, asOf: this.asOf() });
      if (schedules.length > 0) await session.run(announceSchedules, { bootId, schedules, asOf: this.asOf() });
    });
  }

  announced(forgetAfterMs: number): Promise<KnownAnnouncement[]> {
    return this.transaction(async (session) => {
      await session.run(leaveAnnouncements, null);
      await session.run(forgetAnnouncements, { afterMs: forgetAfterMs, asOf: this.asOf() });
      return session.run(knownAnnouncements, { asOf: this.asOf() });
    });
  }

  private async planOnce(
    session: Session,
    { postponed, ...request }: PlanRequest & { postponed: ReadonlySet<string> },
    plan: PlanSchedule,
  ): Promise<PlannedSchedule[]> {
    const locked = await this.lockMeant(session, request);
    const [later, meant] = [true, false].map((isLater) =>
      locked.filter(({ schedule }) => postponed.has(schedule.id) === isLater),
    );
    const planned = await planLocked(this.context(session, false), meant!, plan);
    if (later!.length > 0) {
      const laterIds = later!.map(({ schedule }) => schedule.id);
      await session.run(postponeSchedules, { ids: laterIds, delayMs: POSTPONED_LOOK_MS, asOf: this.asOf() });
    }
    return planned;
  }

  private lockMeant(session: Session, { limit, of, rulesBefore }: PlanRequest): Promise<ScheduleRow[]> {
    if (of) return session.run(lockSchedules, { ids: of.filter(isTaskId).slice(0, limit) });
    if (rulesBefore !== undefined) return session.run(lockSchedulesOfOldRules, { limit, before: rulesBefore });
    return session.run(lockDueSchedules, { limit, asOf: this.asOf() });
  }

  private async orConflict<Reply>(
    { namespace, name }: { namespace: string; name: string },
    work: (session: Session) => Promise<Reply>,
  ): Promise<Reply> {
    try {
      return await this.transaction(work, this.reads.of(namespace));
    } catch (error) {
      if (!(error instanceof KeysHeld)) throw error;
      const [existingId] = error.holders.values();
      throw occurrenceKeyHeld(name, existingId!);
    }
  }

  private context(session: Session, waits: boolean): PlanningContext {
    const namesOf: PlanningContext["namesOf"] = async (tasks) => {
      const namespaces = new Map(tasks.map(({ namespace, task }) => [task.typeId, namespace]));
      const named = [...namespaces].map(
        async ([id, namespace]) => [id, await this.options.types.get(namespace, id)] as const,
      );
      return new Map(await Promise.all(named));
    };
    return { session, namesOf, asOf: this.asOf(), waits };
  }

  private transaction<Reply>(
    work: (session: Session) => Promise<Reply>,
    reads: Pick<Reads, "transaction"> = this.reads,
  ): Promise<Reply> {
    return reads.transaction(work, { statementTimeoutMs: TIMEOUT_MS });
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}

async function lockOne(session: Session, ref: ScheduleRef): Promise<ScheduleRow[]> {
  if ("id" in ref) {
    const locked = await session.run(lockSchedules, { ids: [ref.id] });
    return locked.filter(({ schedule }) => schedule.namespace === ref.namespace);
  }
  for (let look = 1; ; look++) {
    const locked = await session.run(lockNamedSchedule, ref);
    if (locked.length > 0 || look === MAX_LOOKS) return locked;
  }
}

/** No row has another id than a task's, nor a NUL in its name, which Postgres refuses to be asked about. */
function canBeThere(ref: ScheduleRef): boolean {
  return "id" in ref ? isTaskId(ref.id) : !ref.name.includes("\0");
}
