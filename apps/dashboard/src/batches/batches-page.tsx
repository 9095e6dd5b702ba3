import { useEffect } from "preact/hooks";
import type { BatchFilter } from "../api/asked.js";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { ListFoot, NewerButton } from "../feeds/list-foot.js";
import { useHeldList } from "../feeds/use-held-list.js";
import { navCounts } from "../place/nav-counts.js";
import { goTo } from "../place/place.js";
import { storeAway } from "../session/store-health.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { BatchCards } from "./batch-cards.js";
import { BatchFilterBar } from "./batch-filter-bar.js";
import { BatchesTable } from "./batches-table.js";
import { batchesSentence, needsYou } from "./batch-words.js";

const pollMs = 5_000;

/** The batches, the newest first, of a state or with a name that begins so; those that matter now stand above. */
export function BatchesPage({ api, filter }: { api: TickwheelApi; filter: BatchFilter }) {
  const read = (asked: BatchFilter, cursor: string | undefined) => api.batches.list(asked, cursor);
  const { list, trail, open } = useHeldList({ everyMs: pollMs, filter, read });
  const { rows, problem, readAt, edition, gone } = list;
  const isFiltered = Object.keys(filter).length > 0;
  const isFirst = trail.length === 0 && !isFiltered;
  const isPart = trail.length > 0 || list.nextCursor !== null;
  const needing = rows && isFirst ? rows.filter(needsYou).length : null;
  useEffect(() => showCount(needing), [needing]);
  const isEmpty = rows?.length === 0 && isFirst;
  return (
    <>
      <PageHead name="Batches" sub={rows && <p role="status">{batchesSentence(rows, { isPart, isFiltered })}</p>} />
      {rows && problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      {!isEmpty && <BatchFilterBar filter={filter} onChange={(next) => goTo({ page: "batches", filter: next })} />}
      {rows && isFirst && <BatchCards rows={rows} edition={edition} />}
      <Panel
        title={isFiltered ? "Batches that match" : "All batches"}
        more={<NewerButton list={list} trail={trail} onOpen={open} />}
      >
        {!rows && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={8} />)}
        {rows?.length === 0 && <NoBatch isFiltered={isFiltered} />}
        {rows && rows.length > 0 && <BatchesTable rows={rows} gone={gone} />}
        <ListFoot list={list} trail={trail} onOpen={open} />
      </Panel>
    </>
  );
}

function NoBatch({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <Empty icon="batch" title="There is no batch yet">
        An application makes them with <code>DelayTaskService.batches</code>, any other program by{" "}
        <code>POST /v1/batches</code>.
      </Empty>
    );
  }
  const all = (
    <button type="button" class="tiny" onClick={() => goTo({ page: "batches", filter: {} })}>
      Show all batches
    </button>
  );
  return (
    <Empty icon="search" title="No batch matches this filter" actions={all}>
      A name must begin with what is asked for; upper and lower case count. Batches without a name are left out.
    </Empty>
  );
}

/** The navigation says how many batches need somebody; null: that is not known, and what it says stays. */
function showCount(needing: number | null): void {
  if (needing === null) return;
  const label = `${needing} that ${needing === 1 ? "needs" : "need"} you`;
  const batches = needing === 0 ? undefined : { text: String(needing), state: "warning", label };
  navCounts.value = { ...navCounts.peek(), batches };
}
