import { LINE, svgOf, text, titleAndNotes, WIDTH } from "./svg.js";

/** Bars of one colour, one for each series; null: no bar. */
export interface BarGroup {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** One panel of a chart. */
export interface BarPanel {
  readonly title: string;
  readonly groups: readonly BarGroup[];
}

/** A chart of panels below each other, on one logarithmic scale. */
export interface BarChart {
  readonly title: string;
  /** Below the title, one line each. */
  readonly notes: readonly string[];
  /** Names of the bars of each group, in the order of their values. */
  readonly series: readonly string[];
  /** The unit of the scale. */
  readonly unit: string;
  readonly panels: readonly BarPanel[];
}

const LEFT = 130;
const RIGHT = 70;
const BAR = 11;
const GROUP_GAP = 9;
const PANEL_HEAD = 44;
const COLOURS = ["#3b6fb6", "#d9822b", "#7a5fa8", "#2e8b6f", "#4a4a4a"];

/** Draws a chart as SVG text: horizontal bars, their values beside them, a line for every power of ten. */
export function drawBarChart(chart: BarChart): string {
  const scale = scaleOf(chart);
  let top = 40 + LINE * (chart.notes.length + 2);
  const panels = chart.panels.map((panel) => {
    const drawn = drawPanel(panel, top, scale);
    top += PANEL_HEAD + groupsHeight(panel) + LINE;
    return drawn;
  });
  return svgOf(top, [drawHead(chart), ...panels]);
}

/** Powers of ten that enclose all values, as exponents. */
interface Scale {
  readonly from: number;
  readonly to: number;
}

function scaleOf({ panels }: BarChart): Scale {
  const values = panels.flatMap(({ groups }) => groups.flatMap((group) => group.values));
  const logs = values.filter((value) => value !== null && value > 0).map((value) => Math.log10(value!));
  if (logs.length === 0) return { from: 0, to: 1 };
  const from = Math.floor(Math.min(...logs));
  return { from, to: Math.max(from + 1, Math.ceil(Math.max(...logs))) };
}

/** Where a value lies from left to right; what is below the scale lies at its start. */
function xOf(value: number, { from, to }: Scale): number {
  const share = (Math.log10(Math.max(value, 10 ** from)) - from) / (to - from);
  return LEFT + share * (WIDTH - LEFT - RIGHT);
}

function drawHead({ title, notes, series, unit }: BarChart): string {
  const y = 34 + LINE * (notes.length + 1);
  const legend = series.map((name, i) => {
    const x = LEFT + i * 120;
    return `${rect({ x, y: y - BAR + 1, width: BAR }, i)}${text([x + BAR + 5, y], name)}`;
  });
  return [...titleAndNotes({ title, notes }), text([16, y], unit), ...legend].join("\n");
}

function drawPanel(panel: BarPanel, top: number, scale: Scale): string {
  const bottom = top + PANEL_HEAD + groupsHeight(panel);
  const exponents = Array.from({ length: scale.to - scale.from + 1 }, (_, i) => scale.from + i);
  const grid = exponents.map((exponent) => {
    const x = xOf(10 ** exponent, scale).toFixed(1);
    const line = `<line x1="${x}" y1="${top + PANEL_HEAD - 8}" x2="${x}" y2="${bottom}" stroke="#dddddd"/>`;
    return (
      line +
      text(
        [Number(x), top + PANEL_HEAD - 12],
        (10 ** exponent).toLocaleString("en"),
        'text-anchor="middle" fill="#777777"',
      )
    );
  });
  let y = top + PANEL_HEAD;
  const groups = panel.groups.map((group) => {
    const drawn = drawGroup(group, y, scale);
    y += group.values.length * BAR + GROUP_GAP;
    return drawn;
  });
  return [text([16, top + 16], panel.title, 'font-size="14" font-weight="bold"'), ...grid, ...groups].join("\n");
}

function drawGroup({ label, values }: BarGroup, top: number, scale: Scale): string {
  const middle = top + (values.length * BAR) / 2 + 4;
  const bars = values.map((value, i) => {
    const y = top + i * BAR;
    if (value === null) return text([LEFT + 3, y + BAR - 2], "–", 'font-size="9" fill="#777777"');
    const end = xOf(value, scale);
    const bar = rect({ x: LEFT, y, width: Math.max(1, end - LEFT) }, i);
    return bar + text([end + 4, y + BAR - 2], shown(value), 'font-size="9"');
  });
  return [text([LEFT - 8, middle], label, 'text-anchor="end"'), ...bars].join("\n");
}

function groupsHeight({ groups }: BarPanel): number {
  return groups.reduce((height, { values }) => height + values.length * BAR + GROUP_GAP, 0);
}

function shown(value: number): string {
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

function rect({ x, y, width }: Box, colour: number): string {
  const fill = COLOURS[colour % COLOURS.length]!;
  return `<rect x="${x}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 1}" fill="${fill}"/>`;
}
