import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ContestantCommands } from "./contestant-commands.js";
import type { AnswerMessage, CommandMessage } from "./contestant-main.js";
import type { ContestantSetup, HandlerBehaviour } from "./contestant.js";

/** Where a contestant's module is, and on which Node it runs. */
export interface ContestantProgram {
  readonly module: string;
  readonly node: string;
}

type Commands = { [Name in keyof ContestantCommands]: ContestantCommands[Name] };
type Argument<Name extends keyof Commands> = Parameters<Commands[Name]>[0];
type Answer<Name extends keyof Commands> = Awaited<ReturnType<Commands[Name]>>;

const MAIN = join(import.meta.dirname, "contestant-main.js");
/** Millions of tasks that are made in one go need more than Node's default. */
const HEAP_LIMIT_MIB = 8_192;
const CLOSE_LIMIT_MS = 30_000;

/**
 * A contestant in a process of its own. It ends with this process, however that ends. A command that fails, or a
 * process that ends before it has answered, rejects with what it wrote to stderr being there for people to read.
 */
export class ContestantProcess {
  private readonly waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  private lastId = 0;
  private readonly ended: Promise<unknown>;

  private constructor(
    private readonly child: ChildProcess,
    private readonly name: string,
  ) {
    child.on("message", (message) => this.take(message as AnswerMessage));
    this.ended = once(child, "exit").then(([code, signal]) => {
      const error = new Error(`the process of ${name} ended with ${String(signal ?? `code ${code}`)}`);
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    });
  }

  /** Starts the process and waits until the contestant is open. @param setup `handler`: what it does with each task */
  static async start(
    { module, node }: ContestantProgram,
    setup: ContestantSetup & { handler: HandlerBehaviour },
    name: string,
  ): Promise<ContestantProcess> {
    const child = fork(MAIN, [module, JSON.stringify(setup)], {
      execPath: node,
      execArgv: [`--max-old-space-size=${HEAP_LIMIT_MIB}`],
      serialization: "advanced",
      stdio: ["ignore", 2, 2, "ipc"],
    });
    const started = new ContestantProcess(child, name);
    await started.expectAnswer(0);
    return started;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Has the process do something. */
  ask<Name extends keyof Commands & string>(
    name: Name,
    ...[argument]: undefined extends Argument<Name> ? [] : [Argument<Name>]
  ): Promise<Answer<Name>> {
    const id = (this.lastId += 1);
    const answer = this.expectAnswer<Answer<Name>>(id);
    const message: CommandMessage = { id, name, argument };
    // Without a callback, a message to a process that has ended would be an event that nobody takes.
    this.child.send(message, (error) => {
      if (error) this.take({ id, error: error.message });
    });
    return answer;
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  /** Closes the contestant, then ends the process; one that does not close in time is killed. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const timer = setTimeout(() => this.child.kill("SIGKILL"), CLOSE_LIMIT_MS);
    await this.ask("close").catch(() => undefined);
    this.child.kill("SIGKILL");
    await this.ended;
    clearTimeout(timer);
  }

  private expectAnswer<Value>(id: number): Promise<Value> {
    return new Promise((resolve, reject) =>
      this.waiting.set(id, { resolve: resolve as (value: never) => void, reject }),
    );
  }

  private take(message: AnswerMessage): void {
    const expected = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if ("error" in message) expected?.reject(new Error(`${this.name}: ${message.error}`));
    else expected?.resolve(message.value as never);
  }
}
