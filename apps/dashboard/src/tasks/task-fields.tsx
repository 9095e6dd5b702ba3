import { formatLine } from "@tickwheel/core/filter";
import type { ComponentChildren } from "preact";
import { prettyJson } from "../api/json.js";
import type { Task } from "../api/wire.js";
import { NodeFact } from "../nodes/known-nodes.js";
import { fragmentOf } from "../place/route.js";
import { formatCount, formatDuration } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { ownZone, zone } from "../time/zone.js";
import { Facts, type FactRows } from "../ui/facts.js";
import { CopyButton } from "../ui/middle.js";
import { Panel } from "../ui/panel.js";
import { TextPanel } from "../ui/text-panel.js";
import { errorTextOf } from "../task-life/error-text.js";
import { TaskTags } from "./task-tags.js";
import { payloadTitle } from "./payload-title.js";

/** When it was and will be. */
export function TimesPanel({ task }: { task: Task }) {
  const rows: FactRows = [
    ["Created", <Instant at={task.createdAt} as="full" isAlone />],
    ["Scheduled for", <Instant at={task.scheduledAt} as="full" isAlone />],
    ...(task.remainingMs === null
      ? [["Due (next try)", <Instant at={task.dueAt} as="full" isAlone />] as const]
      : [
          ["Remaining", formatDuration(task.remainingMs)] as const,
          ["Paused since", <Instant at={task.pausedAt} as="full" isAlone />] as const,
        ]),
    ...(task.pausedMs === 0 ? [] : [["Paused before", formatDuration(task.pausedMs)] as const]),
    ...(task.startDeadlineAt === null
      ? []
      : [["Start deadline", <Instant at={task.startDeadlineAt} as="full" isAlone />] as const]),
    ["Started", <Instant at={task.startedAt} as="full" isAlone />],
    ["Finished", <Instant at={task.finishedAt} as="full" isAlone />],
    ["Lateness", formatDuration(task.latenessMs)],
  ];
  return (
    <Panel title="Times" note={zone.value === "utc" ? "UTC" : ownZone()}>
      <Facts rows={rows} />
    </Panel>
  );
}

function Copied({ text, what }: { text: string; what: string }) {
  return (
    <>
      <span class="mono small">{text}</span> <CopyButton text={text} what={what} />
    </>
  );
}

/** All other fields. */
export function FactsPanel({ task }: { task: Task }) {
  const rows: FactRows = [
    ["Id", <Copied text={task.id} what="id" />],
    ["Key", task.key === null ? "–" : <Copied text={task.key} what="key" />],
    ["Tags", <TaskTags tags={task.tags} />],
    ["Namespace", task.namespace],
    ["Attempt", `${task.attempt} of ${task.maxAttempts}`],
    ["Crashes", formatCount(task.crashCount)],
    ...(task.batchId === null ? [] : [["Batch", <BatchLink id={task.batchId} />] as const]),
    ...(task.shard === null ? [] : [["Shard", `${task.shard.index} of ${task.shard.total}, counted from 0`] as const]),
    ...(task.fingerprint === null ? [] : [["Its cause", <CauseLink fingerprint={task.fingerprint} />] as const]),
    ["Node", task.node === null ? "–" : <NodeFact label={task.node} />],
    ["Priority", task.priority],
    ["Version", String(task.version)],
    ["Fence", String(task.fence)],
    ["Delivery", deliveryOf(task.deliver)],
    ...(task.continues === null ? [] : [["Continues", <TaskLink id={task.continues} />] as const]),
    ...(task.continuedBy === null ? [] : [["Continued by", <TaskLink id={task.continuedBy} />] as const]),
  ];
  return (
    <Panel title="Facts">
      <Facts rows={rows} />
    </Panel>
  );
}

/** What it was given, and what came of it. */
export function DataPanels({ task }: { task: Task }) {
  const hasResult = task.result !== null && task.result !== undefined;
  return (
    <>
      <TextPanel title={payloadTitle(task)} text={prettyJson(task.payload)} />
      {hasResult && <TextPanel title={payloadTitle(task, "Result")} text={prettyJson(task.result)} />}
    </>
  );
}

/** The last error, where no attempt that is shown tells it. */
export function ErrorPanel({ task: { lastError }, runs }: { task: Task; runs: readonly { error: string | null }[] }) {
  if (lastError === null || lastError === undefined || runs.some(({ error }) => error !== null)) return null;
  return <TextPanel title="Last error" text={errorTextOf(lastError)} />;
}

/** Leads to the task that had the key before this one, or took it afterwards. */
function TaskLink({ id }: { id: string }) {
  return (
    <>
      task{" "}
      <a class="mono small" href={fragmentOf({ page: "task", id })}>
        {id}
      </a>
    </>
  );
}

/** Leads to all tasks whose last error has the same cause, of whatever type. */
function CauseLink({ fingerprint }: { fingerprint: string }) {
  return (
    <>
      <span class="mono small">{fingerprint}</span>{" "}
      <a href={fragmentOf({ page: "tasks", line: formatLine({ fingerprint: [fingerprint] }) })}>
        all tasks that failed so
      </a>
    </>
  );
}

function BatchLink({ id }: { id: string }) {
  return (
    <a class="mono small" href={fragmentOf({ page: "batch", id })}>
      {id}
    </a>
  );
}

function deliveryOf(deliver: unknown): ComponentChildren {
  if (deliver === null || deliver === undefined) return "in-process handler";
  return <code>{JSON.stringify(deliver)}</code>;
}
