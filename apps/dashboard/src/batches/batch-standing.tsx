import type { Batch } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { formatCount } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { nowFor } from "../time/ticking.js";
import { Icon } from "../ui/icon.js";
import { batchMark, expectedEndAt, isOverdue, standingSentence, stopWords } from "./batch-words.js";

/** The one sentence: what it waits for or how it ended; then what is not as it should be. */
export function BatchStanding({ batch }: { batch: Batch }) {
  const { deadlineAt, leftovers, stop, retryingSince } = batch;
  const { state } = batchMark(batch);
  const expectedAt = expectedEndAt(batch, nowFor(Date.parse(batch.createdAt)));
  const isLate = deadlineAt !== null && isOverdue(batch, nowFor(Date.parse(deadlineAt)));
  return (
    <section class={`because is-${state}`} aria-label="How it stands">
      <Icon name={state} />
      <p>{standingSentence(batch)}</p>
      {expectedAt !== null && (
        <p class="small">
          At this pace all have ended at about <Instant at={new Date(expectedAt).toISOString()} />.
        </p>
      )}
      {stop && (
        <p class="small">
          {stopWords(stop)}, <Instant at={stop.at} />.
        </p>
      )}
      {isLate && (
        <p class="small ink is-overdue">
          It passed its deadline, <Instant at={deadlineAt} />.
        </p>
      )}
      {retryingSince && (
        <p class="small">
          Its dead members are being retried since <Instant at={retryingSince} />.
        </p>
      )}
      {leftovers !== null && leftovers.count > 0 && <LeftoversLine batch={batch} leftovers={leftovers} />}
    </section>
  );
}

interface LeftoversLineProps {
  batch: Batch;
  leftovers: NonNullable<Batch["leftovers"]>;
}

/** The members that had not succeeded at the deadline, each with the state that it had then. */
export function LeftoversLine({ batch: { counts }, leftovers: { count, named } }: LeftoversLineProps) {
  const unnamed = count - named.length;
  return (
    <p class="small leftovers">
      <b class="strong">
        {formatCount(count)} of {formatCount(counts.total)} {count === 1 ? "was" : "were"} left at the deadline
      </b>
      :{" "}
      {named.map(({ id, type, key, state }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <a class="mono" title={`${type} ${id}`} href={fragmentOf({ page: "task", id })}>
            {key ?? id}
          </a>{" "}
          <span class="muted">{state}</span>
        </span>
      ))}
      {unnamed > 0 && <> and {formatCount(unnamed)} more</>}.{" "}
      <span class="muted">The states are those of then; a later success is counted, and opens nothing again.</span>
    </p>
  );
}
