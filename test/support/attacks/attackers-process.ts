import { join } from "node:path";
import { hashApiKey } from "@tickwheel/api";
import { freePort } from "@tickwheel/local-services";
import { newTestKey } from "../cluster.js";
import { eventually } from "../eventually.js";
import type { Ledger } from "../ledger.js";
import { NodeProcess } from "../node-process.js";

/** What each attacker was answered, and how often. */
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
    const args = [JSON.stringify({ url, ...keys, ...ports, only: process.env["ATTACK_ONLY"] })];
    return new EightAttackers(new NodeProcess({ script, args }));
  }

  /** Ends the attack; resolves with what they got for it. */
  async end(): Promise<Tallies> {
    process.kill(this.attackers.pid, "SIGUSR2");
    const tallies = await eventually(() => {
      if (this.attackers.end) throw new Error(`the attackers have ended: ${this.attackers.log()}`);
      return JSON.parse(this.attackers.log().trim().split("\n").at(-1)!) as Tallies;
    });
    await this.stop();
    return tallies;
  }

  async stop(): Promise<void> {
    await this.attackers.kill();
  }
}
