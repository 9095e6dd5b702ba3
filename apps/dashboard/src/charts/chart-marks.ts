import type uPlot from "uplot";
import { colourOf, font } from "./chart-options.js";
import { labelled } from "./scales.js";
import type { TimeChartProps } from "./time-chart.js";

const most = 60;

/** Draws what is no series: the promise as a dashed line, events as dotted lines. */
export function drawMarks(plot: uPlot, props: TimeChartProps): void {
  const { ctx } = plot;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  ctx.font = font.replace("11px", `${11 * devicePixelRatio}px`);
  drawEvents(plot, props);
  if (props.promise) drawPromise(plot, props.promise);
  ctx.restore();
}

function drawPromise(plot: uPlot, { value, text }: NonNullable<TimeChartProps["promise"]>): void {
  const { ctx, bbox } = plot;
  const y = Math.round(plot.valToPos(value, "y", true));
  ctx.strokeStyle = colourOf("--good-mark");
  line(ctx, [4, 3], [bbox.left, y, bbox.left + bbox.width, y]);
  ctx.fillStyle = colourOf("--good");
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  ctx.fillText(text, bbox.left + 4 * devicePixelRatio, y - 2 * devicePixelRatio);
}

function drawEvents(plot: uPlot, { events = [], namesEvents, from, until }: TimeChartProps): void {
  const { ctx, bbox } = plot;
  const shown = events.filter(({ at }) => at >= from && at <= until).slice(0, most);
  const placed = shown.map((event) => ({
    ...event,
    x: Math.round(plot.valToPos(event.at, "x", true)),
    widthPx: ctx.measureText(event.text).width + 12 * devicePixelRatio,
  }));
  const named = namesEvents ? labelled(placed, bbox.left + bbox.width) : null;
  ctx.strokeStyle = colourOf("--edge");
  ctx.fillStyle = colourOf("--axis");
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  for (const event of placed) {
    line(ctx, [1, 2], [event.x, bbox.top, event.x, bbox.top + bbox.height]);
    if (named?.has(event)) ctx.fillText(event.text, event.x + 4 * devicePixelRatio, bbox.top);
  }
}

type Points = readonly [x1: number, y1: number, x2: number, y2: number];

function line(ctx: CanvasRenderingContext2D, dash: readonly number[], [x1, y1, x2, y2]: Points): void {
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}
