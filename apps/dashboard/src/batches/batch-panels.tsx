import type { Batch, FollowUp } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { fragmentOf } from "../place/route.js";
import { Instant } from "../time/instant.js";
import { Facts, type FactRows } from "../ui/facts.js";
import { Panel } from "../ui/panel.js";
import { deadlineWords, followUpWords } from "./batch-words.js";

/** What it does at its end and its deadline, and when it was what. */
export function BatchFacts({ batch }: { batch: Batch }) {
  const { onComplete, onSuccess, failFast, retryDead, deadlineAt } = batch;
  const rules: FactRows = [
    ["When all ended", <End batch={batch} followUp={onComplete} end="complete" />],
    ["When all succeeded", <End batch={batch} followUp={onSuccess} end="success" />],
    ["Deadline", deadlineAt === null ? "none" : <Deadline batch={batch} />],
    ["Failing fast", failFast ? "yes: the first dead member stops it" : "no"],
    ["Dead members", retryDead ? "are retried once, at the deadline" : "stay dead"],
  ];
  return (
    <div class="grid-2">
      <Panel title="At its end">
        <Facts rows={rules} />
      </Panel>
      <Panel title="Facts">
        <Facts rows={factRows(batch)} />
      </Panel>
    </div>
  );
}

function factRows(batch: Batch): FactRows {
  const { id, name, shards, createdAt, createdBy, sealedAt, finishedAt } = batch;
  return [
    ["Id", <span class="mono small">{id}</span>],
    ["Name", name ?? "–"],
    ["Shards", shards ?? "–"],
    [
      "Made",
      <>
        <Instant at={createdAt} /> by {actorName(createdBy)}
      </>,
    ],
    ["Sealed", sealedAt === null ? "no" : <Instant at={sealedAt} />],
    ["Ended", <Instant at={finishedAt} />],
  ];
}

function Deadline({ batch }: { batch: Batch }) {
  return (
    <>
      <Instant at={batch.deadlineAt} />; {deadlineWords(batch)}
    </>
  );
}

interface EndProps {
  batch: Batch;
  followUp: FollowUp | null;
  end: "complete" | "success";
}

/** A task that it makes; it leads there once it is made. */
function End({ batch, followUp, end }: EndProps) {
  if (followUp === null) return <>nothing</>;
  const { type, taskId } = followUp;
  return (
    <>
      <a href={fragmentOf({ page: "types", type })}>{type}</a>,{" "}
      {taskId === null ? (
        <span class="muted">{followUpWords(batch, end)}</span>
      ) : (
        <>
          task{" "}
          <a class="mono small" href={fragmentOf({ page: "task", id: taskId })}>
            {taskId}
          </a>
        </>
      )}
    </>
  );
}
