import { useMemo } from "preact/hooks";
import type { Batch } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { Instant } from "../time/instant.js";
import { Panel } from "../ui/panel.js";
import { LeftoversLine } from "./batch-standing.js";
import { BatchBar, BatchMark, BatchSummary } from "./batch-summary.js";
import { batchName, deadlineWords, isUnderWay, needsYou, standingSentence } from "./batch-words.js";

/** How many of each kind are shown as cards; the table has all. */
const mostCards = 3;

interface BatchCardsProps {
  rows: readonly Batch[];
  /** Cards are chosen anew only with another one: none comes or goes under the eye. */
  edition: number;
}

/** Those that are under way, then those whose leftovers nobody has settled. */
export function BatchCards({ rows, edition }: BatchCardsProps) {
  const chosen = useMemo(() => cardIds(rows), [edition]);
  const cards = chosen.flatMap((id) => rows.find((row) => row.id === id) ?? []);
  return (
    <>
      {cards.map((batch) => (
        <Card key={batch.id} batch={batch} />
      ))}
    </>
  );
}

function cardIds(rows: readonly Batch[]): string[] {
  const open = rows.filter(isUnderWay);
  const rest = rows.filter((batch) => !isUnderWay(batch) && needsYou(batch));
  return [...open.slice(0, mostCards), ...rest.slice(0, mostCards)].map(({ id }) => id);
}

function Card({ batch }: { batch: Batch }) {
  const { id, leftovers, deadlineAt } = batch;
  const link = (
    <a class="btn tiny" href={fragmentOf({ page: "batch", id })} aria-label={`Members of ${batchName(batch)}`}>
      Members
    </a>
  );
  return (
    <Panel
      title={batchName(batch)}
      note={
        <>
          <BatchMark batch={batch} fill /> {standingSentence(batch)}
        </>
      }
      more={link}
    >
      <div class="body card-body">
        {isUnderWay(batch) ? <BatchSummary batch={batch} /> : <BatchBar batch={batch} />}
        {isUnderWay(batch) && deadlineAt !== null && (
          <p class="small muted">
            Deadline <Instant at={deadlineAt} />; {deadlineWords(batch)}.
          </p>
        )}
        {leftovers !== null && leftovers.count > 0 && <LeftoversLine batch={batch} leftovers={leftovers} />}
      </div>
    </Panel>
  );
}
