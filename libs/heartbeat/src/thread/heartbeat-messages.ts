import type { HeartbeatIdentity, HeartbeatSnapshot } from "@tickwheel/coordination";
import type { Coordination, Revision, TelemetryEvent } from "@tickwheel/core";
import type { ConnectionOptions } from "@tickwheel/postgres-store/cluster";
import type { RedisSource } from "@tickwheel/redis-coordination";

/** What the heartbeat's thread is started with. */
export interface HeartbeatWorkerData {
  identity: HeartbeatIdentity;
  snapshot: HeartbeatSnapshot;
  postgres: { connection: ThreadableConnection; schema: string; transactionPooling: boolean };
  /** Null: no keys are written. */
  redis: RedisSettings | null;
  heartbeatIntervalMs: number;
  loopBlockedFenceMs: number;
  /** The memory of the `RunningHandlers` that the main thread writes on. */
  runningHandlers: SharedArrayBuffer;
  /** Whether the process is killed when its main loop has been blocked for that long. */
  exitWhenBlocked: boolean;
}

export interface RedisSettings {
  redis: RedisSource;
  cluster: string;
  redisKeyTtlMs: number;
}

/** Settings of a connection without their functions. */
export interface ThreadableConnection {
  settings: Omit<ConnectionOptions, "password">;
  /** `"asked"`: a function of the application gives it, which only the main thread can call. */
  password: { text: string | undefined } | "asked";
}

/** What the main thread says beside its snapshots: the next beat is to be sent at once. */
export interface BeatSoon {
  kind: "soon";
  snapshot: HeartbeatSnapshot;
}

/** The answer of the main thread to `password`; undefined: the function failed. */
export interface PasswordReply {
  kind: "password";
  text: string | undefined;
}

/** What the thread says. `sentMonoMs` is by `monotonicNowMs`, which both threads read alike. */
export type WorkerMessage =
  | { kind: "good"; sentMonoMs: number; settings: Revision }
  | { kind: "lost" }
  | { kind: "password" }
  | { kind: "event"; event: TelemetryEvent };

/** Where there are no keys to renew. */
export const SILENT_COORDINATION: Pick<Coordination, "announce"> = { announce: () => Promise.resolve() };
