import { formatLine } from "@tickwheel/core/filter";
import { type Batch, type Task, type TaskState, taskStates } from "../api/wire.js";
import { ListFoot, NewerButton } from "../feeds/list-foot.js";
import type { HeldList } from "../feeds/held-list.js";
import { NodeName } from "../nodes/known-nodes.js";
import { goTo } from "../place/place.js";
import { fragmentOf } from "../place/route.js";
import { errorLineOf } from "../task-life/error-text.js";
import { TaskLink } from "../task-life/named-task.js";
import { taskMark } from "../task-life/task-mark.js";
import { taskWaitText } from "../types/wait-words.js";
import { formatDuration, formatNumberOf } from "../time/format.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Empty } from "../ui/empty.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Seg } from "../ui/seg.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";
import { inShardOrder } from "./shard-words.js";

interface MembersPanelProps {
  batch: Batch;
  state: TaskState | undefined;
  list: HeldList<Task>;
  trail: readonly string[];
  open: (trail: readonly string[]) => void;
}

type Which = TaskState | "all";

/** Its members, in the order in which they were made; the shards of a batch in theirs. */
export function MembersPanel({ batch, state, list, trail, open }: MembersPanelProps) {
  const { id, counts, shards } = batch;
  const { rows, problem, gone } = list;
  const show = (which: Which): void => goTo({ page: "batch", id, ...(which !== "all" && { state: which }) }, "replace");
  return (
    <Panel
      title="Members"
      note={formatNumberOf(counts.total, "member")}
      more={<NewerButton list={list} trail={trail} onOpen={open} />}
    >
      {counts.total > 0 && (
        <div class="body">
          <Seg<Which>
            label="State of the members"
            value={state ?? "all"}
            choices={(["all", ...taskStates] as const).map((which) => ({ value: which, text: textOf(which) }))}
            onChange={show}
          />{" "}
          <a class="btn tiny" href={fragmentOf({ page: "tasks", line: formatLine({ batch: id }) })}>
            In the list of tasks
          </a>
        </div>
      )}
      {!rows && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={6} />)}
      {rows?.length === 0 && <NoMember state={state} />}
      {rows && rows.length > 0 && (
        <DataTable
          caption="Members"
          columns={columnsFor(gone, shards !== null)}
          rows={shards === null ? rows : inShardOrder(rows)}
          rowKey={(task) => task.id}
        />
      )}
      <ListFoot list={list} trail={trail} onOpen={open} />
    </Panel>
  );
}

function textOf(which: Which): string {
  return `${which.charAt(0).toUpperCase()}${which.slice(1)}`;
}

function NoMember({ state }: { state: TaskState | undefined }) {
  return state === undefined ? (
    <Empty icon="batch" title="It has no member" />
  ) : (
    <Empty icon="search" title={`No member is ${state}`} />
  );
}

function columnsFor(gone: ReadonlySet<string>, hasShards: boolean): Column<Task>[] {
  const shard: Column<Task> = { head: "Shard", isNumber: true, at: "c2", cell: (task) => task.shard?.index ?? "–" };
  return [
    { head: "Member", at: "a", isWide: true, cell: (task) => <TaskLink task={task} otherwise="payload" /> },
    ...(hasShards ? [shard] : []),
    { head: "State", at: "b", cell: (task) => <State task={task} isGone={gone.has(task.id)} /> },
    { head: "Type", isLow: true, cell: ({ type }) => <Cut text={type} width={160} /> },
    { head: "Attempt", isNumber: true, cell: (task) => <Attempt task={task} /> },
    { head: "Node", isLow: true, cell: ({ node }) => <NodeName label={node} /> },
    { head: "Late", isNumber: true, isLow: true, cell: ({ latenessMs }) => formatDuration(latenessMs) },
    { head: "Took", isNumber: true, isLow: true, cell: (task) => formatDuration(tookMs(task)) },
    { head: "Error", at: "d", cell: (task) => <ErrorLine error={task.lastError} /> },
  ];
}

function State({ task, isGone }: { task: Task; isGone: boolean }) {
  const { state, reason } = task;
  const wait = taskWaitText(task);
  return (
    <>
      <StateMark {...taskMark({ state, reason })} />
      {reason && <span class="two mono">{reason}</span>}
      {wait && <span class="two">{wait}</span>}
      {isGone && <span class="two">no more in this list</span>}
    </>
  );
}

function Attempt({ task: { attempt, maxAttempts } }: { task: Task }) {
  return (
    <>
      {attempt}
      <span class="u">of {maxAttempts}</span>
    </>
  );
}

function ErrorLine({ error }: { error: unknown }) {
  const line = errorLineOf(error);
  return line !== null && <Cut text={line} width={240} />;
}

function Cut({ text, width }: { text: string; width: number }) {
  return (
    <span class="cut" style={{ "--w": `${width}px` }} title={text}>
      {text}
    </span>
  );
}

function tookMs({ startedAt, finishedAt }: Task): number | null {
  return startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);
}
