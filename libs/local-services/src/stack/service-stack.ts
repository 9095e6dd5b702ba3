/** Anything that is stopped before the process ends. */
export interface Stoppable {
  stop(): unknown;
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
/** Under npm one Ctrl-C arrives twice: from the terminal and passed on by npm. Later than this it is a second wish. */
const SAME_WISH_MS = 1_000;

/**
 * What a command started, stopped in the opposite order.
 *
 * `stop` may be called at any time and twice; what is added after it is stopped at once. One that fails to stop does
 * not keep the others running: the failures are reported together at the end.
 * @example
 * const stack = new ServiceStack().stopOnExit();
 * const postgres = await stack.add(await startPostgres());
 */
export class ServiceStack {
  readonly #services: Stoppable[] = [];
  #stopped: Promise<void> | undefined;
  #firstSignalMonoMs: number | undefined;

  async add<T extends Stoppable>(service: T): Promise<T> {
    if (this.#stopped) await service.stop();
    else this.#services.push(service);
    return service;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.stopAll();
    return this.#stopped;
  }

  /**
   * For commands: stops everything on SIGINT, SIGTERM and uncaught errors, then ends the process with 130, 143 or 1. A
   * second signal, after more than a second, ends it at once.
   */
  stopOnExit(): this {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => this.onSignal(EXIT_CODES[signal]));
    for (const fault of ["uncaughtException", "unhandledRejection"]) {
      process.on(fault, (error: unknown) => {
        process.stderr.write(`${describe(error)}\n`);
        void this.stopThenExit(1);
      });
    }
    return this;
  }

  private onSignal(code: number): void {
    const nowMonoMs = performance.now();
    this.#firstSignalMonoMs ??= nowMonoMs;
    if (nowMonoMs - this.#firstSignalMonoMs > SAME_WISH_MS) process.exit(code);
    void this.stopThenExit(code);
  }

  private async stopThenExit(code: number): Promise<void> {
    try {
      await this.stop();
    } catch (error) {
      process.stderr.write(`${describe(error)}\n`);
    }
    process.exit(code);
  }

  private async stopAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let service = this.#services.pop(); service; service = this.#services.pop()) {
      try {
        await service.stop();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `Not stopped: ${errors.map(String).join("; ")}`);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
