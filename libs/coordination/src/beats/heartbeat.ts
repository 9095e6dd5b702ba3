import type { BootId, NodeVitals, Revision } from "@tickwheel/core";

/** How often the main loop sends the heartbeat's thread what its beats report. */
export const SNAPSHOT_INTERVAL_MS = 250;

/**
 * Shows the others that one incarnation of a node is alive: raises its beat in Postgres each interval, then renews its
 * keys. Implemented by `LoopHeartbeat` in the process's own loop and by the worker thread of the nestjs library, which
 * runs a `LoopHeartbeat` of its own. All arguments and events can be sent between threads.
 */
export interface Heartbeat {
  /** There is news for the others: the next beat is sent at once, with what its source says then. */
  beatSoon(): void;
  /** Begins to beat at once. Stops the current run first if there is one. */
  start(identity: HeartbeatIdentity, source: () => HeartbeatSnapshot, listener: HeartbeatListener): Promise<void>;
  /** Sends no further beat; the listener hears nothing more, not even of a beat under way. */
  stop(): Promise<void>;
}

export interface HeartbeatIdentity {
  bootId: BootId;
  /** `ip:pid`. */
  label: string;
}

/** What a beat reports at this moment. */
export interface HeartbeatSnapshot {
  vitals: NodeVitals;
  /** 512 bytes, as in SlotSet. */
  ownedSlots: Uint8Array;
}

export interface GoodBeat {
  /** When it was sent, by the clock of the thread that listens. */
  sentMonoMs: number;
  /** The revision of the settings that was in force then. */
  settings: Revision;
}

export interface HeartbeatListener {
  /** A beat was acknowledged. */
  beatGood(good: GoodBeat): void;
  /** There was no row to raise: the others hold this boot id for dead. Nothing more is sent for it. */
  lost(): void;
}
