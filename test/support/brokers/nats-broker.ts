import { debianTool, freePort } from "@tickwheel/local-services";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { ServerFolder } from "../servers/server-folder.js";
import { FolderBroker, started } from "./broker.js";

/** A probe that gets no answer is over after so long. */
const PROBE_MS = 1_000;

/**
 * Debian's NATS server (2.9) with JetStream. Streams with file storage are there again after `kill` and `restart`.
 *
 * @example
 * const broker = await NatsBroker.start();
 * const connection = await connect({ servers: broker.url });
 */
export class NatsBroker extends FolderBroker {
  private constructor(
    folder: ServerFolder,
    private readonly port: number,
  ) {
    super(folder);
  }

  static async start(): Promise<NatsBroker> {
    const port = await freePort();
    return started(new NatsBroker(ServerFolder.make("nats"), port));
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  protected async launch(): Promise<void> {
    const { bin, env } = await debianTool("nats-server");
    const args = ["--addr", "127.0.0.1", "--port", String(this.port), "--jetstream", "--store_dir", "data"];
    await this.run(bin("nats-server"), args, env);
  }

  protected async probe(): Promise<void> {
    const connection = await connect({ servers: this.url, timeout: PROBE_MS, reconnect: false });
    try {
      await jetstreamManager(connection, { timeout: PROBE_MS });
    } finally {
      await connection.close();
    }
  }
}
