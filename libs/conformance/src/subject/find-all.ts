import type { Task, TaskFilter, TaskStore } from "@tickwheel/core";

/**
 * All tasks of a filter, page by page: a page may end where its budget of time does, also before it holds a task, so
 * one page alone says nothing on a busy machine.
 */
export async function findAll(
  store: Pick<TaskStore, "find">,
  filter: Omit<TaskFilter, "limit" | "after">,
): Promise<Task[]> {
  const tasks: Task[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.find({ ...filter, limit: 200, after });
    tasks.push(...page.tasks);
    if (page.next === null) return tasks;
    after = page.next;
  }
}
