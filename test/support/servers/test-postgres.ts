import { join } from "node:path";
import { attachOrStartPostgres } from "@tickwheel/local-services";
import { Client } from "pg";
import { OwnPostgres } from "./own-postgres.js";
import { urlForSpecs } from "./test-role.mjs";

/** What a spec file needs of a Postgres that it neither kills nor sets up in a way of its own. */
export interface TestPostgres {
  /**
   * The address of an empty database, for nodes and specs: the superuser's, or with `TICKWHEEL_TEST_ROLE=owner` that of
   * the role that owns our schema.
   */
  readonly url: string;
  /** The address of the same database: for what a spec itself needs a superuser for. */
  readonly superuserUrl: string;
  /** Makes another empty database. @returns its url */
  createDatabase(name: string): Promise<string>;
  /** Drops its databases. The server goes on for the files that follow. */
  stop(): Promise<void>;
}

/** Where the runner lets the servers of its workers live; unset: the tests were started without it. */
const SERVERS = process.env["TICKWHEEL_TEST_SERVERS"];
let made = 0;

/**
 * A Postgres for one spec file, safe as it is by default: nodes would tell of a setting that is not. The files that run
 * in one worker, one after the other, share a server, so that not each of them makes a data directory: their databases
 * are apart. Without the runner it is a server of its own.
 */
export async function startTestPostgres(): Promise<TestPostgres> {
  if (SERVERS === undefined) return OwnPostgres.start();
  const folder = join(SERVERS, `postgres-${process.env["JEST_WORKER_ID"] ?? "0"}`);
  const { url: server } = await attachOrStartPostgres(folder, { databaseName: "postgres" });
  return SharedPostgres.open(server);
}

class SharedPostgres implements TestPostgres {
  private readonly names: string[] = [];
  url = "";
  superuserUrl = "";

  private constructor(private readonly server: string) {}

  static async open(server: string): Promise<SharedPostgres> {
    const postgres = new SharedPostgres(server);
    postgres.superuserUrl = await postgres.create("tickwheel");
    postgres.url = await urlForSpecs(postgres.superuserUrl);
    return postgres;
  }

  async createDatabase(name: string): Promise<string> {
    return urlForSpecs(await this.create(name));
  }

  /** Under a name of its own: another file may ask for the same. */
  private async create(wanted: string): Promise<string> {
    const name = `${wanted}_${process.pid}_${Date.now()}_${++made}`;
    await this.ask((client) => client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`));
    this.names.push(name);
    const url = new URL(this.server);
    url.pathname = `/${name}`;
    return url.href;
  }

  async stop(): Promise<void> {
    for (const name of this.names.splice(0))
      await this.ask((client) => client.query(`DROP DATABASE ${client.escapeIdentifier(name)} WITH (FORCE)`));
  }

  private async ask(work: (client: Client) => Promise<unknown>): Promise<void> {
    const client = new Client({ connectionString: this.server });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }
}
