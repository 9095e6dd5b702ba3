import { appendFileSync } from "node:fs";
import { printFigures } from "../figures.js";

/** How often each way is tried: `npm run faults -- --rounds <n>`. Default 1. */
export const FAULT_ROUNDS = Math.max(1, Number(process.env["TICKWHEEL_FAULT_ROUNDS"] ?? 1) || 1);

/** What one fail-over did to the work that went on meanwhile. */
export interface FailOverRound {
  /** Tasks whose create was answered. */
  acknowledged: number;
  /** Those of them that are not there any more. */
  lost: number;
  /** Tasks that had begun and ran again. */
  ranAgain: number;
  /** From the blow until there is a primary again, in milliseconds. */
  awayMs: number;
  /** From then until a create is answered. */
  createMs: number;
  /** From then until a task starts. */
  startMs: number;
}

/** Where `npm run faults` wants the rounds; unset in a test run. */
const FILE = process.env["TICKWHEEL_FAIL_OVERS_FILE"];

/**
 * Prints a round, and tells it to `npm run faults`, which writes the table of `docs/reliability.md`.
 *
 * @param servers such as "Postgres, synchronous standbys"
 * @param what what happens to the primary
 */
export function tellRound({ servers, what, round }: { servers: string; what: string; round: FailOverRound }): void {
  printFigures(`${servers}: ${what}`, { ...round });
  if (FILE) appendFileSync(FILE, `${JSON.stringify({ servers, what, ...round })}\n`);
}
