import { useSignal } from "@preact/signals";
import { formatClock, formatDuration } from "../format.js";
import { LatenessChart } from "./lateness-chart.js";
import type { LatenessHistory } from "./lateness-history.js";

export const latenessSeries = ["p50", "p99", "max"] as const;

/** Lateness of the last minute over time. The figures beside the chart are those under the pointer, else the latest. */
export function LatenessPanel({ history }: { history: LatenessHistory }) {
  const pointed = useSignal<number | null>(null);
  const last = history.at.length - 1;
  const index = Math.min(pointed.value ?? last, last);
  const figures = latenessSeries.map((name) => ({ name, text: formatDuration(history[name][index]) }));
  const summary = figures.map(({ name, text }) => `${name} ${text}`).join(", ");
  return (
    <section class="panel" aria-labelledby="lateness">
      <h2 id="lateness">
        Lateness <span class="hint">of the starts in the last minute; logarithmic</span>
      </h2>
      <dl class="legend">
        {figures.map(({ name, text }) => (
          <div key={name} class={`is-${name}`}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div>
          <dt>at</dt>
          <dd>{index < 0 ? "–" : formatClock(history.at[index]! * 1000, Date.now())}</dd>
        </div>
      </dl>
      <div role="img" aria-label={`Lateness over time. Now: ${summary}`}>
        <LatenessChart history={history} onPoint={(at) => (pointed.value = at)} />
      </div>
      {last >= 0 && history.p50[last] === null && <p class="empty">No task started in the last minute.</p>}
    </section>
  );
}
