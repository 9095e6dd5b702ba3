import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../eventually.js";
import { repositoryRoot } from "../node-process.js";

/** One turn: the work of a process's main thread between two rounds of its loop. */
export interface Turn {
  cpuMs: number;
  /** The part of it that the garbage collector took. */
  garbageMs: number;
  workMs: number;
}

/**
 * Watches how long the turns of a process are, by the CPU time that they take: see `turn-cpu.mjs`. To be stopped when
 * the process has ended.
 */
export class TurnWatch {
  private readonly folder = mkdtempSync(join(tmpdir(), "tickwheel-turns-"));
  private readonly file = join(this.folder, "report.json");
  private reports = 0;

  /** For the process to be watched. */
  get env(): Record<string, string> {
    const preload = join(repositoryRoot, "test/support/attacks/turn-cpu.mjs");
    return { NODE_OPTIONS: `--import ${preload}`, TURN_CPU_FILE: this.file };
  }

  /** The longest turns since the last look, by their work, the longest first: none is over 20 of them. */
  async look(pid: number): Promise<Turn[]> {
    process.kill(pid, "SIGUSR2");
    this.reports++;
    const told = await eventually(() => {
      const report = JSON.parse(readFileSync(this.file, "utf8")) as { number: number; turns: number; longest: Turn[] };
      if (report.number < this.reports) throw new Error("there is no report yet");
      if (report.turns > 0) return report;
      // There was no turn since the look before: only another look can tell of one.
      process.kill(pid, "SIGUSR2");
      this.reports++;
      throw new Error("there was no turn yet");
    });
    return told.longest.toSorted((one, other) => other.workMs - one.workMs);
  }

  stop(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
