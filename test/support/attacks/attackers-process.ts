import { join } from "node:path";
import { hashApiKey } from "@tickwheel/api";
import { freePort } from "@tickwheel/local-services";
import { newTestKey } from "../cluster.js";
import { eventually } from "../eventually.js";
import type { Ledger } from "../ledger.js";
import { NodeProcess } from "../node-process.js";

/** The answers that each attacker got, and how often. */
export type Tallies = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Where the attackers receive webhooks: the node must allow both. */
export interface AttackersPorts {
  silentPort: number;
  failingPort: number;
}

/** Eight attackers in a process of their own, with keys of a namespace of their own: see `eight-attackers.mjs`. */
export class EightAttackers {
  private constructor(private readonly attackers: NodeProcess) {}

  static async ports(): Promise<AttackersPorts> {
    return { silentPort: await freePort(), failingPort: await freePort() };
  }

  static async start(
    url: string,
    { ledger, ports }: { ledger: Ledger; ports: AttackersPorts },
  ): Promise<EightAttackers> {
    const keys = { viewer: newTestKey(), operator: newTestKey() };
    for (const [role, key] of Object.entries(keys))
      await ledger.query(
        `INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ('${hashApiKey(key)}', 'attackers', '${role}')`,
      );
    const script = join(import.meta.dirname, "eight-attackers.mjs");
    const args = [JSON.stringify({ url, ...keys, ...ports })];
    return new EightAttackers(new NodeProcess({ script, args }));
  }

  /** Ends the attack when each of these attackers was answered; resolves with what all of them got. */
  async end(names: readonly string[]): Promise<Tallies> {
    const tallies = await eventually(() => {
      const told = this.told();
      const waiting = names.filter((name) => told[name] === undefined);
      if (waiting.length > 0) throw new Error(`nothing was answered to: ${waiting.join(", ")}`);
      return told;
    });
    await this.stop();
    return tallies;
  }

  async stop(): Promise<void> {
    await this.attackers.kill();
  }

  /** Its last report; asks for a new one. */
  private told(): Tallies {
    if (this.attackers.end) throw new Error(`the attackers have ended: ${this.attackers.log()}`);
    process.kill(this.attackers.pid, "SIGUSR2");
    const line = this.attackers.log().trim().split("\n").at(-1)!;
    return line === "" ? {} : (JSON.parse(line) as Tallies);
  }
}
