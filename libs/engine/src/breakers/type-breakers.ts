import {
  type AttemptJudge,
  type BootId,
  type Breaker,
  type BreakerChange,
  type BreakerStore,
  type BreakerSubject,
  type Clock,
  type ClaimedTask,
  type ExecutionResult,
  type Telemetry,
  type TypeId,
} from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import type { OpenBreakers } from "./open-breakers.js";

/** A node that may try has this long to start a task. Then the trial takes as long as the task may. */
const TRIAL_MS = 10_000;
/** How long a trial may take beyond its task's time-out: its end is to be written. */
const GRACE_MS = 5_000;
const OPERATION = "changing a breaker";

/** An execution, as breakers know it. */
export interface TriedEntry {
  readonly task: Pick<ClaimedTask, "typeId" | "timeoutMs">;
}

/** What an attempt says of its type; null: nothing. */
type AttemptVerdict = "good" | "failed" | null;

/** What the engine asks of the breakers of types. */
export type Breakers = Pick<TypeBreakers, "admits" | "started" | "ended" | "isOpen" | "spend" | "giveBack">;

/** The breakers of a node without any. */
export const NO_BREAKERS: Breakers = {
  admits: () => true,
  isOpen: () => true,
  started: () => undefined,
  ended: () => undefined,
  spend: () => undefined,
  giveBack: () => undefined,
};

/**
 * What a result says of its type. One that was aborted says nothing, nor does one whose own payload is at fault, that
 * no further attempt can cure, or that has put its task off.
 *
 * @param isAborted whether the execution was aborted, for whatever reason
 */
export function verdictOf(result: ExecutionResult, isAborted: boolean): AttemptVerdict {
  if (isAborted) return null;
  if (result.kind === "succeeded") return "good";
  const isTypes = result.kind === "failed" && result.retryable && result.reason !== "PAYLOAD_INVALID";
  return isTypes ? "failed" : null;
}

interface TypeBreakerParts {
  clock: Clock;
  health: Pick<Health, "attempt">;
  telemetry: Telemetry;
  store: Pick<BreakerStore, "changeBreaker">;
  open: OpenBreakers;
  subjectOf: (typeId: TypeId) => BreakerSubject | null;
  /** Judges the attempts of a type, where its handler wants that; null: nobody does. */
  judgeOf: (typeId: TypeId, opens: () => void) => AttemptJudge | null;
  /** Null: this node is no member just now. */
  bootId: () => BootId | null;
  isPresent: (bootId: BootId) => boolean;
  /** Other nodes should read. */
  announce: () => void;
}

/** This node may try one task. */
interface Trial {
  bootId: BootId;
  /** One is being claimed. */
  isClaiming: boolean;
  /** The execution that is the trial; null: none has started. */
  entry: TriedEntry | null;
  goodUntilMonoMs: number;
}

/**
 * [one-trial]: breakers of types. Where too many attempts fail, nothing of a type starts on any node until its
 * breaker's time is over. Then one node of the cluster tries one task, and its outcome closes the breaker or opens it
 * for twice as long.
 *
 * The row decides who tries. An attempt that says nothing of its type leaves the trial to the next task. Bounded by the
 * types that exist.
 */
export class TypeBreakers {
  private readonly trials = new Map<TypeId, Trial>();
  private readonly judges = new Map<TypeId, AttemptJudge | null>();
  /** Types that this node asks to try just now. */
  private readonly asking = new Set<TypeId>();

  constructor(private readonly parts: TypeBreakerParts) {}

  /** Whether a task of this type may be claimed. Asks to try where the breaker's time is over. */
  isOpen(typeId: TypeId): boolean {
    const breaker = this.breakerOf(typeId);
    if (breaker === null) return true;
    const trial = this.trialOf(typeId);
    if (trial !== null) return trial.entry === null && !trial.isClaiming;
    if (this.mayTry(breaker)) this.tryOut(typeId);
    return false;
  }

  /** A task of this type is being claimed. */
  spend(typeId: TypeId): void {
    const trial = this.trials.get(typeId);
    if (trial) trial.isClaiming = true;
  }

  /** It was not claimed, or will not start. */
  giveBack(typeId: TypeId): void {
    const trial = this.trials.get(typeId);
    if (trial) trial.isClaiming = false;
  }

  /** Whether a claimed task may start: its type's breaker is closed, or it is the trial. */
  admits(typeId: TypeId): boolean {
    return this.breakerOf(typeId) === null || this.trialOf(typeId)?.entry === null;
  }

  /** A claimed task starts, and may be a trial. */
  started(entry: TriedEntry): void {
    const { typeId, timeoutMs } = entry.task;
    if (this.trials.size === 0 || this.breakerOf(typeId) === null) return;
    const trial = this.trialOf(typeId);
    if (trial === null || trial.entry !== null) return;
    const forMs = timeoutMs + GRACE_MS;
    trial.entry = entry;
    trial.goodUntilMonoMs = this.parts.clock.monotonicMs() + forMs;
    void this.change(typeId, { kind: "keep", bootId: trial.bootId, forMs });
  }

  /** An attempt has ended. */
  ended(entry: TriedEntry, verdict: AttemptVerdict): void {
    const { typeId } = entry.task;
    const trial = this.trials.get(typeId);
    if (trial?.entry === entry) return this.endTrial(typeId, trial, verdict);
    if (verdict === null || this.breakerOf(typeId) !== null) return;
    this.judgeOf(typeId)?.add(verdict === "failed");
  }

  stop(): void {
    for (const judge of this.judges.values()) judge?.stop();
    this.judges.clear();
    this.trials.clear();
  }

  private endTrial(typeId: TypeId, trial: Trial, verdict: AttemptVerdict): void {
    trial.entry = null;
    trial.isClaiming = false;
    if (verdict === null) return;
    this.trials.delete(typeId);
    void this.change(typeId, { kind: verdict === "good" ? "succeeded" : "failed", bootId: trial.bootId });
  }

  private judgeOf(typeId: TypeId): AttemptJudge | null {
    let judge = this.judges.get(typeId);
    if (judge === undefined) {
      judge = this.parts.judgeOf(typeId, () => void this.openUp(typeId));
      this.judges.set(typeId, judge);
    }
    return judge;
  }

  private async openUp(typeId: TypeId): Promise<void> {
    const judge = this.judges.get(typeId);
    if (!judge) return;
    await this.change(typeId, { kind: "open", reason: "FAILURES", forMs: judge.openForMs });
    judge.reset();
  }

  private breakerOf(typeId: TypeId): Breaker | null {
    if (this.parts.open.areNone) return null;
    const subject = this.parts.subjectOf(typeId);
    return subject && this.parts.open.of(subject);
  }

  /** This node's trial, as long as it is one. */
  private trialOf(typeId: TypeId): Trial | null {
    const trial = this.trials.get(typeId);
    if (trial === undefined) return null;
    const isMine = this.breakerOf(typeId)?.trialBy === trial.bootId && trial.bootId === this.parts.bootId();
    if (isMine && this.parts.clock.monotonicMs() < trial.goodUntilMonoMs) return trial;
    this.trials.delete(typeId);
    return null;
  }

  /** Its time is over; or who tries is not there any more, which the store checks. */
  private mayTry(breaker: Breaker): boolean {
    if (this.parts.open.isOver(breaker)) return true;
    return breaker.trialBy !== null && !this.parts.isPresent(breaker.trialBy);
  }

  private tryOut(typeId: TypeId): void {
    const bootId = this.parts.bootId();
    if (bootId === null || this.asking.has(typeId)) return;
    const sentMonoMs = this.parts.clock.monotonicMs();
    this.asking.add(typeId);
    void this.change(typeId, { kind: "try", bootId, forMs: TRIAL_MS }, () => {
      const goodUntilMonoMs = sentMonoMs + TRIAL_MS;
      this.trials.set(typeId, { bootId, isClaiming: false, entry: null, goodUntilMonoMs });
    }).finally(() => this.asking.delete(typeId));
  }

  /** @param granted called before anybody else learns of a change that was made */
  private async change(typeId: TypeId, wanted: WantedChange, granted: () => void = () => undefined): Promise<void> {
    const { open, health, store, subjectOf, announce } = this.parts;
    const subject = subjectOf(typeId);
    if (subject === null) return;
    const before = open.of(subject);
    const change: BreakerChange = { subject, ...wanted };
    const done = await health.attempt(
      OPERATION,
      () => store.changeBreaker(change),
      () => open.of(subject) !== null,
    );
    if (!done.ok) return;
    const { changed, breaker } = done.value;
    if (changed) granted();
    open.learn(subject, breaker);
    if (!changed) return;
    this.tell(subject, before, breaker);
    announce();
  }

  private tell({ namespace, name: type }: BreakerSubject, before: Breaker | null, after: Breaker | null): void {
    const { telemetry } = this.parts;
    const facts = { namespace, type };
    if (after === null) {
      const message = `a trial of ${type} has succeeded: its breaker is closed`;
      return telemetry.emit({ name: "breaker.closed", level: "info", message, facts });
    }
    if (after.state === before?.state) return;
    if (after.state === "half") {
      const message = `this node tries one task of ${type}, whose breaker is open`;
      return telemetry.emit({ name: "breaker.half_opened", level: "info", message, facts });
    }
    const why = after.failedTrials > 0 ? `the trial of ${type} has failed, too` : `too many attempts of ${type} fail`;
    const message = `${why}: no node starts any for ${after.openForMs} ms`;
    telemetry.emit({ name: "breaker.opened", level: "warn", message, facts: { ...facts, forMs: after.openForMs } });
  }
}

type WithoutSubject<Change> = Change extends unknown ? Omit<Change, "subject"> : never;
type WantedChange = WithoutSubject<BreakerChange>;
