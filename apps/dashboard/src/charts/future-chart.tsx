import { useMemo } from "preact/hooks";
import type { Ahead } from "../api/asked.js";
import type { Forecast } from "../api/wire.js";
import { formatCount } from "../time/format.js";
import { clockText } from "../time/zone.js";
import { AsTable } from "./as-table.js";
import { capacityPerBucket, capacityText, comingIn, dueText, madeIn } from "./coming-words.js";
import { bucketText } from "./history-charts.js";
import { axisCount } from "./scales.js";
import { TimeChart } from "./time-chart.js";

/** What is due per bucket, and what schedules will make; nothing where neither is. */
export function FutureChart(props: { forecast: Forecast; ahead: Ahead }) {
  return comingIn(props.forecast) === 0 ? null : <DueChart {...props} />;
}

/**
 * What is due above the capacity has the hue of overdue, from the line up. What schedules will make is lighter, on top.
 */
function DueChart({ forecast, ahead }: { forecast: Forecast; ahead: Ahead }) {
  const { buckets, bucketMs, capacity } = forecast;
  const limit = capacityPerBucket(capacity.perSecond, ahead);
  const columns = useMemo(() => columnsOf(forecast, limit), [forecast, limit]);
  const from = columns.at[0] ?? 0;
  const text = capacityText(forecast, ahead);
  const most = Math.max(0, ...columns.all);
  // A line far above all bars would make them invisible: then it is told, not drawn.
  const isLineShown = limit !== null && limit <= most * 4;
  const capacities = useMemo(() => columns.at.map(() => (isLineShown ? limit : null)), [columns, isLineShown, limit]);
  return (
    <div>
      <TimeChart
        key={ahead}
        label={`Due per ${bucketText(bucketMs)}. ${dueText(forecast, ahead)}${text ? ` The capacity is ${text}.` : ""}`}
        at={columns.at}
        from={from}
        until={from + (buckets.length * bucketMs) / 1000}
        heightPx={210}
        format={axisCount}
        lines={[
          { values: columns.all, kind: "bars", colour: "--load-far" },
          { values: columns.due, kind: "bars", colour: "--overdue-mark" },
          { values: columns.within, kind: "bars", colour: "--load" },
          { values: capacities, kind: "dashes", colour: "--capacity" },
        ]}
      />
      <Legend
        unit={bucketText(bucketMs)}
        capacity={text && (isLineShown ? text : `${text}, above the chart`)}
        hasMade={madeIn(forecast) > 0}
        isOver={limit !== null && columns.due.some((due) => due > limit)}
      />
      <AsTable
        of="what is due"
        columns={[
          { head: "From", at: "a", cell: ({ at }) => <span class="nowrap">{clockText(Date.parse(at))}</span> },
          { head: "Due", at: "b", isNumber: true, cell: ({ due }) => formatCount(due) },
          {
            head: "By schedules, about",
            at: "c",
            isNumber: true,
            cell: ({ fromSchedules }) => formatCount(fromSchedules),
          },
        ]}
        rows={() => buckets}
      />
    </div>
  );
}

interface LegendProps {
  unit: string;
  capacity: string | null;
  /** Schedules will make some. */
  hasMade: boolean;
  isOver: boolean;
}

function Legend({ unit, capacity, hasMade, isOver }: LegendProps) {
  return (
    <div class="legend">
      <span>
        <i class="key sq is-load" />
        due per {unit}
      </span>
      {hasMade && (
        <span>
          <i class="key sq is-far" />
          schedules will make
        </span>
      )}
      {isOver && (
        <span>
          <i class="key sq is-over" />
          over capacity
        </span>
      )}
      {capacity && (
        <span>
          <i class="key dash" />
          capacity {capacity}
        </span>
      )}
    </div>
  );
}

function columnsOf({ buckets }: Forecast, limit: number | null) {
  const due = buckets.map((bucket) => bucket.due);
  return {
    at: buckets.map(({ at }) => Date.parse(at) / 1000),
    due,
    all: buckets.map((bucket) => bucket.due + bucket.fromSchedules),
    within: due.map((count) => (limit === null ? count : Math.min(count, limit))),
  };
}
