import { Client } from "pg";

/** What of `pg`'s connection receives the server's log; its types lack it. */
interface Streaming {
  connection: {
    sendCopyFromChunk(chunk: Buffer): void;
    once(event: "replicationStart", listener: () => void): void;
  };
}

/**
 * Receives the server's log as a standby with `hot_standby_feedback` on does, and has the rows kept that its oldest
 * transaction sees. It replays nothing.
 */
export class StandbyFeedback {
  private constructor(private readonly client: Client & Streaming) {}

  /** @param slot the physical slot that it uses; null: none */
  static async receive(url: string, name: string, slot: string | null): Promise<StandbyFeedback> {
    const options = { connectionString: url, replication: "true", application_name: name };
    const client = new Client(options as object) as Client & Streaming;
    client.on("error", () => undefined);
    await client.connect();
    const started = new Promise<void>((resolve) => client.connection.once("replicationStart", resolve));
    const streaming = client.query(`START_REPLICATION ${slot === null ? "" : `SLOT ${slot} `}PHYSICAL 0/1000000`);
    // It ends with the connection.
    await Promise.race([started, streaming]);
    streaming.catch(() => undefined);
    return new StandbyFeedback(client);
  }

  /** Has all rows kept that this transaction or a later one sees. */
  keep(xmin: number): void {
    const message = Buffer.alloc(25);
    message.write("h", 0, "latin1");
    message.writeUInt32BE(xmin, 9);
    this.client.connection.sendCopyFromChunk(message);
  }

  async end(): Promise<void> {
    await this.client.end();
  }
}
