import { useMemo } from "preact/hooks";
import type { Ahead } from "../api/asked.js";
import type { Forecast } from "../api/wire.js";
import { formatCount } from "../time/format.js";
import { clockText } from "../time/zone.js";
import { AsTable } from "./as-table.js";
import { capacityPerBucket, capacityText, dueIn, dueText } from "./coming-words.js";
import { bucketText } from "./history-charts.js";
import { axisCount } from "./scales.js";
import { TimeChart } from "./time-chart.js";

/** What is due per bucket, if anything is. */
export function FutureChart(props: { forecast: Forecast; ahead: Ahead }) {
  return dueIn(props.forecast) === 0 ? null : <DueChart {...props} />;
}

/** What stands above the capacity has the hue of overdue, from the line up. */
function DueChart({ forecast, ahead }: { forecast: Forecast; ahead: Ahead }) {
  const { buckets, bucketMs, capacity } = forecast;
  const limit = capacityPerBucket(capacity.perSecond, ahead);
  const columns = useMemo(() => columnsOf(forecast, limit), [forecast, limit]);
  const from = columns.at[0] ?? 0;
  const text = capacityText(forecast, ahead);
  const most = Math.max(0, ...columns.due);
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
          { values: columns.due, kind: "bars", colour: "--overdue-mark" },
          { values: columns.within, kind: "bars", colour: "--load" },
          { values: capacities, kind: "dashes", colour: "--capacity" },
        ]}
      />
      <Legend
        unit={bucketText(bucketMs)}
        capacity={text && (isLineShown ? text : `${text}, above the chart`)}
        isOver={limit !== null && most > limit}
      />
      <AsTable
        of="what is due"
        columns={[
          { head: "From", at: "a", cell: ({ at }) => <span class="nowrap">{clockText(Date.parse(at))}</span> },
          { head: "Due", at: "b", isNumber: true, cell: ({ due }) => formatCount(due) },
        ]}
        rows={() => buckets}
      />
    </div>
  );
}

function Legend({ unit, capacity, isOver }: { unit: string; capacity: string | null; isOver: boolean }) {
  return (
    <div class="legend">
      <span>
        <i class="key sq is-load" />
        due per {unit}
      </span>
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
    within: due.map((count) => (limit === null ? count : Math.min(count, limit))),
  };
}
