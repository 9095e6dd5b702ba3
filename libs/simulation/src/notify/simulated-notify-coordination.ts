import { type BootId, type ClusterMessage, type Coordination, doneWithin, type NodeBeat, wait } from "@tickwheel/core";
import { copyOf } from "@tickwheel/testing";
import type { SimulatedWire } from "../network/simulated-wire.js";
import { type SessionEnds, WireSession } from "../network/wire-session.js";

/** The limits of `PostgresCoordination`. */
const MAX_PAYLOAD_BYTES = 7_900;
const SEND_LIMIT_MS = 250;
const RECONNECT_MS = 500;
const PROBE_INTERVAL_MS = 5_000;
const ANSWER_LIMIT_MS = 2_000;

export interface NotifyEnvelope {
  to: BootId | "all";
  message: unknown;
}

export interface NotifyEnds extends SessionEnds {
  listen: (wire: SimulatedWire, receive: (envelope: NotifyEnvelope) => void) => void;
  /** Runs a statement of this node that says it when it commits, and resolves with its reply. */
  send: (envelope: NotifyEnvelope) => Promise<void>;
}

/**
 * One node's access to a {@link SimulatedNotify}: does what `PostgresCoordination` does. A session listens, and is made
 * anew half a second after it broke; what was said meanwhile is lost, so the node is then told to look for itself. Whom
 * a message reached is not known: one that was committed counts as sent.
 */
export class SimulatedNotifyCoordination implements Coordination {
  readonly kind = "postgres";
  private subscription: { bootId: BootId; receive: (message: unknown) => void } | null = null;
  private running: { stopping: AbortController; loop: Promise<void> } | null = null;
  private isListening = false;
  private detail = "not started";

  constructor(private readonly ends: NotifyEnds) {}

  health(): { available: boolean; detail: string | null } {
    return { available: this.isListening, detail: this.isListening ? null : this.detail };
  }

  async start(): Promise<void> {
    if (this.running) return;
    const stopping = new AbortController();
    await new Promise<void>((resolve) => {
      this.running = { stopping, loop: this.listenForEver(stopping.signal, resolve) };
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

  async send(to: BootId | "all", message: ClusterMessage): Promise<boolean> {
    const isTooLong = Buffer.byteLength(JSON.stringify({ to, message })) > MAX_PAYLOAD_BYTES;
    const envelope: NotifyEnvelope = { to, message: isTooLong ? { kind: "load" } : copyOf(message) };
    return doneWithin(this.ends.loop, SEND_LIMIT_MS, this.ends.send(envelope)).catch(() => false);
  }

  readBeats(): Promise<NodeBeat[] | null> {
    return Promise.resolve(null);
  }

  announce(): Promise<void> {
    return Promise.resolve();
  }

  withdraw(): Promise<void> {
    return Promise.resolve();
  }

  campaign(): Promise<"unavailable"> {
    return Promise.resolve("unavailable");
  }

  yieldLeadership(): Promise<void> {
    return Promise.resolve();
  }

  private async listenForEver(stopping: AbortSignal, attempted: () => void): Promise<void> {
    for (let isFirst = true; !stopping.aborted; isFirst = false) {
      const error = await this.listenOnce(stopping, () => {
        attempted();
        if (!isFirst) this.subscription?.receive({ kind: "load" });
      }).catch((reason: unknown) => reason);
      if (error instanceof Error) this.detail = `the listening connection is broken (${error.message})`;
      this.isListening = false;
      attempted();
      if (!stopping.aborted) await wait(this.ends.loop, RECONNECT_MS, stopping);
    }
    this.detail = "stopped";
  }

  /** Listens until the session breaks or the service stops. */
  private async listenOnce(stopping: AbortSignal, listening: () => void): Promise<void> {
    const session = await WireSession.open(this.ends, ANSWER_LIMIT_MS);
    const end = (): void => session.close();
    stopping.addEventListener("abort", end, { once: true });
    try {
      await session.ask((wire) => this.ends.listen(wire, (envelope) => this.receive(envelope)), ANSWER_LIMIT_MS);
      this.isListening = true;
      if (stopping.aborted) return end();
      listening();
      while (!session.broken.aborted) {
        await wait(this.ends.loop, PROBE_INTERVAL_MS, session.broken);
        if (!session.broken.aborted) await session.ask(() => undefined, ANSWER_LIMIT_MS);
      }
      if (!stopping.aborted) throw session.broken.reason;
    } finally {
      stopping.removeEventListener("abort", end);
      end();
    }
  }

  private receive({ to, message }: NotifyEnvelope): void {
    const { subscription } = this;
    if (subscription && (to === "all" || to === subscription.bootId)) subscription.receive(message);
  }
}
