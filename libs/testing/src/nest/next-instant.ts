import type { BatchStore, EpochMs, TaskStore } from "@tickwheel/core";
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
 * @param type only tasks of this type count. Default: everything
 */
export async function nextInstant(
  { tasks, schedules, batches }: Sources,
  { namespace, nowMs, type }: { namespace: string; nowMs: EpochMs; type?: string },
): Promise<EpochMs | null> {
  const { tasks: waiting } = await tasks.find({ namespace, type, tab: "scheduled", limit: 1 });
  const instants = waiting.map(({ dueAt }) => dueAt);
  if (type === undefined) {
    instants.push(...(await looksAtSchedules(schedules, namespace)));
    if (batches) instants.push(...(await deadlines(batches, namespace)));
  }
  // The test's time has whole milliseconds: it never reaches a fraction of one.
  const ahead = instants.map(Math.ceil).filter((instant) => instant > nowMs);
  return ahead.length === 0 ? null : Math.min(...ahead);
}

async function looksAtSchedules(schedules: Sources["schedules"], namespace: string): Promise<EpochMs[]> {
  const looks: EpochMs[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<ScheduleStore["list"]>> = await schedules.list({ namespace, limit: PAGE, after });
    looks.push(...page.schedules.flatMap(({ planning: { lookAt } }) => (lookAt === null ? [] : [lookAt])));
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
