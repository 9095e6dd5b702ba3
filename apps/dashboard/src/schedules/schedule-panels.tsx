import { prettyJson } from "../api/json.js";
import type { Schedule, TypeDetails } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { actorName } from "../keys/actor-name.js";
import { payloadTitle } from "../tasks/payload-title.js";
import { TaskTags } from "../tasks/task-tags.js";
import { exactDuration } from "../time/exact.js";
import { Instant } from "../time/instant.js";
import { Facts, type FactRows } from "../ui/facts.js";
import { Panel } from "../ui/panel.js";
import { TextPanel } from "../ui/text-panel.js";
import { ruleRows, taskRows } from "./rule-words.js";

/** What it does and when, its rules, and what its tasks get. */
export function DefinitionPanels({ schedule }: { schedule: Schedule }) {
  const { value: type } = useReading<TypeDetails>(`/types/${encodeURIComponent(schedule.type)}`);
  return (
    <>
      <DefinitionPanel schedule={schedule} />
      <Panel title="Rules" note={originNote(schedule)}>
        <Facts rows={ruleRows(schedule)} />
      </Panel>
      <Panel title="Its tasks">
        <Facts rows={[...taskRows(schedule, type?.defaults ?? null), ["Tags", <TaskTags tags={schedule.tags} />]]} />
      </Panel>
      <TextPanel title={payloadTitle(schedule)} text={prettyJson(schedule.payload)} />
    </>
  );
}

function originNote({ application }: Schedule): string | undefined {
  return application === null ? undefined : `What the code of ${application} says`;
}

function DefinitionPanel({ schedule }: { schedule: Schedule }) {
  const { timeZone, startsAt, endsAt, namespace, createdAt, createdBy, changedAt, changedBy } = schedule;
  const rows: FactRows = [
    ...specRows(schedule),
    ["Zone", timeZone],
    ["Starts", startsAt === null ? "at its creation" : <Instant at={startsAt} />],
    ["Ends", endsAt === null ? "never" : <Instant at={endsAt} />],
    ["Namespace", namespace],
    ["Created", <By at={createdAt} by={createdBy} />],
    ["Changed", <By at={changedAt} by={changedBy} />],
  ];
  return (
    <Panel title="Definition">
      <Facts rows={rows} />
    </Panel>
  );
}

function specRows({ cron, every, after, anchor }: Schedule): FactRows {
  if (cron !== null) return [["Expression", <code>{cron}</code>]];
  if (every === null) return [["After", `${exactDuration(after ?? 0)} from the last end`]];
  return [
    ["Every", exactDuration(every)],
    ["Counted from", <Instant at={anchor} isAlone />],
  ];
}

function By({ at, by }: { at: string; by: string }) {
  return (
    <>
      <Instant at={at} /> by {actorName(by)}
    </>
  );
}
