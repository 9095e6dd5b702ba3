import { useSignal } from "@preact/signals";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { DeadGroupDetails, DeadLetter } from "../api/wire.js";
import { emptyFeed, type Feed, feedAfter, waitAskedFor } from "../feeds/feed.js";
import { usePolling } from "../feeds/use-polling.js";
import { NodeName, nodeName } from "../nodes/known-nodes.js";
import { fragmentOf } from "../place/route.js";
import { storeAway } from "../session/store-health.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { TaskLink, useScheduleNames } from "../task-life/named-task.js";
import { type Column, DataTable } from "../ui/data-table.js";
import { type FactRows, Facts } from "../ui/facts.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { TextPanel } from "../ui/text-panel.js";
import { DeadButtons } from "./dead-buttons.js";
import { SeenButton } from "./seen-button.js";
import { Deaths } from "./dead-table.js";
import { lineOfGroup, nameOfGroup, nodesText, retryingText, versionsText, whyDead } from "./dead-words.js";

const pollMs = 5_000;

interface DeadGroupPageProps {
  api: TickwheelApi;
  cause: { readonly type: string; readonly fingerprint: string };
}

/** One cause of dead tasks: what it says, where its tasks died, and the newest of them. */
export function DeadGroupPage({ api, cause: { type, fingerprint } }: DeadGroupPageProps) {
  const feed = useSignal<Feed<DeadGroupDetails>>(emptyFeed);
  usePolling(pollMs, async () => {
    feed.value = feedAfter(feed.value, await api.deadLetters.get(type, fingerprint), Date.now());
    return waitAskedFor(feed.value);
  });
  const { value: group, problem, readAt } = feed.value;
  useScheduleNames(group?.newest ?? []);
  if (group === null)
    return (
      <>
        <PageHead name="Dead letters" />
        {problem ? <ProblemView problem={problem} /> : <Skeleton lines={8} />}
      </>
    );
  const list = fragmentOf({ page: "tasks", tab: "dead", line: lineOfGroup({ type, fingerprint }) });
  return (
    <>
      <PageHead
        name={nameOfGroup(group)}
        tab="Dead letters"
        sub={<p>{`${formatNumberOf(group.count, "task")} of ${type}`}</p>}
        actions={
          <>
            <SeenButton api={api} group={group} onSeen={(value) => (feed.value = { ...feed.value, value })} />
            <DeadButtons api={api} group={group} />
          </>
        }
      />
      {problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      <Panel title="What is known of it">
        <Facts rows={factsOf(group)} />
      </Panel>
      {group.sample?.lastError && <TextPanel title="A sample, the newest" text={group.sample.lastError} />}
      <Panel
        title="Its newest tasks"
        more={
          <a class="btn tiny bare" href={list}>
            All {formatCount(group.count)} as a list
          </a>
        }
      >
        <DataTable caption="Newest dead tasks" columns={columns} rows={group.newest} rowKey={({ id }) => id} />
      </Panel>
    </>
  );
}

function factsOf(group: DeadGroupDetails): FactRows {
  const { type, place, reason, firstAt, lastAt, seenAt, hours, keptUntil } = group;
  return [
    ["Type", <a href={fragmentOf({ page: "types", type })}>{type}</a>],
    ...(place === "" ? [] : [["Thrown by", <span class="mono small">{place}</span>] as const]),
    ["Ended because", whyDead(reason)],
    ["First", <Instant at={firstAt} />],
    ["Last", <Instant at={lastAt} />],
    ["Looked at", seenAt === null ? "not yet" : <Instant at={seenAt} />],
    ["7 days", <Deaths hours={hours} />],
    ["Nodes", nodesText(group, nodeName)],
    ["Versions", versionsText(group)],
    ["Same error", retryingText(group)],
    ["Kept until", [<Instant at={keptUntil} />, "; then the first are gone"]],
  ];
}

const columns: Column<DeadLetter>[] = [
  {
    head: "Task",
    at: "a",
    cell: (task) => <TaskLink task={task} />,
  },
  { head: "Died", at: "b", cell: ({ finishedAt }) => <Instant at={finishedAt} as="distance" /> },
  {
    head: "Attempts",
    at: "c",
    cell: ({ attempt, maxAttempts }) => `${formatCount(attempt)} of ${formatCount(maxAttempts)}`,
  },
  { head: "Node", at: "c2", cell: ({ node }) => <NodeName label={node} none="forgotten" /> },
];
