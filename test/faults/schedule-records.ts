import { SLOWNESS } from "../support/eventually.js";
import type { Ledger, Start } from "../support/ledger.js";
import type { RunRow, ScheduleEvidence } from "./schedule-accounts.js";
import { type Definition, instantsOf } from "./schedule-definitions.js";

/**
 * The store keeps the newest hundred runs of a schedule. What it deletes beyond them is kept here; a run that was
 * withdrawn before it began is none, for its instant is open again.
 */
const KEEP_TRIMMED = `
  CREATE TABLE public.trimmed_run (LIKE tickwheel.schedule_run);
  CREATE FUNCTION public.keep_trimmed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO public.trimmed_run SELECT * FROM gone WHERE ended_at IS NOT NULL;
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep_trimmed AFTER DELETE ON tickwheel.schedule_run
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.keep_trimmed();`;

/**
 * An occurrence that a node has claimed is kept by a change and by a pause, although its instant comes so little behind
 * them: nodes claim a moment ahead. It still belongs to what was in force before.
 */
const KEPT_BEHIND_MS = 1_000 * SLOWNESS;

const ms = (column: string): string => `date_part('epoch', ${column}) * 1000`;

/** A schedule's row. */
export interface ScheduleRow {
  id: string;
  name: string;
  revision: number;
  payload: { version?: string };
  createdAt: number;
  changedAt: number;
  /** Since when it is paused; null: it is not. */
  pausedSince: number | null;
}

/** What one version says of a schedule. */
export interface Said {
  version: string;
  definition: Definition;
}

/** Reads, past the scheduler, what it has written about its schedules: all of it, however many runs they had. */
export class ScheduleRecords {
  constructor(private readonly ledger: Ledger) {}

  /** From now on no run is lost; the schema must be there. */
  async keepAll(): Promise<void> {
    await this.ledger.query(KEEP_TRIMMED);
  }

  schedules(): Promise<ScheduleRow[]> {
    return this.ledger.query<ScheduleRow>(
      `SELECT id::text AS id, name, revision, payload, ${ms("created_at")} AS "createdAt", ${ms("changed_at")} AS "changedAt",
              (planning -> 'pause' ->> 'since')::float8 AS "pausedSince"
         FROM tickwheel.schedule WHERE deleted_at IS NULL ORDER BY name`,
    );
  }

  /** How many runs are not concluded. */
  async open(): Promise<number> {
    const [row] = await this.ledger.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM tickwheel.schedule_run WHERE ended_at IS NULL",
    );
    return row!.count;
  }

  /** Whether a process has announced the schedules of its code. */
  async hasAnnounced(pid: number): Promise<boolean> {
    const [row] = await this.ledger.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM tickwheel.schedule_announcement a JOIN tickwheel.node n
           ON n.boot_id = ANY (a.boot_ids) WHERE n.label LIKE '%:${pid}'`,
    );
    return row!.count > 0;
  }

  /**
   * All that is known of each schedule until it was paused.
   *
   * @param said what the schedule of a name says at first, and after each change of its content
   */
  async evidence(said: (name: string) => readonly Said[]): Promise<ScheduleEvidence[]> {
    const rows = await this.rows();
    const occurred = grouped(await this.ledger.occurred(), ({ schedule }) => schedule);
    const starts = grouped(await this.ledger.starts(), ({ taskId }) => taskId);
    return (await this.schedules()).map((schedule) => {
      const its = rows.get(schedule.id) ?? [];
      const started = its.flatMap(({ taskId }): Start[] => (taskId === null ? [] : (starts.get(taskId) ?? [])));
      return {
        name: schedule.name,
        stretches: stretchesOf(schedule, { said: said(schedule.name), rows: its, starts: started }),
        rows: its,
        occurred: occurred.get(schedule.name) ?? [],
        starts: started,
      };
    });
  }

  private async rows(): Promise<Map<string, RunRow[]>> {
    const columns = `schedule_id::text AS id, kind, ${ms("at")} AS at, ${ms("until")} AS until, missed,
      has_missed_more AS "hasMissedMore", ${ms("stood_for")} AS "stoodFor", task_id::text AS "taskId", reason,
      CASE state WHEN 2 THEN 'succeeded' WHEN 3 THEN 'dead' WHEN 4 THEN 'cancelled' WHEN 5 THEN 'expired' END AS state,
      ended_at IS NOT NULL AS "isConcluded"`;
    const rows = await this.ledger.query<RunRow & { id: string }>(
      `SELECT ${columns} FROM tickwheel.schedule_run UNION ALL SELECT ${columns} FROM public.trimmed_run`,
    );
    return grouped(rows, ({ id }) => id);
  }
}

function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/** One change at most: its time is all that the schedule's row tells. */
function stretchesOf(
  { name, revision, createdAt, changedAt, pausedSince }: ScheduleRow,
  { said, rows, starts }: Pick<ScheduleEvidence, "rows" | "starts"> & { said: readonly Said[] },
): ScheduleEvidence["stretches"] {
  if (revision > said.length) throw new Error(`${name} has revision ${revision}: a change that nobody made`);
  const bounds = [createdAt, ...[changedAt].slice(0, revision - 1), pausedSince!];
  const cuts = [createdAt, ...bounds.slice(1).map((bound) => keptBehind(bound, { rows, starts }))];
  return cuts.slice(1).map((until, index) => {
    const { version, definition } = said[index]!;
    return { version, after: bounds[index]!, instants: instantsOf(definition, { after: cuts[index]!, until }) };
  });
}

/** The last instant of what was in force before a change or a pause: its time, or that of a run that was kept. */
function keptBehind(bound: number, { rows, starts }: Pick<ScheduleEvidence, "rows" | "starts">): number {
  const madeBefore = new Set(starts.filter(({ createdAtMs }) => createdAtMs < bound).map(({ taskId }) => taskId));
  const kept = rows.filter(
    ({ taskId, at, state }) =>
      taskId !== null && madeBefore.has(taskId) && state === "succeeded" && at > bound && at <= bound + KEPT_BEHIND_MS,
  );
  return Math.max(bound, ...kept.map(({ at }) => at));
}
