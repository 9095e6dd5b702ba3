import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useMemo } from "preact/hooks";
import type { History } from "../api/wire.js";
import { formatCount, formatDuration } from "../time/format.js";
import { clockText } from "../time/zone.js";
import { AsTable } from "./as-table.js";
import { columnsOf, type HistoryColumns } from "./history-columns.js";
import { axisCount, axisDuration, axisRate, type ChartEvent } from "./scales.js";
import { TimeChart, type TimeChartProps } from "./time-chart.js";

interface HistoryChartsProps {
  history: History;
  events?: readonly ChartEvent[];
}

/** 99 % of the tasks start within this while there are free places. */
const promise = { value: 50, text: "promise 50 ms" };

type Shared = Pick<TimeChartProps, "at" | "from" | "until" | "events" | "cursorKey" | "onPoint">;

interface OneChartProps {
  columns: HistoryColumns;
  shared: Shared;
  /** The bucket whose figures stand beside the chart. */
  index: number;
}

/** Throughput, lateness, places and failures on one axis of time, under one cursor. */
export function HistoryCharts({ history, events = [] }: HistoryChartsProps) {
  const cursorKey = useId();
  const pointed = useSignal<number | null>(null);
  const columns = useMemo(() => columnsOf(history), [history]);
  const last = columns.at.length - 1;
  const index = Math.min(pointed.value ?? last, last);
  const onPoint = (at: number | null): void => void (pointed.value = at);
  const from = Date.parse(history.from) / 1000;
  const until = endOf(history);
  const shared: Shared = { at: columns.at, from, until, events, cursorKey, onPoint };
  const unit = bucketText(history.bucketMs);
  return (
    <div class="charts">
      <p class="small muted at">
        {pointed.value === null ? "Figures of now" : `Figures of ${clockText(columns.at[index]! * 1000)}`}, per {unit}
        {isQuiet(history) && ". Nothing happened in this time."}
      </p>
      <Throughput columns={columns} shared={shared} index={index} />
      <LatenessChart columns={columns} shared={shared} index={index} />
      <Places columns={columns} shared={shared} index={index} />
    </div>
  );
}

function isQuiet({ buckets }: History): boolean {
  return buckets.every(({ created, started, failed, places }) => created + started + failed + places === 0);
}

/** The present bucket is drawn whole. */
function endOf({ buckets, bucketMs, to }: History): number {
  return (Math.max(Date.parse(buckets.at(-1)?.at ?? to), Date.parse(to) - bucketMs) + bucketMs) / 1000;
}

export function bucketText(bucketMs: number): string {
  return { 60_000: "minute", 600_000: "ten minutes", 3_600_000: "hour", 86_400_000: "day" }[bucketMs] ?? "bucket";
}

function Throughput({ columns, shared, index }: OneChartProps) {
  const { started, created } = columns;
  return (
    <Chart
      title="Throughput"
      legend={[
        { key: "key", name: "started", text: rateText(started[index]) },
        { key: "key is-second", name: "created", text: rateText(created[index]) },
      ]}
      table={<ThroughputTable columns={columns} />}
    >
      <TimeChart
        {...shared}
        namesEvents
        label={`Starts and creates per second. Now: ${rateText(started.at(-1))} started, ${rateText(created.at(-1))} created.`}
        heightPx={132}
        format={axisRate}
        lines={[
          { values: started, kind: "area", colour: "--series-1" },
          { values: created, kind: "thin", colour: "--series-2" },
        ]}
      />
    </Chart>
  );
}

function LatenessChart({ columns, shared, index }: OneChartProps) {
  const { p50, p99, max } = columns;
  const now = `p99 ${formatDuration(p99.at(-1))}, p50 ${formatDuration(p50.at(-1))}, most ${formatDuration(max.at(-1))}`;
  return (
    <Chart
      title="Lateness"
      note="logarithmic"
      legend={[
        { key: "key", name: "p99", text: formatDuration(p99[index]) },
        { key: "key is-second", name: "p50", text: formatDuration(p50[index]) },
        { key: "key dash is-third", name: "most", text: formatDuration(max[index]) },
      ]}
      table={<LatenessTable columns={columns} />}
    >
      <TimeChart
        {...shared}
        label={`Lateness, on a logarithmic scale. Now: ${now}.`}
        heightPx={152}
        isLogarithmic
        promise={promise}
        format={axisDuration}
        lines={[
          { values: max, kind: "dots", colour: "--series-3" },
          { values: p50, kind: "thin", colour: "--series-2" },
          { values: p99, kind: "line", colour: "--series-1" },
        ]}
      />
    </Chart>
  );
}

function Places({ columns, shared, index }: OneChartProps) {
  const { failed, places } = columns;
  return (
    <Chart
      title="Failed attempts and places in use"
      legend={[
        { key: "key sq is-failed", name: "failed", text: formatCount(failed[index]) },
        { key: "key", name: "places, on the right", text: formatCount(places[index]) },
      ]}
      table={<PlacesTable columns={columns} />}
    >
      <TimeChart
        {...shared}
        label={`Failed attempts and places in use. Now: ${formatCount(failed.at(-1))} failed, ${formatCount(places.at(-1))} places.`}
        heightPx={122}
        format={axisCount}
        formatRight={axisCount}
        lines={[
          { values: failed, kind: "bars", colour: "--failing-mark" },
          { values: places, kind: "line", colour: "--series-1", isRight: true },
        ]}
      />
    </Chart>
  );
}

interface ChartProps {
  title: string;
  note?: string;
  legend: readonly { readonly key: string; readonly name: string; readonly text: string }[];
  table: ComponentChildren;
  children: ComponentChildren;
}

function Chart({ title, note, legend, table, children }: ChartProps) {
  return (
    <section class="chart-part" aria-label={title}>
      <div class="legend">
        <h3>{title}</h3>
        {legend.map(({ key, name, text }) => (
          <span key={name}>
            <i class={key} />
            {name} <b>{text}</b>
          </span>
        ))}
        {note && <span>{note}</span>}
      </div>
      {children}
      {table}
    </section>
  );
}

const timeColumn = {
  head: "From",
  at: "a" as const,
  cell: (row: { at: number }) => <span class="nowrap">{clockText(row.at * 1000)}</span>,
};

function ThroughputTable({ columns: { at, started, created } }: { columns: HistoryColumns }) {
  return (
    <AsTable
      of="throughput"
      columns={[
        timeColumn,
        { head: "Started", isNumber: true, at: "b", cell: (row) => rateText(row.started) },
        { head: "Created", isNumber: true, at: "c", cell: (row) => rateText(row.created) },
      ]}
      rows={() => at.map((time, index) => ({ at: time, started: started[index], created: created[index] })).reverse()}
    />
  );
}

function LatenessTable({ columns: { at, p50, p99, max } }: { columns: HistoryColumns }) {
  return (
    <AsTable
      of="lateness"
      columns={[
        timeColumn,
        { head: "p50", isNumber: true, at: "c", cell: (row) => formatDuration(row.p50) },
        { head: "p99", isNumber: true, at: "b", cell: (row) => formatDuration(row.p99) },
        { head: "Most", isNumber: true, at: "c2", cell: (row) => formatDuration(row.max) },
      ]}
      rows={() => at.map((time, i) => ({ at: time, p50: p50[i], p99: p99[i], max: max[i] })).reverse()}
    />
  );
}

function PlacesTable({ columns: { at, failed, places } }: { columns: HistoryColumns }) {
  return (
    <AsTable
      of="failed attempts and places"
      columns={[
        timeColumn,
        { head: "Failed", isNumber: true, at: "b", cell: (row) => formatCount(row.failed) },
        { head: "Places", isNumber: true, at: "c", cell: (row) => formatCount(row.places) },
      ]}
      rows={() => at.map((time, index) => ({ at: time, failed: failed[index], places: places[index] })).reverse()}
    />
  );
}

/** `104.2 /s`; what is slower by more digits. */
export function rateText(perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined) return "–";
  const isSlow = perSecond > 0 && perSecond < 1;
  return `${isSlow ? Number(perSecond.toPrecision(2)) : formatCount(perSecond)} /s`;
}
