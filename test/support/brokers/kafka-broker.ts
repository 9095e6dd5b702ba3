import { readFileSync } from "node:fs";
import { join } from "node:path";
import { debianTool, freePort } from "@tickwheel/local-services";
import { ServerFolder } from "../servers/server-folder.js";
import { FolderBroker, started } from "./broker.js";
import { KafkaRelay } from "./kafka-relay.js";

/** `kcat` is a consumer that has nothing to read, and holds the mock cluster in its process. */
const SETTINGS = {
  "test.mock.num.brokers": 1,
  "topic.metadata.refresh.interval.ms": -1,
  // Its own requests are as rare as can be.
  "fetch.wait.max.ms": 250_000,
  "socket.timeout.ms": 300_000,
};
const ADDRESS = /Mock cluster enabled:.* replaced with 127\.0\.0\.1:(\d+)/;

/**
 * A mock of a Kafka cluster of one broker: that of librdkafka, in a process of Debian's `kcat`. Neither Debian nor
 * npm's registry has a real Kafka. It speaks Kafka's protocol over TCP, in old versions: produce with keys, headers and
 * all acknowledgements, fetch, consumer groups.
 *
 * How it differs from a real Kafka:
 *
 * - It keeps everything in memory. After `kill`, all topics, messages and offsets are lost, also what it acknowledged.
 * - It makes a topic of four partitions when a client first asks for one. There is no unknown topic.
 * - It has no limit for the size of a message, and refuses none.
 * - It keeps 5 MiB of a partition at most, and drops what is older.
 * - It names no controller: administrators and idempotent producers of `kafkajs` find none, and fail.
 * - It does not answer newer clients, such as `@platformatic/kafka`, which want ApiVersions 3 and Metadata 9.
 * - It does not listen at a port of our choice. A relay in the test process stands before it, so `url` stays the same.
 *
 * @example
 * const broker = await KafkaBroker.start();
 * const kafka = new Kafka({ brokers: [broker.url] });
 */
export class KafkaBroker extends FolderBroker {
  private constructor(
    folder: ServerFolder,
    private readonly relay: KafkaRelay,
  ) {
    super(folder);
  }

  static async start(): Promise<KafkaBroker> {
    const relay = new KafkaRelay(await freePort());
    return started(new KafkaBroker(ServerFolder.make("kafka"), relay));
  }

  /** A bootstrap server: host and port. */
  get url(): string {
    return `127.0.0.1:${this.relay.port}`;
  }

  override async kill(): Promise<void> {
    await super.kill();
    await this.relay.close();
  }

  override async stop(): Promise<void> {
    await this.relay.close();
    await super.stop();
  }

  protected async launch(): Promise<void> {
    const { bin, env } = await debianTool("kcat");
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ["-X", `${name}=${value}`]);
    // The address of an earlier start is no longer in the log.
    this.write("log", "");
    await this.run(bin("kcat"), ["-C", "-E", "-q", "-b", "none", "-t", "idle", "-p", "0", ...settings], env);
  }

  protected async probe(): Promise<void> {
    const [, port] = ADDRESS.exec(readFileSync(join(this.home, "log"), "utf8")) ?? [];
    if (!port) throw new Error("it has not told its port");
    await this.relay.open(Number(port));
  }
}
