import { expect } from "@jest/globals";
import { eventually } from "../eventually.js";
import type { ServerFolder } from "../servers/server-folder.js";

/** A message broker of a test, which listens on 127.0.0.1. */
export interface Broker {
  /** Where clients connect. It stays the same over `restart`. */
  readonly url: string;
  /** SIGKILL. When it is settled, the broker is gone, and connections to its port are refused. */
  kill(): Promise<void>;
  /** SIGSTOP. Connections stay open, new ones are made by the kernel, and nothing is answered. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Starts it again at the same address, after `kill` or instead of it. When it is settled, clients are served. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

const SERVER = "broker";

/**
 * A broker that is one server in a folder of its own. A SIGKILL loses what the server has in its memory. It does not
 * lose what the server has written without fsync: a test cannot tell a broker that syncs from one that does not.
 */
export abstract class FolderBroker implements Broker {
  abstract readonly url: string;

  protected constructor(protected readonly folder: ServerFolder) {
    folder.serverFolder(SERVER);
  }

  /** The folder in which the server works, and which holds its data. It is gone after `stop`. */
  get home(): string {
    return `${this.folder.path}/${SERVER}`;
  }

  /** Starts the server's process. */
  protected abstract launch(): Promise<void>;

  /** @throws while clients are not served */
  protected abstract probe(): Promise<void>;

  async kill(): Promise<void> {
    this.folder.signal("SIGKILL", SERVER);
    await eventually(() => expect(this.folder.isRunning(SERVER)).toBe(false));
  }

  pause(): void {
    this.folder.signal("SIGSTOP", SERVER);
  }

  resume(): void {
    this.folder.signal("SIGCONT", SERVER);
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.launch();
    try {
      await eventually(() => this.probe());
    } catch (error) {
      throw new Error(`the broker does not start:\n${this.logTail()}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    await this.folder.stop();
  }

  /** What the server has written, its last lines. */
  logTail(lines = 30): string {
    return this.folder.logTail(SERVER, lines);
  }

  protected write(name: string, text: string): string {
    return this.folder.write(SERVER, name, text);
  }

  protected async run(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
    await this.folder.run(SERVER, { file, args, env });
  }
}

/** Starts a broker that was just made. Nothing of it is left if it does not start. */
export async function started<B extends Broker>(broker: B): Promise<B> {
  try {
    await broker.restart();
    return broker;
  } catch (error) {
    await broker.stop();
    throw error;
  }
}
