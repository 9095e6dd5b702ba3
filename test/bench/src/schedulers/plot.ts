import { type BarGroup, drawBarChart } from "../bar-chart.js";
import { drawLineChart } from "../line-chart.js";
import { notesOf, type Origin } from "../origin.js";
import type { JsonReport, Result } from "./result.js";

const PERCENTILES = ["p50", "p95", "p99", "max"] as const;

/** What each contestant does per second, as SVG; null: the job counts nothing. */
export function drawThroughput(report: JsonReport, origin: Origin): string | null {
  const groups = bulkPartsOf(report, ({ perSecond }) => [perSecond]);
  return draw({ report, origin, groups }, ["per second"], {
    title: "per second, more is better",
    unit: "per second, log scale",
  });
}

/** How late each contestant's tasks start, as SVG; null: the job does not measure it. */
export function drawLateness(report: JsonReport, origin: Origin): string | null {
  const groups = bulkPartsOf(report, ({ latenessMs }) => PERCENTILES.map((name) => latenessMs[name]));
  return draw({ report, origin, groups }, PERCENTILES, {
    title: "lateness in ms, less is better",
    unit: "ms, log scale",
  });
}

/** How each figure of a first repetition went on with time, as SVG; null: the job watches none. */
export function drawCurve({ job, results }: JsonReport, origin: Origin): string | null {
  const curve = results[0]?.reps[0]?.curve ?? [];
  const names = Object.keys(curve[0] ?? {}).filter((name) => name !== "minute");
  if (names.length === 0) return null;
  return drawLineChart({
    title: `${job}: by the minute`,
    notes: notesOf(origin),
    panels: names.map((name) => ({ title: name, points: curve.map((point) => [point.minute, point[name]!]) })),
  });
}

/** Those contestants that have a figure. */
function bulkPartsOf({ results }: JsonReport, pick: (result: Result) => (number | null)[]): BarGroup[] {
  return results
    .map((result) => ({ label: labelOf(result), values: pick(result) }))
    .filter(({ values }) => values.some((value) => value !== null));
}

function draw(
  { report, origin, groups }: { report: JsonReport; origin: Origin; groups: readonly BarGroup[] },
  series: readonly string[],
  { title, unit }: { title: string; unit: string },
): string | null {
  if (groups.length === 0) return null;
  return drawBarChart({
    title: `${report.job}: ${title}`,
    notes: [
      ...notesOf(origin),
      `Postgres ${report.postgres}`,
      `Redis ${report.redis}`,
      "*: with its defaults, as tickwheel",
    ],
    series,
    unit,
    panels: [{ title: "", groups }],
  });
}

function labelOf({ peer, settings }: Result): string {
  return settings === "best" || peer === "tickwheel" ? peer : `${peer} *`;
}
