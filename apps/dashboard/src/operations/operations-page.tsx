import { useEffect } from "preact/hooks";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { OperationState, TaskOperation } from "../api/wire.js";
import { ListFoot, NewerButton } from "../feeds/list-foot.js";
import { useStream } from "../feeds/use-stream.js";
import { useHeldList } from "../feeds/use-held-list.js";
import { navCounts } from "../place/nav-counts.js";
import { storeAway } from "../session/store-health.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { OpenOperation } from "./open-operation.js";
import { operationsSentence } from "./operation-words.js";
import { OperationsTable } from "./operations-table.js";

const pollMs = 5_000;
const overStates: readonly OperationState[] = ["done", "stopped", "undone"];

/** What is being done to many tasks, with its pace; below it what was done, as far as it can be undone. */
export function OperationsPage({ api }: { api: TickwheelApi }) {
  const { value, problem, readAt } = useStream("operations").feeds.operations.value;
  const running = value?.items ?? null;
  const over = useHeldList<TaskOperation, null>({
    everyMs: pollMs,
    filter: null,
    isBeside: true,
    read: (_filter, cursor) => api.operations.list(overStates, cursor),
  });
  // What has ended meanwhile belongs on top, and is looked for there.
  useEffect(() => {
    if (over.list.newer > 0 && over.trail.length === 0) over.open([]);
  }, [over.list.newer]);
  useEffect(() => showOpen(running?.length ?? null), [running?.length]);
  return (
    <>
      <PageHead name="Operations" sub={running && <p role="status">{operationsSentence(running.length)}</p>} />
      {running && problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      {!running && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={4} />)}
      {running?.map((operation) => (
        <OpenOperation key={operation.id} api={api} operation={operation} onChanged={over.readAgain} />
      ))}
      <Panel title="Done" more={<NewerButton list={over.list} trail={over.trail} onOpen={over.open} />}>
        {!over.list.rows && !over.list.problem && <Skeleton lines={6} />}
        {over.list.rows?.length === 0 && <NoOperation />}
        {over.list.rows && over.list.rows.length > 0 && (
          <OperationsTable api={api} rows={over.list.rows} onChanged={over.readAgain} />
        )}
        <ListFoot list={over.list} trail={over.trail} onOpen={over.open} />
      </Panel>
    </>
  );
}

function NoOperation() {
  return (
    <Empty icon="undo" title="Nothing was done to many tasks yet">
      Select tasks of a list, or all that match its filter: what can be done to them stands below it.
    </Empty>
  );
}

/** The navigation says how many are open; null: that is not known, and what it says stays. */
function showOpen(count: number | null): void {
  if (count === null) return;
  const operations =
    count === 0
      ? undefined
      : { text: String(count), state: "running", label: `${count} ${count === 1 ? "is" : "are"} open` };
  navCounts.value = { ...navCounts.peek(), operations };
}
