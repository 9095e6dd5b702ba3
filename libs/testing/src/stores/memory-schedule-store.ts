import type { BootId, EpochMs, StalledSchedules, TypeId } from "@tickwheel/core";
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
  scheduleState,
  type ScheduleStore,
  type StartedOccurrence,
  type StoredSchedule,
} from "@tickwheel/schedules";
import type { MemoryConnection, MemorySession } from "../database/memory-connection.js";
import type { StatementBody } from "../database/memory-database.js";
import type { ScheduleRunRow } from "../database/schedule-run-row.js";
import type { StatementScope } from "../database/statement-scope.js";
import type { ScheduleRow } from "../database/tables.js";
import { hintOf, isTerminal } from "../database/task-row.js";
import { announce, announced } from "../statements/announcement-statements.js";
import { isOccurrence, runOf, runsOf } from "../statements/schedule-scene.js";
import { KeyHeld, planRow, stalledSchedules } from "../statements/schedule-statements.js";
import { copyOf } from "../system/copy-of.js";

/**
 * A {@link ScheduleStore} in memory: one node's view of a `MemoryDatabase`. Occurrences are tasks of that database.
 * Each schedule is planned in a transaction of its own. Replies are copies.
 */
export class MemoryScheduleStore implements ScheduleStore {
  constructor(private readonly connection: MemoryConnection) {}

  add(
    request: NewSchedule,
    { perNamespace }: { perNamespace: number },
    plan: PlanSchedule,
  ): Promise<PlannedSchedule | null> {
    return this.inTransaction("add", request, async (session) => {
      const row = await session.run((scope) => addRow(scope, request, perNamespace));
      if (!row) return null;
      const unplanned = { schedule: copyOf(row.schedule), created: [], asked: [], cancelled: [] };
      return (await planRow(session, { row, waits: true }, plan)) ?? unplanned;
    });
  }

  change(ref: ScheduleRef, plan: PlanSchedule, options: ChangeOptions = {}): Promise<PlannedSchedule | null> {
    return this.inTransaction("change", ref, async (session) => {
      const row = await session.run((scope) => lockRow(scope, ref));
      return row && planRow(session, { row, waits: true, ...options }, plan);
    });
  }

  async plan(request: PlanRequest, plan: PlanSchedule): Promise<PlannedSchedule[]> {
    const { limit, of } = request;
    const isMeant = meantBy(request);
    const ids = await this.one("plan", request, (scope) => of ?? idsToPlan(scope, isMeant));
    const planned: PlannedSchedule[] = [];
    for (const id of ids.slice(0, limit)) {
      const one = await this.planOne(id, { isMeant, locked: of ? "wait" : "skip" }, plan);
      if (one) planned.push(one);
    }
    return planned;
  }

  get(ref: ScheduleRef): Promise<StoredSchedule | null> {
    return this.one("get", ref, (scope) => copyOf(findRow(scope, ref)?.schedule ?? null));
  }

  list(filter: ScheduleFilter): Promise<SchedulePage> {
    const { namespace, limit, after, state, type, namePrefix = "" } = filter;
    return this.one("list", filter, (scope) => {
      const schedules = firstByName(scope, limit, (one) => {
        const isNext = one.namespace === namespace && one.name > (after ?? "");
        return (
          isNext &&
          one.name.startsWith(namePrefix) &&
          (type ?? one.type) === one.type &&
          (state ?? scheduleState(one.planning)) === scheduleState(one.planning)
        );
      });
      return { schedules, next: schedules.length < limit ? null : schedules.at(-1)!.name, incomplete: false };
    });
  }

  listInCode(request: Parameters<ScheduleStore["listInCode"]>[0]): Promise<StoredSchedule[]> {
    const { limit, after } = request;
    return this.one("listInCode", request, (scope) =>
      firstByName(scope, limit, (one) => one.source !== null && (after === null || compareNames(one, after) > 0)),
    );
  }

  runs(request: Parameters<ScheduleStore["runs"]>[0]): Promise<ScheduleRun[]> {
    const { namespace, id, limit, before } = request;
    return this.one("runs", request, (scope) => {
      if (scope.schedules.get(id)?.schedule.namespace !== namespace) return [];
      const rows = runsOf(scope, id).filter(({ seq }) => seq < (before ?? Infinity));
      return rows
        .reverse()
        .slice(0, limit)
        .map((row) => copyOf(runOf(scope, row)));
    });
  }

  openOf(namespace: string, id: string): ReturnType<ScheduleStore["openOf"]> {
    return this.one("openOf", { namespace, id }, (scope) => {
      if (scope.schedules.get(id)?.schedule.namespace !== namespace) return [];
      const live = runsOf(scope, id)
        .filter(isOccurrence)
        .flatMap(({ occurrence: { taskId, at, kind } }) => {
          const task = scope.tasks.get(taskId);
          return task && !isTerminal(task.state) ? [{ ...hintOf(task), at, kind }] : [];
        });
      return live.sort((one, other) => one.at - other.at);
    });
  }

  async begin(starts: readonly OccurrenceStart[]): Promise<(StartedOccurrence | null)[]> {
    const begun: (StartedOccurrence | null)[] = [];
    for (const start of starts) begun.push(await this.beginOne(start));
    return begun;
  }

  private beginOne({ taskId, startedAt }: OccurrenceStart): Promise<StartedOccurrence | null> {
    return this.one("begin", { taskId, startedAt }, async (scope) => {
      const isMeant = (run: ScheduleRunRow): boolean => isOccurrence(run) && run.occurrence.taskId === taskId;
      const place = scope.scheduleRuns.values().find(isMeant)?.place;
      const run = place === undefined ? null : await scope.scheduleRuns.lock(place);
      if (!run || !isOccurrence(run)) return null;
      const first = run.occurrence.startedAt ?? scope.tasks.get(taskId)?.startedAt ?? startedAt;
      const occurrence = { ...run.occurrence, startedAt: first };
      scope.scheduleRuns.put(run.place, { ...run, occurrence });
      const { kind, at, missed, hasMissedMore } = occurrence;
      const { schedule } = scope.schedules.get(run.scheduleId)!;
      return copyOf({ schedule, kind, at: run.stoodFor ?? at, missed, hasMissedMore, startedAt: occurrence.startedAt });
    });
  }

  stalled(servedTypeIds: readonly TypeId[]): Promise<StalledSchedules[]> {
    return this.one("stalled", { servedTypeIds }, (scope) => stalledSchedules(scope, servedTypeIds));
  }

  announce(bootId: BootId, schedules: readonly AnnouncedSchedule[]): Promise<void> {
    return this.call("announce", { bootId, schedules }, (session) => announce(session, bootId, schedules));
  }

  announced(forgetAfterMs: number): Promise<KnownAnnouncement[]> {
    return this.one("announced", forgetAfterMs, (scope) => announced(scope, forgetAfterMs));
  }

  private async planOne(
    id: string,
    { isMeant, locked }: { isMeant: IsMeant; locked: "wait" | "skip" },
    plan: PlanSchedule,
  ): Promise<PlannedSchedule | null> {
    try {
      return await this.call("plan", { of: id }, async (session) => {
        const row = await session.run((scope) =>
          scope.schedules.lock(id, (each) => isMeant(each, scope.now), { locked }),
        );
        return row && planRow(session, { row, waits: false }, plan);
      });
    } catch (error) {
      if (!(error instanceof KeyHeld)) throw error;
    }
    await this.one("plan", { postponed: id }, (scope) => postpone(scope, id));
    return null;
  }

  private async inTransaction<T>(
    method: "add" | "change",
    request: NewSchedule | ScheduleRef,
    work: (session: MemorySession) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.call(method, request, work);
    } catch (error) {
      if (!(error instanceof KeyHeld)) throw error;
      throw occurrenceKeyHeld("name" in request ? request.name : request.id, error.holderId);
    }
  }

  private call<T>(
    method: keyof ScheduleStore,
    request: unknown,
    work: (session: MemorySession) => Promise<T>,
  ): Promise<T> {
    return this.connection.call({ statement: `schedules.${method}`, request }, (session) =>
      session.transaction(null, work),
    );
  }

  private one<T>(method: keyof ScheduleStore, request: unknown, statement: StatementBody<T>): Promise<T> {
    return this.connection.call({ statement: `schedules.${method}`, request }, (session) => session.run(statement));
  }
}

type Named = { namespace: string; name: string };

/** The first, by namespace and name, of the schedules that are meant and not deleted. */
function firstByName(
  { schedules }: StatementScope,
  limit: number,
  isMeant: (schedule: StoredSchedule) => boolean,
): StoredSchedule[] {
  const found = schedules.values().filter(({ isDeleted, schedule }) => !isDeleted && isMeant(schedule));
  const copies = found.map(({ schedule }) => copyOf(schedule));
  return copies.sort(compareNames).slice(0, limit);
}

function compareNames(one: Named, other: Named): number {
  if (one.namespace !== other.namespace) return one.namespace < other.namespace ? -1 : 1;
  return one.name === other.name ? 0 : one.name < other.name ? -1 : 1;
}

type IsMeant = (row: ScheduleRow, now: EpochMs) => boolean;

function meantBy({ of, rulesBefore }: PlanRequest): IsMeant {
  return (row, now) => {
    const { isDeleted, schedule } = row;
    const { planning } = schedule;
    if (isDeleted || of) return !isDeleted;
    if (rulesBefore !== undefined) return planning.zoneRules !== null && planning.zoneRules < rulesBefore;
    return isDueSchedule(row, now);
  };
}

/** Its look has come. */
export function isDueSchedule({ isDeleted, schedule: { planning } }: ScheduleRow, now: EpochMs): boolean {
  return !isDeleted && planning.lookAt !== null && planning.lookAt <= now;
}

/** Those that are meant; the oldest look first. */
function idsToPlan({ schedules, now }: StatementScope, isMeant: IsMeant): string[] {
  const lookOf = ({ schedule }: ScheduleRow): number => schedule.planning.lookAt ?? Infinity;
  const meant = schedules.values().filter((row) => isMeant(row, now));
  return meant.sort((one, other) => lookOf(one) - lookOf(other) || 0).map(({ schedule }) => schedule.id);
}

function findRow({ schedules }: StatementScope, ref: ScheduleRef): ScheduleRow | null {
  const isMeant = ({ schedule, isDeleted }: ScheduleRow): boolean => {
    if (schedule.namespace !== ref.namespace || isDeleted) return false;
    return "id" in ref ? schedule.id === ref.id : schedule.name === ref.name;
  };
  return schedules.values().find(isMeant) ?? null;
}

async function lockRow(scope: StatementScope, ref: ScheduleRef): Promise<ScheduleRow | null> {
  const found = findRow(scope, ref);
  return found && scope.schedules.lock(found.schedule.id, ({ isDeleted }) => !isDeleted);
}

function addRow(scope: StatementScope, wanted: NewSchedule, perNamespace: number): ScheduleRow | null {
  const { schedules, now } = scope;
  const all = schedules.values().filter((row) => row.schedule.namespace === wanted.namespace && !row.isDeleted);
  if (all.some(({ schedule }) => schedule.name === wanted.name)) return null;
  if (all.length >= perNamespace) throw scheduleQuotaReached(wanted.namespace, perNamespace);
  const row = { schedule: newStoredSchedule(copyOf(wanted), now), lastSeq: 0, isDeleted: false };
  schedules.put(row.schedule.id, row);
  return row;
}

async function postpone({ schedules, now }: StatementScope, id: string): Promise<void> {
  const lookAt = now + POSTPONED_LOOK_MS;
  await schedules.update(
    id,
    ({ isDeleted }) => !isDeleted,
    ({ schedule, ...row }) => ({ ...row, schedule: { ...schedule, planning: { ...schedule.planning, lookAt } } }),
  );
}
