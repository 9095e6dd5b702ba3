import type { DryRun, OperationAction } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { formatCount } from "../time/format.js";
import { clockText } from "../time/zone.js";
import { Banner } from "../ui/banner.js";
import { Icon } from "../ui/icon.js";
import { countText, undoSentence, wouldBe } from "./operation-words.js";

/** What an operation would do now: how many, which, and what an undo could put back. */
export function DryRunView({ action, dryRun }: { action: OperationAction; dryRun: DryRun }) {
  const { filter, createdBefore, dueFrom, dueTo, sample, count, types } = dryRun;
  const rest = count - sample.length;
  return (
    <>
      <p>
        These match <code>{filter === "" ? "all tasks" : filter}</code> now and were created before{" "}
        {clockText(Date.parse(createdBefore))}. What comes later is not touched.
      </p>
      {dryRun.incomplete && (
        <Banner severity="warning" title="Not all was looked through">
          The count ended after {formatCount(dryRun.lookedAt)} rows. The operation itself goes through all of them.
        </Banner>
      )}
      <dl class="dry-counts">
        <Count name={wouldBe[action]} value={countText(dryRun)} isStrong />
        {types.length > 1 &&
          types.map(({ type, count: of }) => <Count key={type} name={type} value={formatCount(of)} />)}
        {notes(action, dryRun).map(([name, value]) => (
          <Count key={name} name={name} value={formatCount(value)} />
        ))}
        {dueFrom !== null && dueTo !== null && (
          <Count name={`Due ${clockText(Date.parse(dueFrom))} to ${clockText(Date.parse(dueTo))}`} value="" />
        )}
      </dl>
      {sample.length > 0 && (
        <ul class="sample mono" aria-label="The newest of them">
          {sample.map(({ id, key, type, dueAt, createdBy }) => (
            <li key={id}>
              <span class="cut">{key ?? id}</span> <span>{types.length > 1 ? type : clockText(Date.parse(dueAt))}</span>{" "}
              <span class="muted">by {actorName(createdBy)}</span>
            </li>
          ))}
          {rest > 0 && <li class="muted">… and {formatCount(rest)} more</li>}
        </ul>
      )}
      <p class="small muted">
        <Icon name="undo" /> {undoSentence(dryRun)}
      </p>
    </>
  );
}

/** What is worth knowing before it is done; what is nothing is not told. */
function notes(action: OperationAction, dryRun: DryRun): [name: string, value: number][] {
  const all: [string, number][] = [
    ["Running now, asked to stop", dryRun.running],
    [
      "Occurrences of schedules: their schedule plans the next; pause it instead",
      action === "cancel" ? dryRun.occurrences : 0,
    ],
    ["Members of batches", dryRun.members],
    ["Left, since another task has their key", dryRun.keysTaken],
    ["Due within a minute: an undo may come too late", dryRun.dueSoon],
  ];
  return all.filter(([, value]) => value > 0);
}

function Count({ name, value, isStrong = false }: { name: string; value: string; isStrong?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isStrong ? "strong" : undefined}>{value}</dd>
    </div>
  );
}
