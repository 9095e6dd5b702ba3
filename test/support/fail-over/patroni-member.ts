import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { debianTool, freePort } from "@tickwheel/local-services";
import { CutProxy } from "../servers/cut-proxy.js";
import type { ServerFolder } from "../servers/server-folder.js";

/** How Patroni's members are told what the whole cluster wants. */
export interface ClusterWishes {
  /** Commits wait for a standby; default of Patroni: they do not. */
  isSynchronous: boolean;
  password: string;
  etcdUrl: string;
}

/** What a member says of itself. */
export interface MemberState {
  state: string;
  role: string;
  timeline?: number;
}

/** Seconds. The shortest time to live that Patroni takes; its own default is 30, with 10 and 10. */
const TTL_SECONDS = 20;
const LOOP_WAIT_SECONDS = 2;
const RETRY_TIMEOUT_SECONDS = 5;
/** A standby that has missed more does not become the primary; Patroni's default is 1 MiB. */
const MOST_LAG_BYTES = 2 ** 24;
const SCOPE = "shop";
const MAJOR = 15;

/**
 * One machine of a Postgres cluster: Debian's Patroni with the Postgres that it runs, and a way to etcd that can be
 * cut.
 */
export class PatroniMember {
  private constructor(
    readonly name: string,
    private readonly folder: ServerFolder,
    private readonly at: { postgres: number; rest: number; wayToEtcd: CutProxy },
  ) {}

  static async make(name: string, folder: ServerFolder, wishes: ClusterWishes): Promise<PatroniMember> {
    const wayToEtcd = await CutProxy.to(wishes.etcdUrl);
    folder.serverFolder(name);
    const member = new PatroniMember(name, folder, { postgres: await freePort(), rest: await freePort(), wayToEtcd });
    folder.write(name, "patroni.json", JSON.stringify(await member.settings(wishes)));
    return member;
  }

  get port(): number {
    return this.at.postgres;
  }

  get restPort(): number {
    return this.at.rest;
  }

  /** Starts Patroni, which starts its Postgres: a new one, a copy of the primary, or the one that was here before. */
  async start(): Promise<void> {
    const { bin, env, root } = await debianTool("patroni");
    // A private package brings Python if the machine has none; its modules are found nowhere but in its folder.
    const own = join(root, "usr/bin/python3");
    const python = existsSync(own) ? own : "/usr/bin/python3";
    const modules = join(root, "usr/lib/python3/dist-packages");
    const postgres = await debianTool(`postgresql-${MAJOR}`);
    const libraries = [env.LD_LIBRARY_PATH, postgres.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
    await this.folder.run(this.name, {
      file: python,
      args: [bin("patroni"), "patroni.json"],
      env: { PATH: postgres.env.PATH, LD_LIBRARY_PATH: libraries, PYTHONPATH: modules, LC_ALL: "C.UTF-8" },
    });
  }

  /** The machine dies: SIGKILL to Patroni and to all of its Postgres. */
  kill(): void {
    this.folder.signal("SIGKILL", this.name);
  }

  /** The machine stands still: nothing of it runs, and its connections stay open. */
  pause(): void {
    this.folder.signal("SIGSTOP", this.name);
  }

  resume(): void {
    this.folder.signal("SIGCONT", this.name);
  }

  cutFromEtcd(): void {
    this.at.wayToEtcd.cut();
  }

  healEtcd(): void {
    this.at.wayToEtcd.heal();
  }

  /** Null: it does not answer. */
  async state(): Promise<MemberState | null> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.restPort}/patroni`, { signal: AbortSignal.timeout(1_000) });
      return (await answer.json()) as MemberState;
    } catch {
      return null;
    }
  }

  async stop(): Promise<void> {
    await this.at.wayToEtcd.stop();
  }

  logTail(): string {
    return this.folder.logTail(this.name);
  }

  private async settings({ isSynchronous, password }: ClusterWishes): Promise<object> {
    const { bin } = await debianTool(`postgresql-${MAJOR}`);
    const own = join(this.folder.path, this.name);
    const [rest, address] = [this.restPort, this.port].map((port) => `127.0.0.1:${port}`);
    return {
      scope: SCOPE,
      name: this.name,
      restapi: { listen: rest, connect_address: rest },
      // The second version of etcd's API: with the third, Patroni 3.0 renews the leader's key without looking who holds
      // it, so a primary that stood still for longer than its time to live takes the key back from the new primary.
      // By the proxy alone: otherwise Patroni asks etcd for its addresses and goes there past the way that is cut.
      etcd: { use_proxies: true, hosts: [new URL(this.at.wayToEtcd.url).host] },
      bootstrap: {
        dcs: {
          ttl: TTL_SECONDS,
          loop_wait: LOOP_WAIT_SECONDS,
          retry_timeout: RETRY_TIMEOUT_SECONDS,
          synchronous_mode: isSynchronous,
          maximum_lag_on_failover: MOST_LAG_BYTES,
          postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, shared_buffers: "64MB" } },
        },
        initdb: [{ encoding: "UTF8" }, "data-checksums"],
      },
      postgresql: {
        listen: address,
        connect_address: address,
        data_dir: join(own, "data"),
        bin_dir: dirname(bin("postgres")),
        pgpass: join(own, "pgpass"),
        remove_data_directory_on_rewind_failure: true,
        authentication: Object.fromEntries(
          ["superuser", "replication", "rewind"].map((role) => [
            role,
            { username: role === "superuser" ? "postgres" : role, password },
          ]),
        ),
        parameters: { unix_socket_directories: own },
        pg_hba: ["all all", "replication replication"].map((who) => `host ${who} 127.0.0.1/32 scram-sha-256`),
      },
    };
  }
}
