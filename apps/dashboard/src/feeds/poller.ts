/** Whether anybody can see the page. */
export interface Visibility {
  isHidden(): boolean;
  /** Calls `listener` at each change until the returned function is called. */
  onChange(listener: () => void): () => void;
}

export interface Timers {
  /** Calls `due` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, due: () => void): () => void;
}

export interface PollerOptions {
  readonly everyMs: number;
  /** One poll; it may give the milliseconds until the next, where that is not `everyMs`. */
  readonly work: () => Promise<number | undefined>;
  readonly visibility: Visibility;
  readonly timers: Timers;
}

/**
 * Repeats `work` for as long as somebody can see the page.
 *
 * One poll at a time: the next is counted from the end of the last, so a slow node is not asked twice. A hidden page
 * polls nothing; when it is seen again it polls at once. A poll that throws does not end the loop.
 */
export class Poller {
  readonly #options: PollerOptions;
  #isStarted = false;
  #isBusy = false;
  #isAskedAgain = false;
  #cancelTimer = (): void => undefined;
  #stopWatching = (): void => undefined;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stopWatching = this.#options.visibility.onChange(() => this.wake());
    this.wake();
  }

  stop(): void {
    this.#isStarted = false;
    this.#stopWatching();
    this.#cancelTimer();
  }

  /** Polls now; if a poll is under way, once more after it. */
  wake(): void {
    this.#cancelTimer();
    if (!this.#canPoll()) return;
    if (this.#isBusy) this.#isAskedAgain = true;
    else void this.#turn();
  }

  runOnce(): Promise<number | undefined> {
    return this.#options.work();
  }

  async #turn(): Promise<void> {
    let delayMs: number | undefined;
    this.#isBusy = true;
    this.#isAskedAgain = false;
    try {
      delayMs = await this.runOnce();
    } finally {
      this.#isBusy = false;
      if (this.#canPoll()) this.#scheduleNext(delayMs ?? this.#options.everyMs);
    }
  }

  #scheduleNext(delayMs: number): void {
    this.#cancelTimer = this.#options.timers.after(this.#isAskedAgain ? 0 : delayMs, () => this.wake());
  }

  #canPoll(): boolean {
    return this.#isStarted && !this.#options.visibility.isHidden();
  }
}
