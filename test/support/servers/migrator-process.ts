import { join } from "node:path";
import type { Migration } from "@tickwheel/postgres-store";
import { NodeProcess } from "../node-process.js";

export interface MigratorLine {
  /** The statement at which it kills itself. */
  died?: string;
  /** The migrations that it has run: its last line. */
  ran?: string[];
}

/** `migrate` of this release as a process. */
export class MigratorProcess {
  readonly process: NodeProcess;

  /**
   * @param options.died the statements in which earlier runs died: this run dies in the next one. Default: it does not
   *   die
   * @param options.migrations after the first schema; default: those of this release
   */
  constructor(url: string, options: { died?: readonly string[]; migrations?: readonly Migration[] } = {}) {
    const env = { TEST_MIGRATOR: JSON.stringify({ url, ...options }) };
    this.process = new NodeProcess({ script: join(import.meta.dirname, "migrator.mjs"), env });
  }

  lines(): MigratorLine[] {
    const whole = this.process.log().split("\n").slice(0, -1);
    return whole.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as MigratorLine);
  }

  /** Its last line, once it has ended; an error if it has neither migrated nor been killed. */
  async end(): Promise<MigratorLine> {
    const { code } = await this.process.exited;
    const last = this.lines().at(-1) ?? {};
    if (code !== null && !last.ran) throw new Error(`The migrator failed:\n${this.process.log()}`);
    return last;
  }
}
