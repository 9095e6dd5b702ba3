import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Task } from "../api/wire.js";
import type { HeldList } from "../feeds/held-list.js";
import { NewerBar } from "../feeds/newer-bar.js";
import { useHeldList } from "../feeds/use-held-list.js";
import { formatNumberOf } from "../time/format.js";
import type { TasksPlace } from "../place/tasks-place.js";
import { storeAway } from "../session/store-health.js";
import { Banner } from "../ui/banner.js";
import { DataTable } from "../ui/data-table.js";
import { Pager } from "../ui/pager.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { useScheduleNames } from "../task-life/named-task.js";
import { NoTask } from "./no-task.js";
import { columnsOf } from "./tab-columns.js";
import { BulkBar, noSelection, selectColumn, type Selection } from "../operations/bulk-bar.js";
import { mayAs } from "../session/session.js";
import { useSignal } from "@preact/signals";

const pollMs = 5_000;
/** A look that ended before it was through is dear: it is repeated seldom. */
const incompletePollMs = 30_000;

interface TaskListProps {
  api: TickwheelApi;
  place: TasksPlace;
}

/**
 * One list, page by page: rows change where they stand, and what is newer is counted. Another place is another list.
 */
export function TaskList({ api, place }: TaskListProps) {
  const query = { tab: place.tab, q: place.line || undefined };
  const { list, trail, open } = useHeldList<Task, null>({
    everyMs: pollMs,
    filter: null,
    isBeside: true,
    read: (_filter, cursor) => api.tasks(query, cursor),
    waitMs: ({ isIncomplete }) => (isIncomplete ? incompletePollMs : undefined),
  });
  const { rows, problem, readAt, gone, isIncomplete, nextCursor } = list;
  useScheduleNames(rows ?? []);
  const selection = useSignal<Selection>(noSelection);
  const select = (next: Selection): void => void (selection.value = next);
  const mayAct = mayAs("operator");
  const tryNow = (
    <button type="button" class="tiny" onClick={() => open(trail)}>
      Try now
    </button>
  );
  return (
    <>
      {rows && problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      {!rows && problem && <ProblemView problem={problem} buttons={tryNow} />}
      <section class="panel" aria-label="List">
        <NewerBar list={list} onShow={() => open(trail)} />
        {!rows && !problem && <Skeleton lines={8} />}
        {rows && isIncomplete && nextCursor !== null && (
          <GoOn list={list} onGoOn={() => open([...trail, nextCursor])} />
        )}
        {rows?.length === 0 && <NoTask place={place} isIncomplete={isIncomplete} />}
        {rows && rows.length > 0 && (
          <DataTable
            caption="Tasks"
            columns={[...(mayAct ? [selectColumn(rows, selection.value, select)] : []), ...columnsOf(place, gone)]}
            rows={rows}
            rowKey={(task) => task.id}
            isPast={(task) => gone.has(task.id)}
          />
        )}
        {rows && (nextCursor !== null || trail.length > 0) && (
          <footer>
            <Pager trail={trail} next={nextCursor} onOpen={open} />
          </footer>
        )}
      </section>
      {mayAct && <BulkBar api={api} place={place} selection={selection.value} onSelect={select} />}
    </>
  );
}

/** Few tasks match, and there are many: the list was read for as long as one call may take. */
function GoOn({ list: { rows }, onGoOn }: { list: HeldList<Task>; onGoOn: () => void }) {
  const goOn = (
    <button type="button" class="tiny" onClick={onGoOn}>
      Go on
    </button>
  );
  return (
    <Banner severity="warning" title={`${formatNumberOf(rows?.length ?? 0, "task")} found so far`} buttons={goOn}>
      Few tasks match, so the look ended before the page was full. It goes on where it ended.
    </Banner>
  );
}
