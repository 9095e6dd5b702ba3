import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { drawBarChart } from "../bar-chart.js";
import { notesOf, type Origin } from "../origin.js";
import { byTitle, comparedFigures, type Result } from "./result.js";

/** From `dist/wheel`. */
const FILE = join(import.meta.dirname, "../../../../docs/benchmarks/wheel.svg");

const SERIES = ["insert", "cancel", "reschedule", "fire", "whole life"];

/** The results as SVG: a panel for each size and load, a group of bars for each implementation that ran. */
export function drawResults(results: readonly Result[], origin: Origin): string {
  const panels = byTitle(results.filter(({ reps }) => reps > 0));
  return drawBarChart({
    title: "Timers: ns per operation, less is better",
    notes: notesOf(origin),
    series: SERIES,
    unit: "ns, log scale",
    panels: [...panels].map(([title, group]) => ({
      title,
      groups: group.map((result) => ({ label: result.impl, values: comparedFigures.map((name) => result[name]) })),
    })),
  });
}

/** Writes `docs/benchmarks/wheel.svg`. @returns its path */
export function plotResults(results: readonly Result[], origin: Origin): string {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, drawResults(results, origin));
  return FILE;
}
