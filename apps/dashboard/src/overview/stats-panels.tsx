import type { ComponentChildren } from "preact";
import { taskStates, type Stats } from "../api/wire.js";
import { formatCount, formatDuration } from "../format.js";
import { fragmentOf } from "../route.js";
import { Instant } from "../ui/instant.js";

/** What is due, and what went through in the last minute. */
export function WorkPanel({ stats }: { stats: Stats }) {
  const { dueNow, oldestDueMs, lastMinute } = stats;
  return (
    <section class="panel" aria-labelledby="work">
      <h2 id="work">Now and the last minute</h2>
      <dl class="figures">
        <Figure
          name="Due now"
          value={formatCount(dueNow)}
          note={dueNow > 0 && `oldest ${formatDuration(oldestDueMs)}`}
        />
        <Rate name="Created" perMinute={lastMinute.created} />
        <Rate name="Started" perMinute={lastMinute.started} />
        <Rate name="Succeeded" perMinute={lastMinute.succeeded} />
        <Rate name="Failed" perMinute={lastMinute.failed} isBad={lastMinute.failed > 0} />
      </dl>
    </section>
  );
}

/** How many tasks there are in each state; each leads to its list. */
export function CountsPanel({ counts, countedAt, now }: Pick<Stats, "counts" | "countedAt"> & { now: number }) {
  return (
    <section class="panel" aria-labelledby="counts">
      <h2 id="counts">
        Tasks{" "}
        <span class="hint">
          counted <Instant at={countedAt} now={now} />
        </span>
      </h2>
      <dl class="figures">
        {taskStates.map((state) => (
          <Figure
            key={state}
            name={state}
            isBad={state === "dead" && counts.dead > 0}
            value={<a href={fragmentOf({ page: "tasks", filter: { state } })}>{formatCount(counts[state])}</a>}
          />
        ))}
      </dl>
    </section>
  );
}

function Rate({ name, perMinute, isBad }: { name: string; perMinute: number; isBad?: boolean }) {
  const note = perMinute >= 60 && `${formatCount(perMinute / 60)}/s`;
  return <Figure name={name} value={formatCount(perMinute)} note={note} isBad={isBad} />;
}

interface FigureProps {
  name: string;
  value: ComponentChildren;
  note?: string | false;
  isBad?: boolean;
}

function Figure({ name, value, note, isBad }: FigureProps) {
  return (
    <div class={isBad ? "figure is-bad" : "figure"}>
      <dt>{name}</dt>
      <dd>
        {value} {note && <span class="note">{note}</span>}
      </dd>
    </div>
  );
}
