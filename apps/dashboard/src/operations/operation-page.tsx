import { useSignal } from "@preact/signals";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { ChangedTask, OperationDetails } from "../api/wire.js";
import { emptyFeed, type Feed, feedAfter } from "../feeds/feed.js";
import { ListFoot } from "../feeds/list-foot.js";
import { useHeldList } from "../feeds/use-held-list.js";
import { actorName } from "../keys/actor-name.js";
import { goTo } from "../place/place.js";
import { fragmentOf } from "../place/route.js";
import { storeAway } from "../session/store-health.js";
import { Instant } from "../time/instant.js";
import { type Column, DataTable } from "../ui/data-table.js";
import { Empty } from "../ui/empty.js";
import { Facts } from "../ui/facts.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";
import { OperationButtons, OperationProgress } from "./open-operation.js";
import { countsText, markOf, nameOf, outcomeWords, passedWords } from "./operation-words.js";

const pollMs = 2_000;

interface OperationPageProps {
  api: TickwheelApi;
  id: string;
  /** Only tasks of which this became; absent: of any. */
  outcome?: string | undefined;
}

/** One operation: how far it is, what it was to do, and the tasks that it has changed. */
export function OperationPage({ api, id, outcome }: OperationPageProps) {
  const feed = useSignal<Feed<OperationDetails>>(emptyFeed);
  const { list, trail, open, readAgain } = useHeldList<ChangedTask, { outcome: string | undefined }>({
    everyMs: pollMs,
    filter: { outcome },
    read: (filter, cursor) => api.operations.tasks(id, filter.outcome, cursor),
    alongside: async () => {
      feed.value = feedAfter(feed.value, await api.operations.get(id), Date.now());
      return [feed.value];
    },
  });
  const { value: operation, problem, readAt } = feed.value;
  if (operation === null)
    return (
      <>
        <PageHead name="Operation" />
        {problem ? <ProblemView problem={problem} /> : <Skeleton lines={8} />}
      </>
    );
  const mark = markOf(operation);
  return (
    <>
      <PageHead
        name={nameOf(operation)}
        tab="Operation"
        detail={<StateMark state={mark.state} text={mark.text} fill />}
        actions={<OperationButtons api={api} operation={operation} onChanged={readAgain} />}
      />
      {problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      <Panel title="How far it is">
        <div class="body">
          <OperationProgress operation={operation} />
        </div>
        <Facts rows={factsOf(operation)} />
      </Panel>
      <Panel title="Tasks that it has changed" more={<Outcome id={id} outcome={outcome} operation={operation} />}>
        {!list.rows && (list.problem ? <ProblemView problem={list.problem} /> : <Skeleton lines={6} />)}
        {list.rows?.length === 0 && <NoTask operation={operation} />}
        {list.rows && list.rows.length > 0 && (
          <DataTable caption="Changed tasks" columns={columns} rows={list.rows} rowKey={(task) => task.id} />
        )}
        <ListFoot list={list} trail={trail} onOpen={open} />
      </Panel>
    </>
  );
}

function factsOf(operation: OperationDetails): [string, preact.ComponentChildren][] {
  const { filter, createdBy, createdAt, reason, passed, leftBehind, undo, finishedAt } = operation;
  return [
    ["Filter", <span class="mono small">{filter === "" ? "all tasks" : filter}</span>],
    ["By", [actorName(createdBy), ", ", <Instant at={createdAt} />]],
    ...(reason === null ? [] : [["Reason", reason] as [string, string]]),
    ...(finishedAt === null ? [] : [["Over", <Instant at={finishedAt} />] as [string, preact.ComponentChildren]]),
    ...(passed.length === 0 ? [] : [["Passed over", countsText(passed, passedWords)] as [string, string]]),
    ...(undo === null
      ? []
      : [["Undone by", [actorName(undo.by), ", ", <Instant at={undo.at} />]] as [string, preact.ComponentChildren]]),
    ...(leftBehind.length === 0 ? [] : [["Not put back", countsText(leftBehind, outcomeWords)] as [string, string]]),
  ];
}

/** Chooses the tasks of one outcome, of those that there are. */
function Outcome({ id, outcome, operation }: { id: string; outcome: string | undefined; operation: OperationDetails }) {
  const codes = [...new Set(["CHANGED", "UNDONE", ...operation.leftBehind.map(({ code }) => code)])];
  return (
    <select
      aria-label="What became of them"
      value={outcome ?? ""}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        goTo({ page: "operation", id, ...(chosen !== "" && { outcome: chosen }) });
      }}
    >
      <option value="">Any</option>
      {codes.map((code) => (
        <option key={code} value={code}>
          {outcomeWords[code]}
        </option>
      ))}
    </select>
  );
}

function NoTask({ operation: { undoUntil, changed } }: { operation: OperationDetails }) {
  const isForgotten = changed > 0 && undoUntil === null;
  return (
    <Empty icon="search" title={isForgotten ? "None is remembered" : "There is none"}>
      {isForgotten ? "What an operation has changed is remembered for 24 hours." : "It has changed no such task."}
    </Empty>
  );
}

const columns: Column<ChangedTask>[] = [
  {
    head: "Task",
    at: "a",
    cell: ({ id }) => (
      <a class="row mono" href={fragmentOf({ page: "task", id })}>
        {id}
      </a>
    ),
  },
  { head: "Was", at: "b", cell: ({ from }) => <StateMark state={from} /> },
  { head: "Became", at: "c", cell: ({ to }) => <StateMark state={to} /> },
  { head: "Changed", at: "c2", cell: ({ at }) => <Instant at={at} as="distance" /> },
  { head: "Now", at: "d", cell: ({ outcome }) => outcomeWords[outcome] ?? outcome },
];
