// Made by `npm run generate`.

/** A task as its consumer gets it, as every edge shows it. */
export interface PulledTaskFields<Payload, Instant> {
  /** UUIDv7; the same for every attempt, so an effect can be made once by it. */
  id: string;
  type: string;
  /** Null: it has none. */
  key: string | null;
  /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. */
  payload: Payload;
  /** When it was to run, as asked for. */
  scheduledAt: Instant;
  /** When it was due: its scheduled time, or after a failed attempt the next try. */
  dueAt: Instant;
  createdAt: Instant;
  /** From 1. */
  attempt: number;
  /** Attempts before it is dead. */
  maxAttempts: number;
  /** Raised by each claim; a system that can refuse an older one is safe from a consumer that comes too late. */
  fence: number;
  /** The batch that it is a member of; null: of none. */
  batchId: string | null;
}

/** A claim as every edge shows it. */
export interface ClaimFields<Payload, Instant> {
  /** Names this attempt in the calls about it: 64 characters that need no escape in an address. */
  token: string;
  /** Until then the task is the consumer's, by the clock of the database. */
  leaseUntil: Instant;
  task: PulledTaskFields<Payload, Instant>;
}

/** What became of a claim's task, as every edge shows it. */
export interface ClaimEndFields<Instant> {
  /**
   * What became of the task: `succeeded`; `scheduled`: it is tried again; `dead`; `cancelled`: somebody had asked for
   * it.
   */
  state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
  /** When it is tried again; null: it is not. */
  dueAt: Instant | null;
}
