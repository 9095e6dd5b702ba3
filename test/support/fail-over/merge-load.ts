import type { ApiClient } from "../api-client.js";
import type { Ledger } from "../ledger.js";

const TYPE = "collect";
const TICK_MS = 100;
const KEYS = 5;
const BACKOFF = { kind: "fixed", delay: 200 };

/** Merges one into a key again and again; each execution collects the sum that its task has then. */
export class MergeLoad {
  static readonly type = TYPE;
  /** By key: how many merges were sent, and how many of them were acknowledged. */
  private readonly sums = new Map<string, { sent: number; told: number }>();
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private count = 0;

  /** @param name sets its keys apart from those of other loads */
  constructor(
    private readonly name: string,
    private readonly targets: readonly { client: ApiClient }[],
  ) {}

  start(): this {
    this.timer = setInterval(() => {
      const merge = this.merge(this.count++).finally(() => this.underWay.delete(merge));
      this.underWay.add(merge);
    }, TICK_MS);
    return this;
  }

  /** Ends the load and waits for its answers. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
  }

  /** The keys of which less was collected than was acknowledged, or more than was sent; once all has run. */
  async wrongSums(ledger: Ledger): Promise<string[]> {
    const rows = await ledger.query<{ key: string; sum: number }>(
      "SELECT key, sum(n)::int AS sum FROM collected GROUP BY key",
    );
    const collected = new Map(rows.map(({ key, sum }) => [key, sum]));
    return [...this.sums].flatMap(([key, { sent, told }]) => {
      const sum = collected.get(key) ?? 0;
      return sum >= told && sum <= sent ? [] : [`${key}: ${sent} merges sent, ${told} acknowledged, ${sum} collected`];
    });
  }

  private async merge(count: number): Promise<void> {
    const key = `${this.name} ${count % KEYS}`;
    const known = this.sums.get(key) ?? { sent: 0, told: 0 };
    this.sums.set(key, known);
    known.sent++;
    const { client } = this.targets[count % this.targets.length]!;
    const task = { type: TYPE, key, delay: 700, maxAttempts: 20, backoff: BACKOFF, payload: { collect: key, n: 1 } };
    try {
      const { status } = await client.post("/v1/tasks", { ...task, onConflict: "merge", merge: { n: "add" } });
      if (status === 200 || status === 201) known.told++;
    } catch {
      // Without an answer it may have been merged or not.
    }
  }
}
