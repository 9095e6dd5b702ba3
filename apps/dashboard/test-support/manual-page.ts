import type { Timers, Visibility } from "../src/feeds/poller.js";

/** A page that the test shows and hides. */
export class ManualVisibility implements Visibility {
  #isHidden = false;
  readonly listeners = new Set<() => void>();

  isHidden(): boolean {
    return this.#isHidden;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  show(isVisible: boolean): void {
    this.#isHidden = !isVisible;
    for (const listener of this.listeners) listener();
  }
}

/** Holds the timers that are set; `fire` lets the next one come due. */
export class ManualTimers implements Timers {
  readonly pending: { delayMs: number; due: () => void }[] = [];

  after(delayMs: number, due: () => void): () => void {
    const timer = { delayMs, due };
    this.pending.push(timer);
    return () => void (this.pending.includes(timer) && this.pending.splice(this.pending.indexOf(timer), 1));
  }

  fire(): void {
    this.pending.shift()?.due();
  }
}

/** Lets every promise that can go on do so. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
