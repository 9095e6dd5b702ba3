import { formatCount, formatDuration } from "../time/format.js";
import { Panel } from "../ui/panel.js";
import { latenessOf, type Run } from "./runs.js";
import { splitOf } from "./split-words.js";

/** Where the lateness of a run's start went, in parts that add up to it. */
export function SplitPanel({ run, runs }: { run: Run; runs: number }) {
  const which = runs > 1 ? `Attempt ${formatCount(run.attempt)}, the one that started latest` : undefined;
  if (run.parts === null || run.startedAt === null) return null;
  const lateness = latenessOf(run.parts);
  const parts = splitOf(run.parts, run.startedAt, run.node);
  return (
    <Panel title={`Where ${formatCount(lateness)} ms went`} note={which}>
      <div class="scroll" role="region" aria-label="The lateness in parts" tabIndex={0}>
        <table class="split">
          <tbody>
            {parts.map(({ name, ms, from, share, why }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <Ms ms={ms} />
                <td class="bar">
                  {share > 0 && (
                    <i style={{ "--x": `${(from * 100).toFixed(2)}%`, "--w": `${(share * 100).toFixed(2)}%` }} />
                  )}
                </td>
                <td class="why muted small">{why}</td>
              </tr>
            ))}
            <tr class="total">
              <th scope="row">Lateness</th>
              <Ms ms={lateness} />
              <td />
              <td class="why muted small">
                The parts are measured one by one. The database's clock is known to within{" "}
                {formatDuration(run.parts.clockErrorMs)}.
              </td>
            </tr>
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Ms({ ms }: { ms: number }) {
  return (
    <td class="num">
      {formatCount(ms)}
      <span class="u">ms</span>
    </td>
  );
}

/** A run whose start was not measured: it runs, its node died, or it never started. */
export function UnmeasuredPanel({ run }: { run: Run | undefined }) {
  const why =
    run?.end === "running"
      ? "The node that runs it tells this when the run ends."
      : "The node that had measured it died, or the handler was never called.";
  return (
    <Panel title="Where its lateness went">
      <p class="body not-measured">Not measured. {why}</p>
    </Panel>
  );
}
