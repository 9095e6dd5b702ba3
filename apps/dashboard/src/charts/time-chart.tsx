import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { zone } from "../time/zone.js";
import { drawMarks } from "./chart-marks.js";
import { optionsFor } from "./chart-options.js";
import { floorMs, type ChartEvent } from "./scales.js";

export interface ChartLine {
  readonly values: readonly (number | null)[];
  readonly kind: "line" | "thin" | "dots" | "dashes" | "area" | "bars";
  /** A custom property: `--series-1`. */
  readonly colour: string;
  /** Measured by the axis on the right. */
  readonly isRight?: boolean;
}

export interface TimeChartProps {
  /** What it shows, in a sentence. */
  label: string;
  /** In seconds of the epoch, ascending. */
  at: readonly number[];
  /** The axis of time, in seconds of the epoch. */
  from: number;
  until: number;
  /** Their number and kinds never change. */
  lines: readonly ChartLine[];
  heightPx: number;
  /** The format of values on the left, and on the right. */
  format: (value: number) => string;
  formatRight?: (value: number) => string;
  /** Values are durations in milliseconds. */
  isLogarithmic?: boolean;
  /** A dashed line of good across the chart. */
  promise?: { readonly value: number; readonly text: string };
  events?: readonly ChartEvent[];
  /** The events are named here. */
  namesEvents?: boolean;
  /** Charts with the same text share their cursor. */
  cursorKey?: string;
  /** The index under the pointer, null when it leaves. */
  onPoint?: (index: number | null) => void;
}

/** Draws with uPlot. Its colours are the page's, also after a change between light and dark. */
export function TimeChart(props: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = box.current!;
    const hooks = { draw: [(plot: uPlot) => drawMarks(plot, latest.current)] };
    const options = optionsFor(() => latest.current, element.clientWidth);
    const plot = new uPlot({ ...options, hooks: { ...options.hooks, ...hooks } }, dataOf(props), element);
    chart.current = plot;
    const stopFollowing = followPage(element, plot, props.heightPx);
    // Its labels follow the switch of the time zone.
    const unlink = zone.subscribe(() => plot.redraw(false, true));
    return () => {
      unlink();
      stopFollowing();
      plot.destroy();
    };
  }, []);
  const { at, lines, from, until, events } = props;
  useEffect(
    () => chart.current?.setData(dataOf(props)),
    [at, from, until, events, ...lines.map(({ values }) => values)],
  );
  return (
    <div role="img" aria-label={props.label}>
      <div ref={box} class="plot" style={{ height: `${props.heightPx}px` }} />
    </div>
  );
}

function dataOf({ at, lines, isLogarithmic }: TimeChartProps): uPlot.AlignedData {
  const floored = (values: readonly (number | null)[]) =>
    values.map((value) => (value === null ? null : Math.max(floorMs, value)));
  return [[...at], ...lines.map(({ values }) => (isLogarithmic ? floored(values) : [...values]))];
}

/** Follows the width of the box and the colour scheme. */
function followPage(element: HTMLElement, plot: uPlot, height: number): () => void {
  const resizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
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
