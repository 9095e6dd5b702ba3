import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { TaskFilter, TaskPage } from "../api/wire.js";
import { goTo } from "../place/place.js";
import { fragmentOf } from "../place/route.js";
import { mayAs } from "../session/session.js";
import { clockText, instantText } from "../time/zone.js";
import { Empty } from "../ui/empty.js";
import { Icon } from "../ui/icon.js";
import { PageHead } from "../ui/page-head.js";
import { Pager } from "../ui/pager.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { TaskFilterForm } from "./task-filter-form.js";
import { TasksTable } from "./tasks-table.js";

/** The tasks that match a filter, page by page. A new filter is a new route, and so a new component. */
export function TasksPage({ api, filter }: { api: TickwheelApi; filter: TaskFilter }) {
  const list = useTaskList(api, filter);
  useEffect(() => list.open([]), []);
  const { page, problem, trail } = list.state;
  const tryNow = (
    <button type="button" class="tiny" onClick={() => list.open(trail)}>
      Try now
    </button>
  );
  return (
    <>
      <PageHead name="Tasks" sub={<Sub list={list} />} actions={mayAs("operator") && <NewTask />} />
      <TaskFilterForm filter={filter} onChange={(next) => goTo({ page: "tasks", filter: next })} />
      {problem && <ProblemView problem={problem} buttons={tryNow} />}
      <section class="panel" aria-label="List">
        {page ? <TaskList page={page} filter={filter} /> : !problem && <Skeleton lines={8} />}
        {page && <Foot page={page} list={list} />}
      </section>
    </>
  );
}

function NewTask() {
  return (
    <a class="btn" href={fragmentOf({ page: "create" })}>
      <Icon name="plus" />
      New task
    </a>
  );
}

/** Of when the list is. */
function Sub({ list }: { list: ListHandle }) {
  const { isBusy, readAt, trail } = list.state;
  return (
    <>
      <span role="status">{isBusy ? "Reading…" : readAt !== null && `As of ${clockText(readAt)}`}</span>{" "}
      <button type="button" class="tiny bare" onClick={() => list.open(trail)} aria-disabled={isBusy}>
        Refresh
      </button>
    </>
  );
}

type ListHandle = ReturnType<typeof useTaskList>;

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

function TaskList({ page, filter }: { page: TaskPage; filter: TaskFilter }) {
  if (page.items.length > 0) return <TasksTable tasks={page.items} filter={filter} />;
  if (page.incomplete) return <Empty icon="search" title="No task matches so far" />;
  if (Object.keys(filter).length > 0) {
    return (
      <Empty
        icon="search"
        title="No task matches this filter"
        actions={
          <a class="btn tiny" href={fragmentOf({ page: "tasks", filter: {} })}>
            Show all tasks
          </a>
        }
      >
        Live and finished tasks of all kept history were looked through. Types, keys and tags are exact: upper and lower
        case count.
      </Empty>
    );
  }
  return (
    <Empty icon="tasks" title="There is no task yet" actions={mayAs("operator") && <NewTask />}>
      An application creates them with <code>DelayTaskService.schedule()</code>, any other program by{" "}
      <code>POST /v1/tasks</code>.
    </Empty>
  );
}

function Foot({ page, list }: { page: TaskPage; list: ListHandle }) {
  const { trail } = list.state;
  const next = page.nextCursor;
  if (next === null && trail.length === 0) return null;
  return (
    <footer>
      {page.incomplete && next !== null && <GoOn cursor={next} list={list} />}
      <Pager trail={trail} next={next} onOpen={list.open} />
    </footer>
  );
}

/** Few tasks match, and there are many: the list was read for as long as one call may take. */
function GoOn({ cursor, list }: { cursor: string; list: ListHandle }) {
  return (
    <p role="status">
      Looked at tasks back to {instantText(createdAtOf(cursor)).slice(0, 19)} so far; older ones may match.{" "}
      <button type="button" class="tiny" onClick={() => list.open([...list.state.trail, cursor])}>
        Go on
      </button>
    </p>
  );
}

/** A cursor is the id of a task, and an id begins with the time of its making. */
function createdAtOf(cursor: string): number {
  return Number.parseInt(cursor.replaceAll("-", "").slice(0, 12), 16);
}
