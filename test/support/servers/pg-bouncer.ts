import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianTool, freePort } from "@tickwheel/local-services";
import { Client } from "pg";
import { eventually } from "../eventually.js";

/**
 * Debian's PgBouncer in transaction mode before a Postgres, with few server connections, so that clients always share
 * them.
 */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async start(target: string, { serverConnections = 3 } = {}): Promise<PgBouncer> {
    const { bin, env } = await debianTool("pgbouncer");
    const { hostname, port, username, password, pathname } = new URL(target);
    const own = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "tickwheel-pgbouncer-"));
    chmodSync(folder, 0o755);
    const file = join(folder, "pgbouncer.ini");
    const database = `host=${hostname} port=${port} user=${username} password=${password} dbname=${pathname.slice(1)}`;
    const settings = [
      "[databases]",
      `* = ${database}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${own}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      "max_client_conn = 200",
      `default_pool_size = ${serverConnections}`,
      "ignore_startup_parameters = extra_float_digits",
    ];
    writeFileSync(file, settings.join("\n"));
    const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    const child = spawn(bin("pgbouncer"), [...asNobody, file], { env: { ...process.env, ...env }, stdio: "ignore" });
    const bouncer = new PgBouncer(child, folder, `postgres://${username}@127.0.0.1:${own}${pathname}`);
    await eventually(() => bouncer.version());
    return bouncer;
  }

  /** Such as `PgBouncer 1.18.0`. */
  async version(): Promise<string> {
    const admin = new URL(this.url);
    admin.pathname = "/pgbouncer";
    const client = new Client({ connectionString: admin.href });
    await client.connect();
    try {
      const { rows } = await client.query("SHOW VERSION");
      return (rows[0] as { version: string }).version;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    if (this.child.exitCode === null) this.child.kill("SIGKILL");
    else return;
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
