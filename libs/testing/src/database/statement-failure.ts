/** Why the database refused a statement. `terminated`: its session was ended. */
export type FailureCause = "lock-timeout" | "deadlock" | "unique-violation" | "terminated";

/** A statement that the database refused: it has changed nothing. */
export class StatementFailure extends Error {
  constructor(readonly why: FailureCause) {
    super(`The statement failed: ${why}`);
  }

  /** Whether another transaction's lock was in the way. */
  get isLockConflict(): boolean {
    return this.why === "lock-timeout" || this.why === "deadlock";
  }
}
