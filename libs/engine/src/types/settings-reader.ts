import {
  type Clock,
  type ClockTimer,
  compareRevisions,
  type EpochMs,
  type Revision,
  revisionText,
  type SettingStore,
  type Telemetry,
} from "@tickwheel/core";
import { type GoodBeat, type Health, Throttle } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import type { SettingsInForce } from "./settings-in-force.js";

/** A node that no beat tells of changes looks for them this often. */
const LOOK_WITHOUT_BEATS_MS = 5_000;
/** One that is told looks all the same, should anything have been missed. */
const LOOK_WITH_BEATS_MS = 60_000;
/** After a read that failed: nothing is started until one succeeds. */
const RETRY_MS = 250;
/** Messages make a node read this often at most. */
const HINT_PAUSE_MS = 100;
/** The longest that a timer for the end of a pause is set. */
const LONGEST_TIMER_MS = 60_000;

interface ReaderParts {
  clock: Clock;
  health: Health;
  telemetry: Telemetry;
  dbClock: Pick<DbClock, "timeUntilDueMs">;
  store: Pick<SettingStore, "readSettings">;
  inForce: SettingsInForce;
  /** Whether beats tell this node of changes. */
  beats: boolean;
  /**
   * Resolves when what was claimed by older settings does not start any more, and takes the places that new limits
   * give.
   */
  obey: () => Promise<void>;
  /** This node obeys what it has read, and somebody may wait for that. */
  obeyed: () => void;
  /** What this node left alone may run now. */
  changed: () => void;
}

/**
 * [settings-obeyed]: reads the settings when they may have changed, and says which revision this node obeys.
 *
 * A beat answers the revision that was in force. From the moment that it is another one than was read, and from a join
 * or a lost lease on, this node starts nothing until it has read again (`isCurrent`). A later beat may also answer an
 * *earlier* revision than was read: then a promoted standby has lost a change. A beat that was sent before the last
 * read tells nothing: that read is newer.
 *
 * It obeys what it has read when claims that were under way are answered, and what they brought and is paused now is
 * given back.
 */
export class SettingsReader extends PeriodicService {
  /** `sinceMonoMs`: when this revision was read first. */
  private read: { revision: Revision; repliedMonoMs: number; sinceMonoMs: number } | null = null;
  /** How often there was a reason to read; the last read that succeeded serves reasons up to `served`. */
  private reasons = 1;
  private served = 0;
  private obeying: Revision | null = null;
  /** When the first pause ends by itself. */
  private awaitedEnd: EpochMs | null = null;
  private endTimer: ClockTimer | null = null;
  private obeyTimer: ClockTimer | null = null;
  private readonly hints: Throttle;

  constructor(private readonly parts: ReaderParts) {
    super("settings", parts);
    this.hints = new Throttle(parts.clock, HINT_PAUSE_MS, () => this.wake());
  }

  /** Whether nothing tells of settings that this node has not read. */
  get isCurrent(): boolean {
    return this.served === this.reasons;
  }

  /** The revision that this node obeys; null: none yet. */
  get obeyed(): Revision | null {
    return this.obeying;
  }

  /** The revision that was read, and for how long this node has known it; null: nothing was read yet. */
  get known(): { revision: Revision; knownForMs: number } | null {
    if (this.read === null) return null;
    return { revision: this.read.revision, knownForMs: this.parts.clock.monotonicMs() - this.read.sinceMonoMs };
  }

  /** Nothing that was read or obeyed before counts any more: the node has joined, or may not work just now. */
  reset(): void {
    this.obeying = null;
    this.mustRead();
  }

  beatGood({ sentMonoMs, settings }: GoodBeat): void {
    if (this.read === null) return;
    const ahead = compareRevisions(settings, this.read.revision);
    if (ahead > 0 || (ahead < 0 && sentMonoMs > this.read.repliedMonoMs)) this.mustRead();
  }

  /** Somebody says that there may be a change. */
  hinted(): void {
    this.hints.ask();
  }

  override async stop(): Promise<void> {
    this.hints.stop();
    for (const timer of [this.endTimer, this.obeyTimer]) timer?.clear();
    this.endTimer = this.obeyTimer = null;
    await super.stop();
  }

  async runOnce(): Promise<void> {
    const { reasons } = this;
    const settings = await this.parts.store.readSettings();
    const { revision } = settings;
    const isOther = this.read === null || compareRevisions(revision, this.read.revision) !== 0;
    const repliedMonoMs = this.parts.clock.monotonicMs();
    this.read = { revision, repliedMonoMs, sinceMonoMs: isOther ? repliedMonoMs : this.read!.sinceMonoMs };
    const stoodStill = !this.isCurrent;
    this.parts.inForce.take(settings);
    this.served = reasons;
    const hasEnded = this.awaitEnd();
    // A read that brings nothing new must not make the node look for tasks from the start.
    if (isOther || stoodStill || hasEnded) this.parts.changed();
    if (isOther || !this.obeys(revision)) void this.obey(revision);
  }

  protected intervalMs(): number {
    return this.parts.beats ? LOOK_WITH_BEATS_MS : LOOK_WITHOUT_BEATS_MS;
  }

  protected override retryAfterMs(): number {
    return RETRY_MS;
  }

  private mustRead(): void {
    this.reasons++;
    this.wake();
  }

  private async obey(revision: Revision): Promise<void> {
    try {
      await this.parts.obey();
    } catch {
      // The store's failure is told where it was asked.
      this.obeyTimer = this.parts.clock.setTimer(RETRY_MS, () => this.obeyAgain(revision));
      return;
    }
    // A later read has its own way to here, though it may have brought the same.
    if (!this.isRead(revision) || !this.isCurrent) return;
    this.obeying = revision;
    const text = revisionText(revision);
    const message = `This node obeys the settings of revision ${text}`;
    this.parts.telemetry.emit({ name: "settings.obeyed", level: "debug", message, facts: { revision: text } });
    this.parts.obeyed();
  }

  private obeyAgain(revision: Revision): void {
    if (this.isRead(revision)) void this.obey(revision);
  }

  private obeys(revision: Revision): boolean {
    return this.obeying !== null && compareRevisions(this.obeying, revision) === 0;
  }

  private isRead(revision: Revision): boolean {
    return this.read !== null && compareRevisions(this.read.revision, revision) === 0;
  }

  /** Looks again when a pause ends by itself. @returns whether another pause ends first than the one awaited before */
  private awaitEnd(): boolean {
    this.endTimer?.clear();
    this.endTimer = null;
    const { clock, inForce } = this.parts;
    const before = this.awaitedEnd;
    const end = inForce.nextEnd();
    this.awaitedEnd = end;
    if (end !== null) this.endTimer = clock.setTimer(this.timerMs(end), () => this.lookForEnd());
    return end !== before;
  }

  private lookForEnd(): void {
    if (this.awaitEnd()) this.parts.changed();
  }

  private timerMs(end: EpochMs): number {
    return Math.min(LONGEST_TIMER_MS, Math.max(1, Math.ceil(this.parts.dbClock.timeUntilDueMs(end))));
  }
}
