import type { Schedule } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { Instant } from "../time/instant.js";
import { Banner } from "../ui/banner.js";
import { changesBetween, type ScheduleDraft } from "./schedule-draft.js";
import { fieldNames } from "./field-names.js";

interface ChangedMeanwhileProps {
  base: Schedule;
  current: Schedule;
  draft: ScheduleDraft;
  onKeep: () => void;
  onTake: () => void;
}

/** Somebody else changed the schedule while it stood in the form: what they did, and which of the two is to count. */
export function ChangedMeanwhile({ base, current, draft, onKeep, onTake }: ChangedMeanwhileProps) {
  const changes = changesBetween(base, current, draft);
  const { revision, changedAt, changedBy } = current;
  return (
    <Banner
      severity="warning"
      title={`It has revision ${String(revision)} now; you began with ${String(base.revision)}`}
      buttons={
        <>
          <button type="button" onClick={onKeep}>
            Keep what I wrote
          </button>
          <button type="button" onClick={onTake}>
            Take what is stored
          </button>
        </>
      }
    >
      <p>
        Changed by {actorName(changedBy)}, <Instant at={changedAt} />. Nothing of yours is stored yet.
      </p>
      {changes.length === 0 && <p>Nothing of what this form shows differs: it was paused, resumed, or has run.</p>}
      <ul class="wrap">
        {changes.map(({ field, was, now, yours }) => (
          <li key={field}>
            <b>{fieldNames[field]}</b>: was <code>{was || "empty"}</code>, is <code>{now || "empty"}</code>, yours is{" "}
            <code>{yours || "empty"}</code>
          </li>
        ))}
      </ul>
    </Banner>
  );
}
