import { type Clock, type ClockTimer, TickwheelError } from "@tickwheel/core";

/** A main loop that has not answered by now may be blocked, and the beat has a second. */
const PATIENCE_MS = 250;

/**
 * A password that a function of the application gives, seen from another thread: each new connection asks for it. Where
 * the main loop does not answer in time, the last good one serves: a blocked loop must not stop the beats.
 */
export class AskedPassword {
  private last: string | undefined;
  private waiting: ((text: string | undefined) => void)[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly ask: () => void,
  ) {}

  async current(): Promise<string> {
    const text = (await this.answer()) ?? this.last;
    if (text === undefined) throw new TickwheelError("STORE_UNAVAILABLE", "The main thread gave no password");
    return text;
  }

  /** @param text undefined: the application's function failed */
  answered(text: string | undefined): void {
    this.last = text ?? this.last;
    for (const resolve of this.waiting.splice(0)) resolve(text);
  }

  private answer(): Promise<string | undefined> {
    return new Promise((resolve) => {
      let timer: ClockTimer | null = null;
      this.waiting.push((text) => {
        timer?.clear();
        resolve(text);
      });
      timer = this.clock.setTimer(PATIENCE_MS, () => resolve(undefined));
      this.ask();
    });
  }
}
