import type { HostileMessages } from "@tickwheel/simulation";
import { Redis } from "ioredis";
import pg from "pg";
import { superuserUrlOf } from "./servers/test-role.mjs";

/** The most that a NOTIFY may hold. */
const MAX_NOTIFY_BYTES = 7_999;
/** How many messages go over each medium at a time, and the pause after them. */
const BATCH = 10;
const PAUSE_MS = 20;
const IDS_REMEMBERED = 50;
const SPEAK = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) payload";

/**
 * A stranger whose role may connect to the database, but has no other rights there, and who can reach Redis. It
 * listens, learns the ids, and sends messages as if it were a node.
 */
export class Stranger {
  readonly #taskIds: string[] = [];
  private readonly prefix: string;
  #writes = 0;

  private constructor(
    private readonly database: pg.Client,
    private readonly redis: Redis,
    private readonly ear: { from: Redis; prefix: string },
  ) {
    this.prefix = ear.prefix;
    ear.from.on("pmessage", (_pattern: string, _channel: string, text: string) => this.overhear(text));
  }

  static async arrive(at: { databaseUrl: string; redisUrl: string }): Promise<Stranger> {
    const owner = new pg.Client({ connectionString: superuserUrlOf(at.databaseUrl) });
    await owner.connect();
    await owner.query("CREATE ROLE stranger LOGIN PASSWORD 'stranger'");
    await owner.end();
    const url = new URL(at.databaseUrl);
    url.username = url.password = "stranger";
    const database = new pg.Client({ connectionString: url.href });
    await database.connect();
    const redis = new Redis(at.redisUrl);
    const ear = new Redis(at.redisUrl);
    const [key] = await redis.keys("tickwheel:*:nodes");
    await ear.psubscribe("tickwheel:*");
    return new Stranger(database, redis, { from: ear, prefix: key!.slice(0, -":nodes".length) });
  }

  /** Sends each of these to all listeners. */
  async notify(payloads: readonly string[]): Promise<void> {
    await this.database.query(SPEAK, ["tickwheel_tickwheel", payloads]);
  }

  /** How many messages go over NOTIFY, and as many over Redis, with beats in between. */
  async attack(hostile: HostileMessages, count: number): Promise<void> {
    for (let said = 0; said < count; said += BATCH) {
      const texts = Array.from({ length: BATCH }, () => this.textOf(hostile));
      await this.notify(texts.map((text, place) => this.envelopeOf(text, place)));
      await Promise.all(texts.map((text) => this.redis.publish(`${this.prefix}:to:all`, text)));
      if (said % 100 === 0) await this.writeBeats(hostile);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    this.ear.from.disconnect();
    await this.database.end();
  }

  private textOf(hostile: HostileMessages): string {
    const overheard = { taskIds: this.#taskIds, typeIds: [1, 2, 3], nowMs: Date.now() };
    return JSON.stringify(hostile.next(overheard));
  }

  /** Sometimes the text is no envelope at all. */
  private envelopeOf(text: string, place: number): string {
    const payload = place === 0 ? text : `[{"to":"all","message":${text}}]`;
    return Buffer.from(payload).subarray(0, MAX_NOTIFY_BYTES).toString("utf8").replaceAll("\uFFFD", "");
  }

  /** Writes rubbish into the keys of the nodes. */
  private async writeBeats(hostile: HostileMessages): Promise<void> {
    const labels = await this.redis.srandmember(`${this.prefix}:nodes`, 1).catch(() => []);
    const key = `${this.prefix}:node:${labels[0] ?? "nobody"}`;
    const value = JSON.stringify(hostile.rubbish()).slice(0, 1_000);
    const ways = [
      () => this.redis.hset(key, { beat: "9007199254740991", leaving: "1" }),
      () => this.redis.hset(key, { beat: value, view: value, inFlight: "NaN" }),
      () => this.redis.hset(`${this.prefix}:node:${value}`, { bootId: value, beat: "1" }),
      () => this.redis.sadd(`${this.prefix}:nodes`, value, "nobody", "x".repeat(10_000)),
      () => this.redis.set(key, value),
      () => this.redis.set(`${this.prefix}:owned:${labels[0] ?? "nobody"}`, value),
      () => this.redis.set(`${this.prefix}:leader`, value, "PX", 1_000),
      () => this.redis.set(`${this.prefix}:nodes`, value),
    ];
    // Redis refuses some of it if a key has another type by now.
    await ways[this.#writes++ % ways.length]!().catch(() => undefined);
  }

  private overhear(text: string): void {
    const ids = text.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{22}/g) ?? [];
    this.#taskIds.push(...ids.slice(0, 5));
    this.#taskIds.splice(0, this.#taskIds.length - IDS_REMEMBERED);
  }
}
