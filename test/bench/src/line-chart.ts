import { LINE, svgOf, text, titleAndNotes, WIDTH } from "./svg.js";

/** One figure over time: points from left to right. */
export interface LinePanel {
  readonly title: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Panels below each other, each with a scale of its own that begins at 0. */
export interface LineChart {
  readonly title: string;
  /** Below the title, one line each. */
  readonly notes: readonly string[];
  readonly panels: readonly LinePanel[];
}

const LEFT = 90;
const RIGHT = 20;
const PLOT_HEIGHT = 110;
const PANEL_HEIGHT = PLOT_HEIGHT + 56;

/** Draws a chart as SVG text. */
export function drawLineChart({ title, notes, panels }: LineChart): string {
  const head = 44 + LINE * notes.length;
  const height = head + panels.length * PANEL_HEIGHT;
  const drawn = panels.map((panel, i) => drawPanel(panel, head + i * PANEL_HEIGHT));
  return svgOf(height, [...titleAndNotes({ title, notes }), ...drawn]);
}

function drawPanel({ title, points }: LinePanel, top: number): string {
  const first = points[0]?.[0] ?? 0;
  const last = points.at(-1)?.[0] ?? 1;
  const most = Math.max(...points.map(([, y]) => y), 0) || 1;
  const bottom = top + 26 + PLOT_HEIGHT;
  const xOf = (x: number): number => LEFT + ((x - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT);
  const yOf = (y: number): number => bottom - (y / most) * PLOT_HEIGHT;
  const line = (y: number): string =>
    `<line x1="${LEFT}" y1="${y.toFixed(1)}" x2="${WIDTH - RIGHT}" y2="${y.toFixed(1)}" stroke="#dddddd"/>`;
  const curve = points.map(([x, y]) => `${xOf(x).toFixed(1)},${yOf(y).toFixed(1)}`).join(" ");
  return [
    text([16, top + 14], title, 'font-size="14" font-weight="bold"'),
    ...[0, most / 2, most].map((y) => line(yOf(y)) + text([LEFT - 8, yOf(y) + 4], shown(y), 'text-anchor="end"')),
    `<polyline points="${curve}" fill="none" stroke="#3b6fb6" stroke-width="1.5"/>`,
    text([LEFT, bottom + 16], shown(first), 'fill="#777777"'),
    text([WIDTH - RIGHT, bottom + 16], shown(last), 'text-anchor="end" fill="#777777"'),
  ].join("\n");
}

function shown(value: number): string {
  return Math.abs(value) < 10 ? String(Number(value.toFixed(2))) : Math.round(value).toLocaleString("en");
}
