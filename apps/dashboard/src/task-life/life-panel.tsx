import type { Task } from "../api/wire.js";
import { formatCount, formatDuration } from "../time/format.js";
import { nowFor } from "../time/ticking.js";
import { instantText } from "../time/zone.js";
import { Icon } from "../ui/icon.js";
import { Panel } from "../ui/panel.js";
import { drawnRuns, type Flag, type Lane, type Life, lifeOf, type Segment, type Stage } from "./life.js";
import type { Run } from "./runs.js";

/** The six stages of a task, then a lane for each node that had it, to scale from its due time on. */
export function LifePanel({ task, runs }: { task: Task; runs: readonly Run[] }) {
  const life = lifeOf(task, runs, nowFor(Date.parse(task.dueAt ?? task.scheduledAt)));
  const note =
    runs.length > drawnRuns
      ? `The latest ${drawnRuns} of ${formatCount(runs.length)} runs, to scale`
      : "To scale from its due time on; the wait before is not drawn";
  return (
    <Panel title="Life" note={note}>
      <div class="life">
        <ol class="stages">
          {life.stages.map((stage) => (
            <StageMark key={stage.name} stage={stage} dueAt={life.stages[1]!.at!} />
          ))}
        </ol>
        {life.lanes.length > 0 && <Lanes life={life} />}
      </div>
    </Panel>
  );
}

function StageMark({ stage: { name, at, isAfterDue, note, mark }, dueAt }: { stage: Stage; dueAt: number }) {
  return (
    <li class={at === null ? undefined : `is-${mark}`}>
      <b>{name}</b>
      <span class="mono">{at === null ? "–" : isAfterDue ? offsetText(at - dueAt) : instantText(at).slice(0, 23)}</span>
      <span class="muted">{note}</span>
    </li>
  );
}

/** Whole milliseconds up to a minute, since these are what the parts are told in. */
function offsetText(ms: number): string {
  const length = Math.abs(ms) < 60_000 ? `${formatCount(Math.abs(Math.round(ms)))} ms` : formatDuration(Math.abs(ms));
  return `${ms < 0 ? "−" : "+"}${length}`;
}

function Lanes({ life: { lanes, axis, label } }: { life: Life }) {
  return (
    <div class="lanes" role="img" aria-label={label}>
      {lanes.map((lane) => (
        <NodeLane key={lane.who} lane={lane} />
      ))}
      <div />
      <div class="lane-axis">
        {axis.map(({ at, text }) => (
          <span key={text} style={{ "--x": percent(at) }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

function NodeLane({ lane: { who, segments, flags } }: { lane: Lane }) {
  return (
    <>
      <div class="who">
        <span class="mono cut" title={who}>
          {who}
        </span>
      </div>
      <div class="lane">
        {segments.map((segment) => (
          <Stretch key={`${segment.from} ${segment.text}`} segment={segment} />
        ))}
        {flags.map((flag) => (
          <FlagMark key={`${flag.at} ${flag.text}`} flag={flag} />
        ))}
      </div>
    </>
  );
}

/** Below this share of the lane there is no room for words. */
const leastForText = 0.12;

function Stretch({ segment: { from, share, mark, look, text } }: { segment: Segment }) {
  const classes = ["seg-b", `is-${mark}`, look !== "plain" && look].filter(Boolean).join(" ");
  return (
    <span class={classes} style={{ "--x": percent(from), "--w": percent(share) }} title={text}>
      {share >= leastForText && <span class="lg">{text}</span>}
    </span>
  );
}

function FlagMark({ flag: { at, mark, text } }: { flag: Flag }) {
  return (
    <span class={`flag is-${mark}${at > 0.97 ? " at-end" : ""}`} style={{ "--x": percent(at) }} title={text}>
      <Icon name={mark} />
    </span>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
