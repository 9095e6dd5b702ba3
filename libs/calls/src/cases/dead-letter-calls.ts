import {
  type DeadGroupDetails,
  type DeadGroupPage,
  type DeadGroupPlace,
  type DeadGroupRef,
  type DeadReason,
  type EpochMs,
  isFingerprint,
  printOfFingerprint,
  TickwheelError,
} from "@tickwheel/core";
import { type Caller, type CallPorts, readerOf, requireOperator } from "./caller.js";

const DAY_MS = 86_400_000;

/** Which groups of dead tasks a list shows. */
export interface DeadLetterList {
  type?: string | undefined;
  reasons?: readonly DeadReason[] | undefined;
  error?: string | undefined;
  since?: EpochMs | undefined;
  limit: number;
  after?: DeadGroupPlace | undefined;
}

/** What can be asked of dead tasks by cause, by each kind of caller. Any call may throw `STORE_UNAVAILABLE`. */
export class DeadLetterCalls {
  constructor(private readonly ports: Pick<CallPorts, "deadLetters" | "options">) {}

  /** A page of the groups, those with the most tasks first. */
  async list(
    caller: Caller,
    { type, reasons = [], error, since, limit, after }: DeadLetterList,
  ): Promise<DeadGroupPage> {
    return this.ports.deadLetters.list({
      ...readerOf(caller),
      types: type === undefined ? [] : [type],
      reasons,
      limit,
      error: error ?? null,
      since: since ?? null,
      after: after ?? null,
    });
  }

  /** The group, or null. */
  async get(caller: Caller, type: string, fingerprint: string): Promise<DeadGroupDetails | null> {
    return isFingerprint(fingerprint) ? this.ports.deadLetters.get(this.refOf(caller, type, fingerprint)) : null;
  }

  /**
   * Remembers that somebody has looked at the group now, and tells the audit who.
   *
   * @returns the group
   * @throws TickwheelError `DEAD_LETTERS_NOT_FOUND`, `FORBIDDEN`
   */
  async see(caller: Caller, type: string, fingerprint: string): Promise<DeadGroupDetails> {
    requireOperator(caller);
    const seen = isFingerprint(fingerprint)
      ? await this.ports.deadLetters.see(this.refOf(caller, type, fingerprint), caller.actor)
      : null;
    if (!seen) throw noDeadLetters(type, fingerprint);
    return seen;
  }

  private refOf(caller: Caller, type: string, fingerprint: string): DeadGroupRef {
    const keptMs = this.ports.options.scheduler.deadRetentionDays * DAY_MS;
    return { ...readerOf(caller), type, print: printOfFingerprint(fingerprint), keptMs };
  }
}

export function noDeadLetters(type: string, fingerprint: string): TickwheelError {
  return new TickwheelError("DEAD_LETTERS_NOT_FOUND", `No dead task of ${type} has the cause ${fingerprint}.`);
}
