import uPlot from "uplot";
import { instantText, zone } from "../time/zone.js";
import { countRange, countTicks, isDecade, latenessRange, loneIndexes, tickText, withoutRepeats } from "./scales.js";
import type { ChartLine, TimeChartProps } from "./time-chart.js";

export const font = '11px "Inter Variable", system-ui, sans-serif';
const leftPx = 56;
const rightPx = 34;

/** Read at each drawing: it changes with the colour scheme. */
export function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** What uPlot needs to draw `props`, which may change but for the kinds of its lines. */
export function optionsFor(props: () => TimeChartProps, width: number): uPlot.Options {
  const { lines, heightPx, isLogarithmic = false, cursorKey } = props();
  const hasRight = lines.some(({ isRight }) => isRight);
  return {
    width,
    height: heightPx,
    padding: [10, hasRight ? 0 : rightPx, 0, 0],
    legend: { show: false },
    tzDate: (seconds) =>
      zone.peek() === "utc" ? uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC") : new Date(seconds * 1e3),
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 5 },
      ...(cursorKey && { sync: { key: cursorKey, setSeries: false } }),
    },
    scales: {
      x: { time: true, range: () => [props().from, props().until] },
      y: isLogarithmic ? { distr: 3, range: (_plot, min, max) => latenessRange(min, max) } : counts(),
      ...(hasRight && { right: counts() }),
    },
    axes: [timeAxis(), valueAxis(props), ...(hasRight ? [rightAxis(props)] : [])],
    series: [{}, ...lines.map(seriesOf)],
    hooks: { setCursor: [(plot) => props().onPoint?.(plot.cursor.idx ?? null)] },
  };
}

const counts = (): uPlot.Scale => ({ range: (_plot, _min, max) => countRange(max) });

const axis = (): uPlot.Axis => ({
  font,
  stroke: () => colourOf("--axis"),
  grid: { stroke: () => colourOf("--grid"), width: 1 },
  ticks: { show: false },
});

function timeAxis(): uPlot.Axis {
  return {
    ...axis(),
    size: 24,
    gap: 4,
    space: 64,
    grid: { show: false },
    values: (plot, seconds) => {
      const { min = 0, max = 0 } = plot.scales.x!;
      return withoutRepeats(seconds.map((at) => tickText(instantText(at * 1000), max! - min!)));
    },
  };
}

function valueAxis(props: () => TimeChartProps): uPlot.Axis {
  const { format, isLogarithmic } = props();
  const base = { ...axis(), size: leftPx, gap: 6 };
  if (!isLogarithmic) return { ...base, splits: ticksOf("y"), values: (_plot, values) => values.map(format) };
  return {
    ...base,
    grid: { ...base.grid, filter: (_plot, splits) => splits.map((value) => (isDecade(value) ? value : null)) },
    values: (_plot, values) => values.map((value) => (isDecade(value) ? format(value) : "")),
  };
}

function rightAxis(props: () => TimeChartProps): uPlot.Axis {
  const { formatRight = String } = props();
  return {
    ...axis(),
    scale: "right",
    side: 1,
    size: rightPx,
    gap: 4,
    grid: { show: false },
    splits: ticksOf("right"),
    values: (_plot, values) => values.map(formatRight),
  };
}

const ticksOf =
  (scale: string): uPlot.Axis.Splits =>
  (plot) => {
    const { min, max } = plot.scales[scale]!;
    return countTicks([min ?? 0, max ?? 1]);
  };

function seriesOf({ kind, colour, isRight }: ChartLine): uPlot.Series {
  const paint = (): string => colourOf(colour);
  const series: uPlot.Series = {
    scale: isRight ? "right" : "y",
    stroke: paint,
    points: { show: true, size: 4, width: 0, fill: paint, filter: lonePoints },
    width: 1.5,
  };
  switch (kind) {
    case "line":
      return series;
    case "thin":
      return { ...series, width: 1.25 };
    case "dots":
      return { ...series, width: 1, dash: [2, 3] };
    case "dashes":
      return { ...series, width: 1, dash: [4, 3] };
    case "area":
      return { ...series, fill: () => colourOf("--area") };
    case "bars":
      return {
        ...series,
        points: { show: false },
        width: 0,
        fill: paint,
        paths: uPlot.paths.bars!({ size: [0.8, 24, 1], align: 1 }),
      };
  }
}

/** A value between two gaps has no line: it is drawn as a point. */
const lonePoints: uPlot.Series.Points.Filter = (plot, series) => {
  const values = plot.data[series]!;
  return loneIndexes(values);
};
