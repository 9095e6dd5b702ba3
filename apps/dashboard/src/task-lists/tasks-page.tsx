import { useEffect } from "preact/hooks";
import type { TabCounts } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { useStream } from "../feeds/use-stream.js";
import { navCounts } from "../place/nav-counts.js";
import { goTo } from "../place/place.js";
import type { TasksPlace } from "../place/tasks-place.js";
import { mayAs } from "../session/session.js";
import { formatCount } from "../time/format.js";
import { clockText, momentNow } from "../time/zone.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { enteredPlace } from "./entered-line.js";
import { FilterBar } from "./filter-bar.js";
import { NewTask } from "./no-task.js";
import { TaskList } from "./task-list.js";
import { TaskTabs } from "./task-tabs.js";
import { firstTab, tabSentence } from "./tab-words.js";

interface TasksPageProps {
  api: TickwheelApi;
  place: TasksPlace;
}

/** The tasks by tab, in the order of the server, and of each tab what the filter leaves. */
export function TasksPage({ api, place }: TasksPageProps) {
  const { tab, line } = place;
  const isReadable = useEntered(place);
  const counts = useStream("tabs").feeds.tabs.value;
  const isUndecided = tab === undefined && line === "";
  useEffect(() => showOverdue(counts.value), [counts.value?.overdue.count]);
  useEffect(() => {
    if (isUndecided && counts.value) goTo({ page: "tasks", tab: firstTab(counts.value), line }, "replace");
  }, [isUndecided, counts.value]);
  const countedAt = counts.value ? clockText(Date.parse(counts.value.countedAt)) : "";
  const sentence = isUndecided ? null : tabSentence(tab, tab && counts.value?.[tab], countedAt);
  return (
    <>
      <PageHead name="Tasks" sub={sentence && <p>{sentence}</p>} actions={mayAs("operator") && <NewTask />} />
      <TaskTabs place={place} counts={counts.value} />
      <FilterBar place={place} onChange={(next) => goTo({ page: "tasks", ...next })} />
      {!isReadable && <Empty icon="search" title="This filter cannot be read" />}
      {isReadable && !isUndecided && <TaskList key={JSON.stringify(place)} api={api} place={place} />}
      {isUndecided && (counts.problem ? <ProblemView problem={counts.problem} /> : <Skeleton lines={8} />)}
    </>
  );
}

/**
 * Whether the address has a line without faults. One that somebody wrote there by hand is taken as if it were entered:
 * its address is replaced, and what depends on the zone becomes an instant.
 */
function useEntered(place: TasksPlace): boolean {
  const entered = enteredPlace(place, momentNow());
  const isOther = entered !== null && (entered.tab !== place.tab || entered.line !== place.line);
  useEffect(() => {
    if (isOther) goTo({ page: "tasks", ...entered }, "replace");
  }, [isOther, place.tab, place.line]);
  return entered !== null;
}

/** The navigation says how many are overdue; null: that is not known, and what it says stays. */
function showOverdue(counts: TabCounts | null): void {
  if (counts === null) return;
  const { count } = counts.overdue;
  const text = formatCount(count);
  const tasks = count === 0 ? undefined : { text, state: "overdue", label: `${text} overdue` };
  navCounts.value = { ...navCounts.peek(), tasks };
}
