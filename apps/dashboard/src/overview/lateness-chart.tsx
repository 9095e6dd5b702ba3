import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatDuration } from "../time/format.js";
import { clockText, zone } from "../time/zone.js";
import type { LatenessHistory } from "./lateness-history.js";

interface LatenessChartProps {
  history: LatenessHistory;
  /** The index of the reading under the pointer, null when it leaves. */
  onPoint: (index: number | null) => void;
}

const heightPx = 180;

/** A logarithmic scale has no zero: what is below is drawn here. */
const floorMs = 0.1;

/** Draws with uPlot. Its colours are the page's, also after a change between light and dark. */
export function LatenessChart({ history, onPoint }: LatenessChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  useEffect(() => {
    const element = box.current!;
    const plot = new uPlot(optionsFor(element.clientWidth, onPoint), dataOf(history), element);
    chart.current = plot;
    const stopFollowing = followPage(element, plot);
    // Its labels follow the switch of the time zone.
    const unlink = zone.subscribe(() => plot.redraw(false, true));
    return () => {
      unlink();
      stopFollowing();
      plot.destroy();
    };
  }, []);
  useEffect(() => chart.current?.setData(dataOf(history)), [history]);
  return <div ref={box} class="plot" />;
}

/** Follows the width of the box and the colour scheme. */
function followPage(element: HTMLElement, plot: uPlot): () => void {
  const resizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
  resizes.observe(element);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const redraw = (): void => plot.redraw();
  scheme.addEventListener("change", redraw);
  const themes = new MutationObserver(redraw);
  themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    resizes.disconnect();
    themes.disconnect();
    scheme.removeEventListener("change", redraw);
  };
}

function dataOf({ at, p50, p99, max }: LatenessHistory): uPlot.AlignedData {
  const floored = (values: readonly (number | null)[]) =>
    values.map((value) => (value === null ? null : Math.max(floorMs, value)));
  return [[...at], floored(p50), floored(p99), floored(max)];
}

function optionsFor(width: number, onPoint: (index: number | null) => void): uPlot.Options {
  const font = '11px "Inter Variable", system-ui, sans-serif';
  const axis = { font, stroke: colour("--axis"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false } };
  const line = (label: string, series: 1 | 2 | 3, more: Partial<uPlot.Series>): uPlot.Series => {
    return { label, stroke: colour(`--series-${series}`), points: { show: false }, ...more };
  };
  return {
    width,
    height: heightPx,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: true, range: timeRange }, y: { distr: 3, range: latenessRange } },
    axes: [
      { ...axis, size: 32, grid: { show: false }, values: (_plot, seconds) => seconds.map(clockOf) },
      {
        ...axis,
        size: 64,
        grid: { ...axis.grid, filter: decades },
        values: (_plot, ms) => ms.map((value) => (isDecade(value) ? formatDuration(value) : "")),
      },
    ],
    series: [
      {},
      line("p50", 2, { width: 1.25 }),
      line("p99", 1, { width: 1.5 }),
      line("max", 3, { width: 1, dash: [2, 3] }),
    ],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
  };
}

/** Read at each drawing: it changes with the colour scheme. */
function colour(name: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/**
 * From one minute at first to all that is remembered. It goes by the data: uPlot's own bounds are wide while it is
 * empty.
 */
const timeRange: uPlot.Range.Function = (plot) => {
  const seconds = plot.data?.[0] ?? [];
  const until = seconds.at(-1) ?? Date.now() / 1000;
  return [Math.min(seconds[0] ?? until, until - 60), until];
};

/** Whole decades, at least from 1 ms to 100 ms, so that a small change does not look like a large one. */
const latenessRange: uPlot.Range.Function = (_plot, min, max) => {
  const low = 10 ** Math.floor(Math.log10(Math.max(floorMs, min ?? 1)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(floorMs, max ?? 1)));
  return [Math.min(1, low), Math.max(100, high)];
};

/** At most five lines: one per decade. */
function decades(_plot: uPlot, splits: readonly number[]): (number | null)[] {
  return splits.map((value) => (isDecade(value) ? value : null));
}

function isDecade(value: number | null): value is number {
  return value !== null && Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6);
}

function clockOf(seconds: number): string {
  return clockText(seconds * 1000).slice(-8);
}
