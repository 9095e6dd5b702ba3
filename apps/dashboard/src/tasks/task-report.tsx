import { prettyJson } from "../api/json.js";
import type { Task } from "../api/wire.js";
import { Instant } from "../time/instant.js";
import { Panel } from "../ui/panel.js";
import { Meter } from "../ui/progress.js";
import { TextPanel } from "../ui/text-panel.js";

/** How far the handler says it has come. */
export function ProgressPanel({ task: { progress } }: { task: Task }) {
  if (!progress) return null;
  const percent = `${Math.round(progress.value * 100)} %`;
  return (
    <Panel title="Progress" note={percent}>
      <div class="body">
        <Meter label={`The handler has done ${percent}`} share={progress.value} />
        <p class="small muted">
          {progress.note !== null && `${progress.note} · `}
          told <Instant at={progress.at} as="distance" />
        </p>
      </div>
    </Panel>
  );
}

/** What the handler stored for its next attempt. */
export function CheckpointPanel({ task: { checkpoint } }: { task: Task }) {
  if (!checkpoint) return null;
  return <TextPanel title="Checkpoint" text={prettyJson(checkpoint.state)} />;
}
