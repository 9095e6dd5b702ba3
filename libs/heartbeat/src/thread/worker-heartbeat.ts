import { Worker } from "node:worker_threads";
import {
  type Heartbeat,
  type HeartbeatIdentity,
  type HeartbeatListener,
  type HeartbeatSnapshot,
  SNAPSHOT_INTERVAL_MS,
} from "@tickwheel/coordination";
import type { Clock, ClockTimer, Telemetry } from "@tickwheel/core";
import type { BeatSoon, HeartbeatWorkerData, PasswordReply, WorkerMessage } from "./heartbeat-messages.js";
import { lacksModule, WORKER_LACKS_MODULE } from "./heartbeat-worker-file.js";
import { monotonicNowMs } from "./system-monotonic.js";

export type WorkerHeartbeatOptions = Omit<HeartbeatWorkerData, "identity" | "snapshot"> & {
  /** The program of the thread: see `heartbeatWorkerFile`. */
  file: string;
  /** The function that gives the password, where one does. */
  password: (() => string | Promise<string>) | null;
};

/**
 * Beats in a worker thread, so that a handler which blocks the event loop does not kill its node. A worker that dies is
 * started again after one interval; until then the node has no good beat, which fences it in time.
 */
export class WorkerHeartbeat implements Heartbeat {
  private worker: Worker | null = null;
  private source: (() => HeartbeatSnapshot) | null = null;
  private timer: ClockTimer | null = null;
  private hasToldWhatIsMissing = false;

  constructor(
    private readonly ports: { clock: Clock; telemetry: Telemetry },
    private readonly settings: WorkerHeartbeatOptions,
  ) {}

  async start(
    identity: HeartbeatIdentity,
    source: () => HeartbeatSnapshot,
    listener: HeartbeatListener,
  ): Promise<void> {
    await this.stop();
    const { password: _password, file, ...settings } = this.settings;
    const workerData: HeartbeatWorkerData = { ...settings, identity, snapshot: source() };
    const worker = new Worker(file, { workerData });
    this.worker = worker;
    this.source = source;
    worker.on("message", (message: WorkerMessage) => {
      if (this.worker === worker) this.hear(message, listener, worker);
    });
    worker.on("error", (error) => this.tellDeath(error));
    worker.on("exit", () => {
      if (this.worker !== worker) return;
      this.timer?.clear();
      this.timer = this.ports.clock.setTimer(
        this.settings.heartbeatIntervalMs,
        () => void this.start(identity, source, listener),
      );
    });
    this.feed(worker, source);
  }

  beatSoon(): void {
    if (this.source) this.worker?.postMessage({ kind: "soon", snapshot: this.source() } satisfies BeatSoon);
  }

  async stop(): Promise<void> {
    const worker = this.worker;
    this.worker = null;
    this.source = null;
    this.timer?.clear();
    this.timer = null;
    await worker?.terminate();
  }

  /** What a bundle lacks does not come back: it is told once, not at each try. */
  private tellDeath(error: unknown): void {
    if (!lacksModule(error)) return this.ports.telemetry.emit({ ...WORKER_DIED, error });
    if (this.hasToldWhatIsMissing) return;
    this.hasToldWhatIsMissing = true;
    this.ports.telemetry.emit({ ...WORKER_DIED, message: WORKER_LACKS_MODULE, error });
  }

  private hear(message: WorkerMessage, listener: HeartbeatListener, worker: Worker): void {
    if (message.kind === "password") return void this.givePassword(worker);
    if (message.kind === "event") return this.ports.telemetry.emit(message.event);
    if (message.kind === "lost") return listener.lost();
    const agoMs = monotonicNowMs() - message.sentMonoMs;
    listener.beatGood({ sentMonoMs: this.ports.clock.monotonicMs() - agoMs, settings: message.settings });
  }

  private async givePassword(worker: Worker): Promise<void> {
    const text = await Promise.resolve()
      .then(() => this.settings.password?.())
      .catch((error: unknown) => this.ports.telemetry.emit({ ...PASSWORD_FAILED, error }));
    worker.postMessage({ kind: "password", text: text ?? undefined } satisfies PasswordReply);
  }

  /** Sends snapshots for as long as this worker is the one. */
  private feed(worker: Worker, source: () => HeartbeatSnapshot): void {
    this.timer = this.ports.clock.setTimer(SNAPSHOT_INTERVAL_MS, () => {
      if (this.worker !== worker) return;
      worker.postMessage(source());
      this.feed(worker, source);
    });
  }
}

const PASSWORD_FAILED = {
  name: "cluster.heartbeat.password_failed",
  level: "warn",
  message: "The function that gives the database's password failed; the heartbeat goes on with the last one",
} as const;

const WORKER_DIED = {
  name: "cluster.heartbeat.worker_died",
  level: "error",
  message: "The heartbeat's thread ended; it is started again",
} as const;
