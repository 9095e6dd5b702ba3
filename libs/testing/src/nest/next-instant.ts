import type { BatchStore, EpochMs, Task, TaskFilter, TaskStore } from "@tickwheel/core";
import type { ScheduleStore } from "@tickwheel/schedules";

const PAGE = 100;

interface Sources {
  tasks: Pick<TaskStore, "find">;
  schedules: Pick<ScheduleStore, "list">;
  batches: Pick<BatchStore, "list"> | null;
}

/**
 * The earliest instant after `nowMs` at which something is to happen in a namespace: a task is due, a schedule or a
 * batch's deadline is to be looked at. Null: nothing is.
 *
 * @param without tasks and schedules of these types do not count
 */
export async function nextInstant(
  { tasks, schedules, batches }: Sources,
  { namespace, nowMs, without }: { namespace: string; nowMs: EpochMs; without: ReadonlySet<string> },
): Promise<EpochMs | null> {
  const waiting = await firstTask(tasks, { namespace, tab: "scheduled" }, ({ type }) => !without.has(type));
  const instants = [
    ...(waiting ? [waiting.dueAt] : []),
    ...(await looksAtSchedules(schedules, { namespace, without })),
  ];
  if (batches) instants.push(...(await deadlines(batches, namespace)));
  // The test's time has whole milliseconds: it never reaches a fraction of one.
  const ahead = instants.map(Math.ceil).filter((instant) => instant > nowMs);
  return ahead.length === 0 ? null : Math.min(...ahead);
}

/** The first task of a list that is as wanted; null: there is none. */
export async function firstTask(
  tasks: Pick<TaskStore, "find">,
  filter: Omit<TaskFilter, "limit" | "after">,
  isWanted: (task: Task) => boolean,
): Promise<Task | null> {
  let after: string | undefined;
  // The first one will mostly do.
  let limit = 1;
  do {
    const page = await tasks.find({ ...filter, limit, after });
    const found = page.tasks.find(isWanted);
    if (found) return found;
    after = page.next ?? undefined;
    limit = PAGE;
  } while (after !== undefined);
  return null;
}

async function looksAtSchedules(
  schedules: Sources["schedules"],
  { namespace, without }: { namespace: string; without: ReadonlySet<string> },
): Promise<EpochMs[]> {
  const looks: EpochMs[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<ScheduleStore["list"]>> = await schedules.list({ namespace, limit: PAGE, after });
    looks.push(
      ...page.schedules.flatMap(({ type, planning: { lookAt } }) =>
        lookAt === null || without.has(type) ? [] : [lookAt],
      ),
    );
    after = page.next;
  } while (after !== null);
  return looks;
}

async function deadlines(batches: Pick<BatchStore, "list">, namespace: string): Promise<EpochMs[]> {
  const found: EpochMs[] = [];
  let before: string | null = null;
  do {
    const filter = { namespace, states: ["filling", "open"] as const, limit: PAGE, before };
    const page: Awaited<ReturnType<BatchStore["list"]>> = await batches.list(filter);
    found.push(
      ...page.batches.flatMap(({ deadlineAt, deadlineCheckedAt }) =>
        deadlineAt === null || deadlineCheckedAt !== null ? [] : [deadlineAt],
      ),
    );
    before = page.next;
  } while (before !== null);
  return found;
}
