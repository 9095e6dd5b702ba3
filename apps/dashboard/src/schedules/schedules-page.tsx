import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { sentenceOf } from "../api/problem.js";
import type { Schedule, SchedulePage } from "../api/wire.js";
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
import { matches, type ScheduleFilter, stateOf } from "./schedule-filter.js";
import { ScheduleFilterBar } from "./schedule-filter-bar.js";
import { emptySentence, needsYou, schedulesSentence } from "./schedule-words.js";
import { SchedulesTable } from "./schedules-table.js";

const pollMs = 5_000;

const everything: ScheduleFilter = { which: "all", text: "" };

/** The schedules by name, of a state if one is chosen; those that were read can be filtered. */
export function SchedulesPage({ api }: { api: TickwheelApi }) {
  const { feed, filter, change, showMore } = useSchedules(api);
  const { value, problem, readAt } = feed;
  const rows = value?.items ?? [];
  const state = stateOf(filter);
  // Only a list of all tells how many need somebody.
  const needing = value && state === undefined ? rows.filter(needsYou).length : null;
  useEffect(() => showCount(needing), [needing]);
  const hasMore = (value?.nextCursor ?? null) !== null;
  const isEmpty = value !== null && rows.length === 0 && state === undefined;
  return (
    <>
      <PageHead
        name="Schedules"
        sub={value && schedulesSentence(rows, { hasMore, state })}
        actions={mayAs("operator") && <NewSchedule />}
      />
      {value && problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      {!isEmpty && <ScheduleFilterBar filter={filter} onChange={change} />}
      <section class="panel" aria-label="List">
        {!value && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={8} />)}
        {value && <List rows={rows} filter={filter} hasMore={hasMore} onClear={() => change(everything)} />}
        {hasMore && <Foot count={rows.length} onMore={showMore} />}
      </section>
    </>
  );
}

function useSchedules(api: TickwheelApi) {
  const feed = useSignal<Feed<SchedulePage>>(emptyFeed);
  const pages = useSignal(1);
  const filter = useSignal(everything);
  const readAgain = usePolling(pollMs, async () => {
    const state = stateOf(filter.value);
    const answer = await api.schedules.list(pages.value, state);
    // Another state was chosen meanwhile: the poll behind this one asks for it.
    if (state !== stateOf(filter.value)) return undefined;
    feed.value = feedAfter(feed.value, answer, Date.now());
    return waitAskedFor(feed.value);
  });
  const change = (next: ScheduleFilter): void => {
    const isOther = stateOf(next) !== stateOf(filter.value);
    filter.value = next;
    if (!isOther) return;
    feed.value = emptyFeed;
    pages.value = 1;
    readAgain();
  };
  const showMore = (): void => {
    pages.value++;
    readAgain();
  };
  return { feed: feed.value, filter: filter.value, change, showMore };
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
  hasMore: boolean;
  onClear: () => void;
}

function List({ rows, filter, hasMore, onClear }: ListProps) {
  const shown = rows.filter((row) => matches(row, filter));
  const state = stateOf(filter);
  const all = (
    <button type="button" class="tiny" onClick={onClear}>
      Show all of them
    </button>
  );
  if (shown.length > 0) return <SchedulesTable rows={shown} />;
  if (rows.length > 0) {
    return (
      <Empty icon="search" title="None of these schedules matches" actions={all}>
        Only those that were read were looked through: {rows.length} by their names.
      </Empty>
    );
  }
  if (state !== undefined) return <Empty icon="search" title={emptySentence({ hasMore, state })} actions={all} />;
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

/** The navigation says how many schedules need somebody; null: that is not known, and what it says stays. */
function showCount(needing: number | null): void {
  if (needing === null) return;
  const label = `${needing} that ${needing === 1 ? "needs" : "need"} you`;
  const schedules = needing === 0 ? undefined : { text: String(needing), state: "warning", label };
  navCounts.value = { ...navCounts.peek(), schedules };
}
