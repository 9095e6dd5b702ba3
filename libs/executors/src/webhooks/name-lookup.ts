import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { Clock } from "@tickwheel/core";
import { type LookUp, type NameSource, type Resolve, ServerNames, SystemNames } from "./name-sources.js";

/** Look-ups under way at once, and how many of them one namespace may have. */
export const LOOKUP_PLACES = { all: 64, perNamespace: 16 };
/** Names that are remembered; beyond that the one is forgotten that was not asked for longest. */
const MAX_NAMES = 1_000;
/** For how long a failure is remembered, in milliseconds. */
const FAILURE_MS = 5_000;

export interface NameLookupOptions {
  /** `ip` or `ip:port`. Default: those of the system. */
  nameServers?: readonly string[];
  /** How listed names are looked up. Default: `dns.lookup`. */
  resolve?: Resolve;
}

/** Somebody asks what a name stands for. */
export interface Inquiry {
  name: string;
  /** The operator chose the name, not a stranger: the system is asked. */
  isListed: boolean;
  /** Who pays for the look-up. */
  namespace: string;
  /** Ends the waiting; the look-up goes on for all others who wait. */
  signal: AbortSignal;
  /**
   * Told true where no place is free, and false when the look-up begins. Until then the name's host has had no time.
   */
  onWait?: (isWaiting: boolean) => void;
}

type Outcome = { addresses: LookupAddress[] } | { error: unknown };

interface Asker extends Inquiry {
  settle(outcome: Outcome): void;
}

/** A name that somebody waits for. */
interface Question {
  key: string;
  name: string;
  source: NameSource;
  askers: Set<Asker>;
  /** The look-up and who pays for it; null: no place was free. */
  begun: { lookUp: LookUp; namespace: string } | null;
}

/**
 * What names stand for. A name is looked up once at a time, however many ask; answers and failures are remembered for a
 * while. Look-ups under way are bounded, and each namespace has a share of them: who finds no place waits until one is
 * free, those first whose namespace has the fewest. So names that nobody answers for delay the namespace that asks for
 * them, and no other. A look-up that nobody waits for any more is cancelled.
 */
export class NameLookup {
  private readonly sources: { listed: NameSource; others: NameSource };
  private readonly questions = new Map<string, Question>();
  private readonly remembered = new Map<string, { outcome: Outcome; untilMonoMs: number }>();
  /** Look-ups under way, by namespace. */
  private readonly taken = new Map<string, number>();
  private takenInAll = 0;

  constructor(
    private readonly clock: Clock,
    { resolve = systemLookup, nameServers }: NameLookupOptions = {},
  ) {
    this.sources = { listed: new SystemNames(clock, resolve), others: new ServerNames(clock, nameServers) };
  }

  /** @throws NameError, or what the signal aborts with */
  async addressesOf(inquiry: Inquiry): Promise<LookupAddress[]> {
    inquiry.signal.throwIfAborted();
    const way = inquiry.isListed ? "listed" : "others";
    const key = `${way} ${inquiry.name}`;
    const outcome = this.recall(key) ?? (await this.ask({ key, source: this.sources[way] }, inquiry));
    if ("error" in outcome) throw outcome.error;
    return outcome.addresses;
  }

  /** Cancels what is under way, and forgets all. */
  close(): void {
    const questions = [...this.questions.values()];
    this.remembered.clear();
    for (const question of questions) {
      this.end(question);
      question.begun?.lookUp.cancel();
      for (const asker of question.askers)
        asker.settle({ error: new Error("No name is looked up any more: the node has stopped") });
    }
  }

  private ask({ key, source }: Pick<Question, "key" | "source">, inquiry: Inquiry): Promise<Outcome> {
    return new Promise((resolve) => {
      const { signal } = inquiry;
      const leave = (): void => {
        asker.settle({ error: signal.reason });
        this.leave(question, asker);
      };
      const settle = (outcome: Outcome): void => {
        signal.removeEventListener("abort", leave);
        resolve(outcome);
      };
      const asker = { ...inquiry, settle };
      const question = this.questions.get(key) ?? { key, source, name: inquiry.name, askers: new Set(), begun: null };
      this.questions.set(key, question);
      question.askers.add(asker);
      signal.addEventListener("abort", leave, { once: true });
      if (!question.begun && this.hasPlace(inquiry.namespace)) this.begin(question, inquiry.namespace);
      else if (!question.begun) inquiry.onWait?.(true);
    });
  }

  private leave(question: Question, asker: Asker): void {
    question.askers.delete(asker);
    if (question.askers.size > 0 || !this.end(question)) return;
    question.begun?.lookUp.cancel();
    this.clock.soon(() => this.beginNext());
  }

  private begin(question: Question, namespace: string): void {
    this.take(namespace, 1);
    const lookUp = question.source.lookUp(question.name);
    question.begun = { lookUp, namespace };
    for (const { onWait } of question.askers) onWait?.(false);
    lookUp.found.then(
      ({ addresses, rememberMs }) => this.answer(question, { addresses }, rememberMs),
      (error: unknown) => this.answer(question, { error }, FAILURE_MS),
    );
  }

  private answer(question: Question, outcome: Outcome, rememberMs: number): void {
    if (!this.end(question)) return;
    this.remember(question.key, outcome, rememberMs);
    for (const asker of question.askers) asker.settle(outcome);
    this.clock.soon(() => this.beginNext());
  }

  /** Gives its place back. False: it had ended before. */
  private end(question: Question): boolean {
    if (this.questions.get(question.key) !== question) return false;
    this.questions.delete(question.key);
    if (question.begun) this.take(question.begun.namespace, -1);
    return true;
  }

  private take(namespace: string, places: 1 | -1): void {
    const taken = this.takenBy(namespace) + places;
    this.takenInAll += places;
    if (taken > 0) this.taken.set(namespace, taken);
    else this.taken.delete(namespace);
  }

  /**
   * Once whatever ends at the same time has ended. Goes through all that waits: it is bounded by the node's
   * concurrency.
   */
  private beginNext(): void {
    for (let next = this.next(); next; next = this.next()) this.begin(next.question, next.namespace);
  }

  private next(): { question: Question; namespace: string } | null {
    let best: { question: Question; namespace: string } | null = null;
    for (const question of this.questions.values())
      for (const { namespace } of question.begun ? [] : question.askers) {
        if (!this.hasPlace(namespace)) continue;
        if (!best || this.takenBy(namespace) < this.takenBy(best.namespace)) best = { question, namespace };
      }
    return best;
  }

  private hasPlace(namespace: string): boolean {
    return this.takenInAll < LOOKUP_PLACES.all && this.takenBy(namespace) < LOOKUP_PLACES.perNamespace;
  }

  private takenBy(namespace: string): number {
    return this.taken.get(namespace) ?? 0;
  }

  private recall(key: string): Outcome | null {
    const known = this.remembered.get(key);
    if (!known) return null;
    this.remembered.delete(key);
    if (known.untilMonoMs <= this.clock.monotonicMs()) return null;
    this.remembered.set(key, known);
    return known.outcome;
  }

  private remember(key: string, outcome: Outcome, rememberMs: number): void {
    this.remembered.delete(key);
    this.remembered.set(key, { outcome, untilMonoMs: this.clock.monotonicMs() + rememberMs });
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > MAX_NAMES && oldest !== undefined) this.remembered.delete(oldest);
  }
}
