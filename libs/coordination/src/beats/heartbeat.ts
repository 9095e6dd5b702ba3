import type { BootId, NodeVitals } from "@tickwheel/core";

/** How often a heartbeat's thread hears from the main loop what its beats are to tell. */
export const SNAPSHOT_INTERVAL_MS = 250;

/**
 * Keeps one incarnation of a node alive to the others: raises its beat in Postgres each interval, then renews its keys.
 * Implemented by `LoopHeartbeat` in the process's own loop and by the worker thread of the nestjs library, which runs a
 * `LoopHeartbeat` of its own. What goes in and out can be sent between threads.
 */
export interface Heartbeat {
  /** Begins to beat at once. A heartbeat that is beating already stops that first. */
  start(identity: HeartbeatIdentity, source: () => HeartbeatSnapshot, listener: HeartbeatListener): Promise<void>;
  /** Sends no further beat, and the listener hears nothing more, not even of a beat under way. */
  stop(): Promise<void>;
}

export interface HeartbeatIdentity {
  bootId: BootId;
  /** `ip:pid`. */
  label: string;
}

/** What a beat tells, as it is just now. */
export interface HeartbeatSnapshot {
  vitals: NodeVitals;
  /** 512 bytes, as in SlotSet. */
  ownedSlots: Uint8Array;
}

export interface HeartbeatListener {
  /** A beat was acknowledged. `sentMonoMs`: when it was sent, by the clock of the thread that listens. */
  beatGood(sentMonoMs: number): void;
  /** There was no row to raise: to the others this boot id is dead. Nothing more is sent for it. */
  lost(): void;
}
