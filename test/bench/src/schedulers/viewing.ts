import { setTimeout as wait } from "node:timers/promises";
import { BENCH_API_KEY } from "./contestants/contestant.js";
import { monoMs } from "./contestants/host-clock.js";
import { latenessOf } from "./verdict.js";

/** Postgres did not answer in time. */
const REFUSED = 503;

/** Who views. */
interface Viewers {
  readonly count: number;
  /** Within it each viewer asks for everything once. Default 1,000. */
  readonly everyMs?: number;
  /** Whether an answer of 503 is counted. Default: it ends the measurement. */
  readonly countsRefusals?: boolean;
}

interface View {
  readonly path: string;
  /** Default: none; it is a `GET` then. */
  readonly body?: object;
  readonly status: number;
  /** Receives each answer. */
  readonly onAnswer?: (answer: unknown) => void;
}

/** The requests of a viewer, by the name of their figures. */
export type Views = Readonly<Record<string, View>>;

/** A page of the list of tasks. */
export function listView(query: string): View {
  return { path: `/v1/tasks?${query}`, status: 200 };
}

/** What the page shows of the cluster, the past and the future. */
export function figureViews(): Views {
  const history = (range: string) => ({ path: `/v1/stats/history?range=${range}`, status: 200 });
  const forecast = (ahead: string) => ({ path: `/v1/stats/forecast?ahead=${ahead}`, status: 200 });
  return {
    findings: { path: "/v1/findings", status: 200 },
    types: { path: "/v1/types", status: 200 },
    cluster: { path: "/v1/cluster", status: 200 },
    ...Object.fromEntries(["1h", "24h", "7d"].map((range) => [`history${range}`, history(range)])),
    ...Object.fromEntries(["1m", "1h", "24h", "30d"].map((ahead) => [`forecast${ahead}`, forecast(ahead)])),
  };
}

/** Viewers of the page: their requests, and how long each answer took. */
export class Viewing {
  /** How many answers were 503. */
  refused = 0;
  private tookMs = new Map<string, number[]>();

  constructor(
    private readonly port: number,
    private readonly views: Views,
    private readonly viewers: Viewers,
  ) {}

  async run(isOver: () => boolean): Promise<void> {
    const { count, everyMs = 1_000 } = this.viewers;
    await Promise.all(
      Array.from({ length: count }, async (_, viewer) => {
        await wait((viewer * everyMs) / count);
        await this.view(viewer, { everyMs, isOver });
      }),
    );
  }

  /** 95th percentile of each request, and the slowest answers. */
  figures(): Record<string, number> {
    const entries = [...this.tookMs].map(
      ([name, took]) => [name, latenessOf(Float64Array.from(took).sort())!] as const,
    );
    const p95 = entries.map(([name, spread]) => [`${name}P95Ms`, spread.p95]);
    const maxOf = (names: readonly string[]): number =>
      Math.max(...entries.filter(([name]) => names.includes(name)).map(([, { max }]) => max));
    const statsMaxMs = maxOf(["stats"]);
    const figuresMaxMs = maxOf(Object.keys(figureViews()));
    return { ...(Object.fromEntries(p95) as Record<string, number>), statsMaxMs, figuresMaxMs };
  }

  /** How long all answers since the last call of this took, in milliseconds. */
  take(): number[] {
    const took = [...this.tookMs.values()].flat();
    this.tookMs = new Map();
    return took;
  }

  private async view(viewer: number, { everyMs, isOver }: { everyMs: number; isOver: () => boolean }): Promise<void> {
    for (let round = 0; !isOver(); round++) {
      const begunMonoMs = monoMs();
      for (const [name, view] of Object.entries(this.views)) await this.ask(name, view);
      const stranger = `${viewer}-${round}-`.padEnd(40, "x");
      await this.ask("login", { path: "/v1/stats", status: 401 }, stranger);
      await wait(Math.max(0, everyMs - (monoMs() - begunMonoMs)));
    }
  }

  private async ask(name: string, { path, body, status, onAnswer }: View, key = BENCH_API_KEY): Promise<void> {
    const sentMonoMs = monoMs();
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === REFUSED && this.viewers.countsRefusals) {
      this.refused++;
      return;
    }
    if (response.status !== status) throw new Error(`HTTP ${response.status} to ${path}: ${text.slice(0, 300)}`);
    const took = this.tookMs.get(name) ?? [];
    took.push(monoMs() - sentMonoMs);
    this.tookMs.set(name, took);
    onAnswer?.(JSON.parse(text));
  }
}
