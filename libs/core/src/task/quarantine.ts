export type QuarantineReply = { entered: true } | { entered: false; occupiedForMs: number };

/** What suspects wait for. */
export interface QuarantineState {
  /** Null: the next one has not come yet. */
  occupant: { id: string; type: string; node: string | null; forMs: number } | null;
  /** Scheduled tasks that ran in a blocked loop when their node died. */
  waiting: number;
}
