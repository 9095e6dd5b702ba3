import { formatLine, parseLine } from "@tickwheel/core/filter";
import { fragmentOf } from "../place/route.js";
import type { TasksPlace } from "../place/tasks-place.js";
import { mayAs } from "../session/session.js";
import { Empty } from "../ui/empty.js";
import { Icon } from "../ui/icon.js";
import { tabWords } from "./tab-words.js";

interface NoTaskProps {
  place: TasksPlace;
  /** There may be some behind what was looked through. */
  isIncomplete: boolean;
}

/** The list has no task: why, and where to look then. */
export function NoTask({ place, isIncomplete }: NoTaskProps) {
  if (isIncomplete) return <Empty icon="search" title="No task matches so far" />;
  if (place.line !== "") return <NoMatch place={place} />;
  return place.tab === undefined ? <Empty icon="tasks" title="There is no task yet" /> : <EmptyTab tab={place.tab} />;
}

function EmptyTab({ tab }: { tab: NonNullable<TasksPlace["tab"]> }) {
  const { none, isGoodEmpty, mark } = tabWords[tab];
  const newTask = tab === "scheduled" && mayAs("operator") && <NewTask />;
  return (
    <Empty icon={isGoodEmpty ? "good" : mark} title={none} isGood={isGoodEmpty} actions={newTask}>
      {tab === "scheduled" && (
        <>
          An application creates tasks with <code>DelayTaskService.schedule()</code>, any other program by{" "}
          <code>POST /v1/tasks</code>.
        </>
      )}
    </Empty>
  );
}

function NoMatch({ place: { tab, line } }: { place: TasksPlace }) {
  const others = formatLine({ ...parseLine(line).input, states: undefined });
  const actions = (
    <>
      {tab !== undefined && others !== "" && (
        <a class="btn tiny" href={fragmentOf({ page: "tasks", line: others })}>
          Look in all tabs
        </a>
      )}
      <a class="btn tiny" href={fragmentOf({ page: "tasks", tab, line: "" })}>
        Drop the filter
      </a>
    </>
  );
  return (
    <Empty icon="search" title="No task matches this filter" actions={actions}>
      {tab === undefined ? "Live and finished tasks of all kept history were" : `The tab ${tabWords[tab].name} was`}{" "}
      looked through. In types, keys and tags upper and lower case count.
    </Empty>
  );
}

export function NewTask() {
  return (
    <a class="btn" href={fragmentOf({ page: "create" })}>
      <Icon name="plus" />
      New task
    </a>
  );
}
