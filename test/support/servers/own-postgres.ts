import {
  type PostgresService,
  type ShutdownMode,
  startPostgres,
  type StartPostgresOptions,
} from "@tickwheel/local-services";
import { urlForSpecs } from "./test-role.mjs";

/**
 * A Postgres server that one spec file has for itself: it may kill it and change its settings.
 *
 * @example postgres = await OwnPostgres.start({ settings: { fsync: false } });
 */
export class OwnPostgres implements Pick<PostgresService, keyof PostgresService> {
  private constructor(
    private readonly service: PostgresService,
    /**
     * For nodes and specs: the superuser's, or with `TICKWHEEL_TEST_ROLE=owner` that of the role that owns our schema.
     */
    readonly url: string,
  ) {}

  /** @param options of `startPostgres` */
  static async start(options: StartPostgresOptions = {}): Promise<OwnPostgres> {
    const service = await startPostgres(options);
    try {
      return new OwnPostgres(service, await urlForSpecs(service.url));
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  /** The superuser's, of the same database: for what no other role may do. Nodes are not given it. */
  get superuserUrl(): string {
    return this.service.url;
  }

  get port(): number {
    return this.service.port;
  }

  get dataDir(): string {
    return this.service.dataDir;
  }

  get version(): string {
    return this.service.version;
  }

  get pid(): number {
    return this.service.pid;
  }

  /** Makes a database unless it exists. @returns its url, for nodes and specs */
  async createDatabase(name: string): Promise<string> {
    return urlForSpecs(await this.service.createDatabase(name));
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  kill(): Promise<void> {
    return this.service.kill();
  }

  restart(options: { mode?: ShutdownMode } = {}): Promise<void> {
    return this.service.restart(options);
  }

  logTail(lines?: number): string {
    return this.service.logTail(lines);
  }
}
