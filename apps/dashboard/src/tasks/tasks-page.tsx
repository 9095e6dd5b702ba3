import { useSignal } from "@preact/signals";
import type { Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { TaskFilter, TaskPage } from "../api/wire.js";
import { formatClock } from "../format.js";
import { goTo } from "../place.js";
import { fragmentOf } from "../route.js";
import { PageTitle } from "../ui/page-title.js";
import { ProblemView } from "../ui/problem-view.js";
import { useEffect } from "preact/hooks";
import { TaskFilterForm } from "./task-filter-form.js";
import { TasksTable } from "./tasks-table.js";

/** The tasks that match a filter, page by page. A new filter is a new route, and so a new component. */
export function TasksPage({ api, filter }: { api: TickwheelApi; filter: TaskFilter }) {
  const list = useTaskList(api, filter);
  useEffect(() => list.open([]), []);
  const { page, problem, readAt, isBusy, trail } = list.state;
  return (
    <>
      <PageTitle text="Tasks" />
      <TaskFilterForm filter={filter} onChange={(next) => goTo({ page: "tasks", filter: next })} />
      <div class="bar">
        <button type="button" onClick={() => list.open(trail)} aria-disabled={isBusy}>
          Refresh
        </button>
        <span class="hint" role="status">
          {isBusy ? "Reading…" : readAt !== null && `As of ${formatClock(readAt, Date.now())}`}
        </span>
        <a class="button" href={fragmentOf({ page: "create" })}>
          New task
        </a>
      </div>
      {problem && <ProblemView problem={problem} />}
      {page && <TaskList page={page} filter={filter} readAt={readAt ?? Date.now()} />}
      {page?.incomplete && <GoOn page={page} list={list} />}
      {page && <Pager list={list} />}
    </>
  );
}

interface ListState {
  readonly page: TaskPage | null;
  readonly problem: Problem | null;
  readonly readAt: number | null;
  readonly isBusy: boolean;
  /** The cursors of the pages up to this one; none on the first. */
  readonly trail: readonly string[];
}

function useTaskList(api: TickwheelApi, filter: TaskFilter) {
  const state = useSignal<ListState>({ page: null, problem: null, readAt: null, isBusy: false, trail: [] });

  const read = async (trail: readonly string[]): Promise<void> => {
    if (state.value.isBusy) return;
    state.value = { ...state.value, isBusy: true };
    const answer = await api.tasks(filter, trail.at(-1));
    state.value = answer.ok
      ? { page: answer.value, problem: null, readAt: Date.now(), isBusy: false, trail }
      : { ...state.value, problem: answer.problem, isBusy: false };
  };
  return { state: state.value, open: (trail: readonly string[]) => void read(trail) };
}

function TaskList({ page, filter, readAt }: { page: TaskPage; filter: TaskFilter; readAt: number }) {
  if (page.items.length > 0) return <TasksTable tasks={page.items} filter={filter} now={readAt} />;
  if (page.incomplete) return <p class="empty">No task matches so far.</p>;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <p class="empty">
      {isFiltered ? "No task matches. " : "There is no task yet. "}
      {isFiltered ? (
        <a href={fragmentOf({ page: "tasks", filter: {} })}>Show all tasks</a>
      ) : (
        <a href={fragmentOf({ page: "create" })}>Create one</a>
      )}
    </p>
  );
}

/** Few tasks match, and there are many: the list was read for as long as one call may take. */
function GoOn({ page, list }: { page: TaskPage; list: ReturnType<typeof useTaskList> }) {
  const { nextCursor } = page;
  if (nextCursor === null) return null;
  return (
    <p class="hint" role="status">
      Looked at tasks back to {createdAtOf(nextCursor)} so far; older ones may match.{" "}
      <button type="button" onClick={() => list.open([...list.state.trail, nextCursor])}>
        Go on
      </button>
    </p>
  );
}

/** A cursor is the id of a task, and an id begins with the time of its making. */
function createdAtOf(cursor: string): string {
  return new Date(Number.parseInt(cursor.replaceAll("-", "").slice(0, 12), 16)).toLocaleString();
}

function Pager({ list }: { list: ReturnType<typeof useTaskList> }) {
  const { page, trail } = list.state;
  const next = page?.nextCursor ?? null;
  if (next === null && trail.length === 0) return null;
  return (
    <nav class="bar" aria-label="Pages of the list">
      <button type="button" disabled={trail.length === 0} onClick={() => list.open(trail.slice(0, -1))}>
        Previous
      </button>
      <span>Page {trail.length + 1}</span>
      <button type="button" disabled={next === null} onClick={() => next !== null && list.open([...trail, next])}>
        Next
      </button>
    </nav>
  );
}
