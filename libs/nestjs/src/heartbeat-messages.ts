import type { HeartbeatIdentity, HeartbeatSnapshot } from "@tickwheel/coordination";
import type { Coordination, TelemetryEvent } from "@tickwheel/core";

/** What the heartbeat's thread is started with. */
export interface HeartbeatWorkerData {
  identity: HeartbeatIdentity;
  snapshot: HeartbeatSnapshot;
  postgres: { url: string; schema: string };
  /** Null: no keys are written. */
  redis: RedisSettings | null;
  heartbeatIntervalMs: number;
  loopBlockedFenceMs: number;
  /** Of the `RunningBoard` that the main thread writes on. */
  board: SharedArrayBuffer;
  /** Whether the process is killed when its main loop has been blocked for that long. */
  exitWhenBlocked: boolean;
}

export interface RedisSettings {
  redis: string;
  cluster: string;
  redisKeyTtlMs: number;
}

/** What the thread says. `sentMonoMs` is by `monotonicNowMs`, which both threads read alike. */
export type WorkerMessage =
  { kind: "good"; sentMonoMs: number } | { kind: "lost" } | { kind: "event"; event: TelemetryEvent };

/** Where there are no keys to renew. */
export const SILENT_COORDINATION: Pick<Coordination, "announce"> = { announce: () => Promise.resolve() };
