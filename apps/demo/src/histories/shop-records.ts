import { Pool } from "pg";
import type { EffectRow, StartRow } from "./histories.js";

/** Rows of the shop's append-only tables, by order. */
export interface ShopRows {
  starts: Map<string, StartRow[]>;
  effects: Map<string, EffectRow[]>;
  /** The node on which an accepted payment found the order's task running. */
  paidWhileRunningOn: Map<string, string>;
}

/** How far the orders are. */
export interface Progress {
  /** Orders that are neither paid nor cancelled. */
  unpaid: number;
  /** Executions that began, on nodes that are alive, and have not ended. */
  running: number;
}

export interface FiringFigures {
  fired: number;
  /** The median of the last ten seconds. */
  p50: number | null;
  p99: number | null;
}

const MS = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
const CLOCK_SAMPLES = 5;

/** Reads the shop's tables, past the shop and the scheduler. Only rows since `open` count. */
export class ShopRecords {
  private offsetMs = 0;
  private sinceMs = 0;

  private constructor(private readonly pool: Pool) {
    // A server that goes away reports it to idle connections as well; the next query tells.
    pool.on("error", () => {});
  }

  static async open(databaseUrl: string): Promise<ShopRecords> {
    const records = new ShopRecords(new Pool({ connectionString: databaseUrl, max: 2 }));
    await records.sampleClock();
    records.sinceMs = records.dbNow();
    return records;
  }

  /** The database's clock as estimated here, in epoch milliseconds. */
  dbNow(): number {
    return performance.timeOrigin + performance.now() + this.offsetMs;
  }

  async progress(deadNodes: readonly string[]): Promise<Progress> {
    const { rows } = await this.pool.query<Progress>(
      `SELECT (SELECT count(*)::int FROM shop.orders WHERE status = 'unpaid' AND placed_at >= to_timestamp($1::float8 / 1000)) AS unpaid,
              (SELECT count(*)::int FROM shop.execution_starts AS s
               WHERE s.at >= to_timestamp($1::float8 / 1000) AND s.node <> ALL ($2)
                 AND NOT EXISTS (SELECT FROM shop.execution_ends AS e
                                 WHERE e.order_id = s.order_id AND e.node = s.node AND e.fence = s.fence)) AS running`,
      [this.sinceMs, deadNodes],
    );
    return rows[0]!;
  }

  async firing(): Promise<FiringFigures> {
    const { rows } = await this.pool.query<{ fired: number; lateness: number[] | null }>(
      `SELECT (SELECT count(*)::int FROM shop.effects WHERE at >= to_timestamp($1::float8 / 1000)) AS fired,
              (SELECT percentile_disc(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY ${MS("at")} - ${MS("due_at")})
               FROM shop.execution_starts
               WHERE at >= greatest(to_timestamp($1::float8 / 1000), clock_timestamp() - interval '10 s')) AS lateness`,
      [this.sinceMs],
    );
    const { fired, lateness } = rows[0]!;
    return { fired, p50: lateness?.[0] ?? null, p99: lateness?.[1] ?? null };
  }

  async read(): Promise<ShopRows> {
    const since = "WHERE at >= to_timestamp($1::float8 / 1000) ORDER BY id";
    const starts = await this.pool.query<StartRow & { orderId: string }>(
      `SELECT order_id AS "orderId", node, fence, attempt, ${MS("due_at")} AS "dueAt", ${MS("at")} AS at
       FROM shop.execution_starts ${since}`,
      [this.sinceMs],
    );
    const effects = await this.pool.query<EffectRow & { orderId: string }>(
      `SELECT order_id AS "orderId", node, fence, ${MS("at")} AS at FROM shop.effects ${since}`,
      [this.sinceMs],
    );
    const overtaken = await this.pool.query<{ orderId: string; node: string }>(
      `SELECT order_id AS "orderId", node FROM shop.overtaken_tasks ${since}`,
      [this.sinceMs],
    );
    return {
      starts: byOrder(starts.rows),
      effects: byOrder(effects.rows),
      paidWhileRunningOn: new Map(overtaken.rows.map(({ orderId, node }) => [orderId, node])),
    };
  }

  async stop(): Promise<void> {
    await this.pool.end();
  }

  /** The sample with the shortest way there and back is the best of several. */
  private async sampleClock(): Promise<void> {
    let bestTripMs = Infinity;
    for (let sample = 0; sample < CLOCK_SAMPLES; sample++) {
      const sentMonoMs = performance.now();
      const { rows } = await this.pool.query<{ at: number }>(`SELECT ${MS("clock_timestamp()")} AS at`);
      const tripMs = performance.now() - sentMonoMs;
      if (tripMs >= bestTripMs) continue;
      bestTripMs = tripMs;
      this.offsetMs = rows[0]!.at - (performance.timeOrigin + sentMonoMs + tripMs / 2);
    }
  }
}

function byOrder<Row extends { orderId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const group = grouped.get(row.orderId);
    if (group) group.push(row);
    else grouped.set(row.orderId, [row]);
  }
  return grouped;
}
