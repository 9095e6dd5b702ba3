import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { sentenceOf } from "../api/problem.js";
import type { Schedule, SchedulePage } from "../api/schedule-wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feeds/feed.js";
import { usePolling } from "../feeds/use-polling.js";
import { navCounts } from "../place/nav-counts.js";
import { fragmentOf } from "../place/route.js";
import { mayAs } from "../session/session.js";
import { storeAway } from "../session/store-health.js";
import { Empty } from "../ui/empty.js";
import { Icon } from "../ui/icon.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { matches, type ScheduleFilter } from "./schedule-filter.js";
import { ScheduleFilterBar } from "./schedule-filter-bar.js";
import { needsYou, schedulesSentence } from "./schedule-words.js";
import { SchedulesTable } from "./schedules-table.js";

const pollMs = 5_000;

/** The schedules by name; those that were read can be filtered. */
export function SchedulesPage({ api }: { api: TickwheelApi }) {
  const { feed, showMore } = useSchedules(api);
  const filter = useSignal<ScheduleFilter>({ which: "all", text: "" });
  const { value, problem, readAt } = feed;
  const rows = value?.items ?? [];
  const needing = rows.filter(needsYou).length;
  useEffect(() => showCount(needing), [needing]);
  const hasMore = (value?.nextCursor ?? null) !== null;
  return (
    <>
      <PageHead
        name="Schedules"
        sub={value && schedulesSentence(rows, hasMore)}
        actions={mayAs("operator") && <NewSchedule />}
      />
      {value && problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      {rows.length > 0 && (
        <ScheduleFilterBar rows={rows} filter={filter.value} onChange={(next) => (filter.value = next)} />
      )}
      <section class="panel" aria-label="List">
        {!value && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={8} />)}
        {value && (
          <List rows={rows} filter={filter.value} onClear={() => (filter.value = { which: "all", text: "" })} />
        )}
        {hasMore && <Foot count={rows.length} onMore={showMore} />}
      </section>
    </>
  );
}

function useSchedules(api: TickwheelApi) {
  const feed = useSignal<Feed<SchedulePage>>(emptyFeed);
  const pages = useSignal(1);
  const readAgain = usePolling(pollMs, async () => {
    feed.value = feedAfter(feed.value, await api.schedules.list(pages.value), Date.now());
    return waitAskedFor(feed.value);
  });
  const showMore = (): void => {
    pages.value++;
    readAgain();
  };
  return { feed: feed.value, showMore };
}

function NewSchedule() {
  return (
    <a class="btn" href={fragmentOf({ page: "schedule-create" })}>
      <Icon name="plus" />
      New schedule
    </a>
  );
}

interface ListProps {
  rows: readonly Schedule[];
  filter: ScheduleFilter;
  onClear: () => void;
}

function List({ rows, filter, onClear }: ListProps) {
  const shown = rows.filter((row) => matches(row, filter));
  if (shown.length > 0) return <SchedulesTable rows={shown} />;
  if (rows.length > 0) {
    return (
      <Empty
        icon="search"
        title="None of these schedules matches"
        actions={
          <button type="button" class="tiny" onClick={onClear}>
            Show all of them
          </button>
        }
      >
        Only those that were read were looked through: {rows.length} by their names.
      </Empty>
    );
  }
  return (
    <Empty icon="cal" title="There is no schedule yet" actions={mayAs("operator") && <NewSchedule />}>
      An application defines them in its code, any other program by <code>POST /v1/schedules</code>.
    </Empty>
  );
}

function Foot({ count, onMore }: { count: number; onMore: () => void }) {
  return (
    <footer>
      The first {count} by name.
      <button type="button" class="tiny" onClick={onMore}>
        Show more
      </button>
    </footer>
  );
}

/** The navigation says how many schedules need somebody. */
function showCount(needing: number): void {
  const label = `${needing} that ${needing === 1 ? "needs" : "need"} you`;
  const schedules = needing === 0 ? undefined : { text: String(needing), state: "warning", label };
  navCounts.value = { ...navCounts.peek(), schedules };
}
