import {
  type BootId,
  type Clock,
  type ClusterMessage,
  type Coordination,
  doneWithin,
  type NodeAnnouncement,
  type NodeBeat,
  SystemClock,
  wait,
} from "@tickwheel/core";
import pg from "pg";
import type { ConnectionOptions } from "../connection/connection-options.js";
import { sqlStateOf } from "../connection/driver-errors.js";
import { type Envelope, arrivalsIn, payloadsOf } from "./notify-payloads.js";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import { notify } from "../statements/server/notify.js";

export interface PostgresCoordinationOptions {
  /** The node's pool, which sends. The listener is one more connection to the same database. */
  database: PostgresDatabase;
  /**
   * Settings of the listener's connection. Null: there is no listener, because of a transaction pooler. Default: the
   * pool's settings.
   */
  listen?: (() => ConnectionOptions) | null;
  clock?: Clock;
}

/** A sender waits no longer; the message may still go out. */
const SEND_TIMEOUT_MS = 250;
/** [all-bounded]: the most messages that wait for the notification that is under way. */
const MAX_WAITING = 1_000;
const RECONNECT_MS = 500;
/** A listener does not notice a server that vanished without closing the connection, so it sends a query this often. */
const PROBE_INTERVAL_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;

interface Letter extends Envelope {
  /** It has reached the database. */
  sent(): void;
  failed(error: unknown): void;
}

/**
 * The cluster's coordination without Redis: wake-up messages over LISTEN and NOTIFY. Beats and the election stay in the
 * store's tables, so there are no beats to read here and no lock to campaign for.
 *
 * One session connection listens. If it breaks, it is made anew half a second later; messages sent meanwhile are lost,
 * so the node is then told to load for itself. Through PgBouncer in transaction mode a listener would hear nothing, so
 * none is made there unless the options name a way past the pooler. Without a listener, sweeps find the work up to a
 * second later, and the node does not count as degraded.
 */
export class PostgresCoordination implements Coordination {
  readonly kind = "postgres";
  /** Connections besides the pool's. */
  readonly connectionCount: number;
  private readonly channel: string;
  private readonly database: PostgresDatabase;
  private readonly clock: Clock;
  private readonly listen: (() => ConnectionOptions) | null;
  private subscription: { bootId: BootId; receive: (message: unknown) => void } | null = null;
  private running: { stopping: AbortController; loop: Promise<void> } | null = null;
  private readonly outbox: Letter[] = [];
  private isNotifying = false;
  private isListening = false;
  private detail: string | null = "not started";

  constructor({
    database,
    listen = () => database.clientConfig(),
    clock = new SystemClock(),
  }: PostgresCoordinationOptions) {
    this.database = database;
    this.listen = listen;
    this.connectionCount = listen ? 1 : 0;
    this.clock = clock;
    this.channel = `tickwheel_${database.schema.slice(1, -1)}`;
  }

  health(): { available: boolean; detail: string | null } {
    if (!this.listen) return { available: true, detail: null };
    return { available: this.isListening, detail: this.isListening ? null : this.detail };
  }

  /** Resolves when the first attempt to listen has succeeded or failed; after a failure it goes on trying. */
  async start(): Promise<void> {
    const { listen } = this;
    if (this.running || !listen) return;
    const stopping = new AbortController();
    await new Promise<void>((resolve) => {
      this.running = { stopping, loop: this.listenForEver(listen, stopping.signal, resolve) };
    });
  }

  async stop(): Promise<void> {
    const { running } = this;
    if (!running) return;
    running.stopping.abort();
    await running.loop;
    if (this.running === running) this.running = null;
  }

  async subscribe(bootId: BootId, receive: (message: unknown) => void): Promise<void> {
    this.subscription = { bootId, receive };
  }

  /**
   * One notification at a time: whatever is sent meanwhile goes together in the next one. So messages take one of the
   * node's connections at most, however slow the server is, and leave the others to creates and claims.
   */
  async send(to: BootId | "all", message: ClusterMessage): Promise<boolean> {
    if (this.outbox.length >= MAX_WAITING) return false;
    const sending = new Promise<void>((resolve, reject) => {
      this.outbox.push({ to, message, sent: resolve, failed: reject });
    });
    if (!this.isNotifying) {
      this.isNotifying = true;
      this.clock.soon(() => void this.notifyAll());
    }
    return doneWithin(this.clock, SEND_TIMEOUT_MS, sending).catch(() => false);
  }

  readBeats(): Promise<NodeBeat[] | null> {
    return Promise.resolve(null);
  }

  announce(_announcement: NodeAnnouncement): Promise<void> {
    return Promise.resolve();
  }

  withdraw(_label: string): Promise<void> {
    return Promise.resolve();
  }

  campaign(_bootId: BootId, _ttlMs: number): Promise<"unavailable"> {
    return Promise.resolve("unavailable");
  }

  yieldLeadership(): Promise<void> {
    return Promise.resolve();
  }

  private async notifyAll(): Promise<void> {
    while (this.outbox.length > 0) {
      const letters = this.outbox.splice(0);
      const envelopes = letters.map(({ to, message }) => ({ to, message }));
      for (const { text, count } of payloadsOf(envelopes)) await this.notify(text, letters.splice(0, count));
    }
    this.isNotifying = false;
  }

  /** Has the time of any statement: one that is given up costs its connection. */
  private async notify(payload: string, carried: readonly Letter[]): Promise<void> {
    try {
      await this.database.run(notify, { channel: this.channel, payload });
      for (const letter of carried) letter.sent();
    } catch (error) {
      for (const letter of carried) letter.failed(error);
    }
  }

  private async listenForEver(
    settings: () => ConnectionOptions,
    stopping: AbortSignal,
    attempted: () => void,
  ): Promise<void> {
    for (let isFirst = true; !stopping.aborted; isFirst = false) {
      try {
        const client = new pg.Client({ ...settings(), query_timeout: PROBE_TIMEOUT_MS });
        await this.listenOnce(client, stopping, () => {
          attempted();
          if (!isFirst) this.subscription?.receive({ kind: "load" });
        });
      } catch (error) {
        this.detail = reasonOf(error);
      }
      this.isListening = false;
      attempted();
      if (!stopping.aborted) await wait(this.clock, RECONNECT_MS, stopping);
    }
    this.detail = "stopped";
  }

  /** Listens until the connection breaks or the service stops. */
  private async listenOnce(client: pg.Client, stopping: AbortSignal, listening: () => void): Promise<void> {
    const broken = new AbortController();
    const end = (error?: unknown): void => broken.abort(error);
    client.on("error", end).on("end", () => end());
    client.on("notification", ({ payload }) => this.receive(payload));
    stopping.addEventListener("abort", end, { once: true });
    try {
      await client.connect();
      await client.query(`LISTEN "${this.channel}"`);
      this.isListening = true;
      if (!stopping.aborted) listening();
      while (!broken.signal.aborted) {
        await wait(this.clock, PROBE_INTERVAL_MS, broken.signal);
        if (!broken.signal.aborted) await client.query("SELECT 1");
      }
      if (!stopping.aborted) throw broken.signal.reason;
    } finally {
      stopping.removeEventListener("abort", end);
      await client.end().catch(() => {});
    }
  }

  private receive(payload: string | undefined): void {
    const { subscription } = this;
    if (!subscription) return;
    for (const { to, message } of arrivalsIn(payload)) {
      if (to === "all" || to === subscription.bootId) subscription.receive(message);
    }
  }
}

/** Why there is no listening connection. It leaves out the driver's message, since that may hold anything. */
function reasonOf(error: unknown): string {
  const state = sqlStateOf(error);
  const { code } = (error ?? {}) as { code?: unknown };
  return `the listening connection is broken (${state ?? (typeof code === "string" ? code : "no answer")})`;
}
