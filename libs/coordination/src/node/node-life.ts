/** One life of a node: from a `start` to the end of the `stop` that follows. */
export class NodeLife {
  private readonly stopping = new AbortController();
  /** Resolves when the node has joined for the first time, or at the end of its life. */
  readonly joined: Promise<void>;
  readonly ended: Promise<void>;

  /** @param live lives until the signal is aborted, and reports when it has joined */
  constructor(live: (signal: AbortSignal, joined: () => void) => Promise<void>) {
    let joined = (): void => undefined;
    this.joined = new Promise((resolve) => (joined = resolve));
    this.ended = live(this.signal, joined).finally(joined);
  }

  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  stop(): void {
    this.stopping.abort();
  }
}
