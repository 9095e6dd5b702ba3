import type { ComponentChildren } from "preact";
import type { Schedule } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { Icon } from "../ui/icon.js";
import { progressWords } from "./backfill-words.js";
import { pauseWords, scheduleMarks } from "./schedule-words.js";

/** The one sentence: what comes next, or why nothing does. */
export function ScheduleStanding({ schedule }: { schedule: Schedule }) {
  const { state, failures, pauseAfterFailures, backfill } = schedule;
  const mark = scheduleMarks[state];
  return (
    <section class={`because is-${mark}`} aria-label="How it stands">
      <Icon name={mark} />
      <p>{sentence(schedule)}</p>
      {backfill && (
        <p class="small">
          {progressWords(backfill)} Asked for by {actorName(backfill.by)} <Instant at={backfill.since} as="distance" />.
        </p>
      )}
      {failures > 0 && (
        <p class="small ink is-failing">
          {formatNumberOf(failures, "run")} in a row failed
          {pauseAfterFailures !== null && `; at ${pauseAfterFailures} it pauses itself`}.
        </p>
      )}
    </section>
  );
}

function sentence({ nextAt, waitingFor, pause, state }: Schedule): ComponentChildren {
  if (state === "finished") return "Finished: it has no instant left.";
  if (pause) {
    const words = pauseWords(pause, actorName);
    return (
      <>
        {`${words.charAt(0).toUpperCase()}${words.slice(1)}`}, since <Instant at={pause.since} />.{" "}
        {pause.until === null ? (
          "Nothing is planned until it is resumed."
        ) : (
          <>
            It resumes at <Instant at={pause.until} />.
          </>
        )}
      </>
    );
  }
  if (waitingFor === "PLAN") return "Nothing is planned yet: a run becomes a task 30 s before it is due.";
  if (nextAt === null) return "Its run goes on, or is about to start; what comes next is planned when it has ended.";
  return (
    <>
      Next at{" "}
      <b>
        <Instant at={nextAt} />
      </b>
      .
    </>
  );
}
