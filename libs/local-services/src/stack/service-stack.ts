import { EXIT_CODES, exitProcess } from "./exit-process.js";

/** Anything that is stopped before the process ends. */
export interface Stoppable {
  stop(): unknown;
}

/** Under npm one Ctrl-C arrives twice: from the terminal and passed on by npm. Later than this it is a second wish. */
const SAME_WISH_MS = 1_000;
/** How many uncaught errors are told: where telling one makes the next, it comes to an end. */
const TOLD_FAULTS = 10;

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
  #ending: Promise<never> | undefined;
  #firstSignalMonoMs: number | undefined;
  #faults = 0;

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
   * For commands: stops everything on SIGINT, SIGTERM, SIGHUP (the terminal was closed) and uncaught errors, then ends
   * the process with 130, 143, 129 or 1. A second signal, after more than a second, ends it at once. An error that
   * cannot be told ends it too; further ones, during the stop, leave the stop alone.
   */
  stopOnExit(): this {
    for (const [signal, code] of Object.entries(EXIT_CODES)) process.on(signal, () => this.onSignal(code));
    for (const fault of ["uncaughtException", "unhandledRejection"])
      process.on(fault, (error: unknown) => this.onFault(error));
    return this;
  }

  /** For commands: stops everything, then ends the process. If it is called again, the first code counts. */
  stopThenExit(code: number): Promise<never> {
    this.#ending ??= this.stopAndExit(code);
    return this.#ending;
  }

  private onFault(error: unknown): void {
    this.#faults += 1;
    if (this.#faults <= TOLD_FAULTS) tell(error);
    void this.stopThenExit(1);
  }

  private onSignal(code: number): void {
    const nowMonoMs = performance.now();
    this.#firstSignalMonoMs ??= nowMonoMs;
    if (nowMonoMs - this.#firstSignalMonoMs > SAME_WISH_MS) exitProcess(code);
    void this.stopThenExit(code);
  }

  private async stopAndExit(code: number): Promise<never> {
    try {
      await this.stop();
    } catch (error) {
      tell(error);
    }
    exitProcess(code);
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

function tell(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
}
