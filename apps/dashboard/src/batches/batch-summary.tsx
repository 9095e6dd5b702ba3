import type { Batch } from "../api/wire.js";
import { formatCount } from "../time/format.js";
import { Progress } from "../ui/progress.js";
import { StateMark } from "../ui/state-mark.js";
import { batchMark, ends, percentText, progressLabel, progressParts } from "./batch-words.js";

/** Its state, as sign and word. */
export function BatchMark({ batch, fill = false }: { batch: Batch; fill?: boolean }) {
  const { state, text } = batchMark(batch);
  const isWhole = fill && text === "leftovers";
  return <StateMark state={state} text={isWhole ? "complete with leftovers" : text} fill={fill} />;
}

/** How far it has come: the share, the counts, and the bar of both. */
export function BatchSummary({ batch }: { batch: Batch }) {
  const { counts, progress } = batch;
  return (
    <>
      <div class="summary">
        <span class="big-n">
          {percentText(batch)}
          {progress !== null && <span class="u">%</span>}
        </span>
        <span class="legend">
          {ends.map((state) => (
            <span key={state}>
              <i class={`key sq is-end is-${state}`} />
              {state} <b>{formatCount(counts[state])}</b>
            </span>
          ))}
          <span>
            <i class="key sq is-live-member" />
            live <b>{formatCount(counts.live)}</b>
          </span>
        </span>
      </div>
      <BatchBar batch={batch} isThick />
    </>
  );
}

export function BatchBar({ batch, isThick = false }: { batch: Batch; isThick?: boolean }) {
  return (
    <div class={isThick ? "bar thick" : "bar"}>
      <Progress label={progressLabel(batch)} parts={progressParts(batch.counts)} />
    </div>
  );
}
