import type { Task } from "../api/wire.js";
import { formatCount, formatDuration } from "../time/format.js";
import { clockText, instantText } from "../time/zone.js";
import { Empty } from "../ui/empty.js";
import { Icon } from "../ui/icon.js";
import { Panel } from "../ui/panel.js";
import { StateMark } from "../ui/state-mark.js";
import { latenessOf, markOfEnd, type Run } from "./runs.js";

/** How many runs are listed at once; the journal tells of all. */
const most = 50;

interface AttemptsProps {
  task: Task;
  runs: readonly Run[];
}

/** The runs of a task, newest first; the newest failure is open. */
export function AttemptsPanel({ task, runs }: AttemptsProps) {
  const shown = runs.slice(-most).toReversed();
  const newestFailure = shown.find(({ error }) => error !== null);
  return (
    <Panel title="Attempts" note={`${formatCount(task.attempt)} of ${formatCount(task.maxAttempts)}`}>
      {shown.length === 0 && <Empty icon="tasks" title="None yet" />}
      {shown.map((run) => (
        <Attempt key={`${run.fence} ${run.claimedAt}`} run={run} task={task} isOpen={run === newestFailure} />
      ))}
      {runs.length > most && (
        <p class="body muted">The journal tells of the {formatCount(runs.length - most)} before.</p>
      )}
    </Panel>
  );
}

function Attempt({ run, task, isOpen }: { run: Run; task: Task; isOpen: boolean }) {
  const { attempt, fence, end, error } = run;
  const isLast = run.endedAt !== null && task.finishedAt !== null && Date.parse(task.finishedAt) === run.endedAt;
  // The task keeps its last error whole; the journal shortens it.
  const text = isLast && typeof task.lastError === "string" && error !== null ? task.lastError : error;
  return (
    <details class="attempt" open={isOpen}>
      <summary>
        <Icon name="chev" />
        <span class="strong">{attempt > 0 ? `Attempt ${formatCount(attempt)}` : "Run"}</span>
        <StateMark state={markOfEnd(end)} text={end} />
        <span class="muted">{placeOf(run)}</span>
        <span class="mono small muted">fence {fence}</span>
      </summary>
      <div class="body">
        <p class="small muted">{timesOf(run)}</p>
        {text !== null && (
          <pre tabIndex={0} role="group" aria-label={`Error of attempt ${attempt}`}>
            {text}
          </pre>
        )}
      </div>
    </details>
  );
}

function placeOf({ node, claimedAt, startedAt, endedAt }: Run): string {
  const at = clockText(startedAt ?? claimedAt);
  const ran =
    endedAt === null
      ? "it runs"
      : startedAt === null
        ? "start not known"
        : `ran ${formatDuration(endedAt - startedAt)}`;
  return `${node ?? "unknown node"}, ${at}, ${ran}`;
}

function timesOf({ claimedAt, startedAt, endedAt, parts }: Run): string {
  const times = [
    `Claimed ${instantText(claimedAt)}`,
    startedAt === null ? null : `started ${instantText(startedAt)}`,
    endedAt === null ? null : `ended ${instantText(endedAt)}`,
    parts === null ? null : `${formatDuration(latenessOf(parts))} late`,
  ];
  return times.filter((text) => text !== null).join(" · ");
}
