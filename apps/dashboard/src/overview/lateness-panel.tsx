import { useSignal } from "@preact/signals";
import { formatDuration } from "../time/format.js";
import { clockText } from "../time/zone.js";
import { Panel } from "../ui/panel.js";
import { LatenessChart } from "./lateness-chart.js";
import type { LatenessHistory } from "./lateness-history.js";

const series = [
  { name: "p99", key: "key" },
  { name: "p50", key: "key is-second" },
  { name: "max", key: "key dash is-third" },
] as const;

/** Lateness of the last minute over time. The figures beside the chart are those under the pointer, else the latest. */
export function LatenessPanel({ history }: { history: LatenessHistory }) {
  const pointed = useSignal<number | null>(null);
  const last = history.at.length - 1;
  const index = Math.min(pointed.value ?? last, last);
  const figures = series.map(({ name, key }) => ({ name, key, text: formatDuration(history[name][index]) }));
  const summary = figures.map(({ name, text }) => `${name} ${text}`).join(", ");
  return (
    <Panel title="Lateness" note="of the starts in the last minute, since this page is open; logarithmic">
      <div class="body">
        <div class="legend">
          {figures.map(({ name, key, text }) => (
            <span key={name}>
              <i class={key} />
              {name === "max" ? "most" : name} <b>{text}</b>
            </span>
          ))}
          <span>{index >= 0 && `at ${clockText(history.at[index]! * 1000)}`}</span>
        </div>
        <div role="img" aria-label={`Lateness over time. Now: ${summary}`}>
          <LatenessChart history={history} onPoint={(at) => (pointed.value = at)} />
        </div>
        {last >= 0 && history.p50[last] === null && <p class="small muted">No task started in the last minute.</p>}
      </div>
    </Panel>
  );
}
