import { randomBytes } from "node:crypto";
import { expect } from "@jest/globals";
import { Client } from "pg";
import { eventually } from "../eventually.js";
import { EtcdServer } from "./etcd-server.js";
import { HaProxy } from "./ha-proxy.js";
import { PatroniMember } from "./patroni-member.js";
import { ServerFolder } from "../servers/server-folder.js";

const MEMBERS = ["one", "two", "three"];

/**
 * Three Postgres servers under Patroni, with etcd and HAProxy, all on 127.0.0.1, from Debian's packages.
 *
 * @example
 * const cluster = await stage.add(await PostgresCluster.start({ isSynchronous: true }));
 * const old = await cluster.primary();
 * old.kill();
 * await cluster.otherPrimary(old);
 */
export class PostgresCluster {
  private constructor(
    readonly members: readonly PatroniMember[],
    private readonly parts: { folder: ServerFolder; etcd: EtcdServer; proxy: HaProxy; password: string },
  ) {}

  static async start({ isSynchronous }: { isSynchronous: boolean }): Promise<PostgresCluster> {
    const folder = ServerFolder.make("fail-over");
    try {
      const etcd = await EtcdServer.start(folder);
      const password = randomBytes(12).toString("hex");
      const wishes = { isSynchronous, password, etcdUrl: `http://127.0.0.1:${etcd.port}` };
      const members: PatroniMember[] = [];
      for (const name of MEMBERS) members.push(await PatroniMember.make(name, folder, wishes));
      const proxy = await HaProxy.start(folder, members);
      const cluster = new PostgresCluster(members, { folder, etcd, proxy, password });
      for (const member of members) await member.start();
      await cluster.whole();
      await cluster.createDatabase();
      return cluster;
    } catch (error) {
      await folder.stop();
      throw error;
    }
  }

  get etcd(): EtcdServer {
    return this.parts.etcd;
  }

  /** Leads to the primary, as a role that owns the database and nothing else. */
  get url(): string {
    return this.urlOf({ role: "shop", port: this.parts.proxy.primaryPort });
  }

  /** Leads to a standby. */
  get standbyUrl(): string {
    return this.urlOf({ role: "shop", port: this.parts.proxy.standbyPort });
  }

  /** The member that says it is the primary. */
  async primary(): Promise<PatroniMember> {
    return eventually(async () => {
      const states = await Promise.all(this.members.map((member) => member.state()));
      const leading = this.members.filter((_, place) => isPrimary(states[place] ?? null));
      expect(leading).toHaveLength(1);
      return leading[0]!;
    });
  }

  /** Waits until another member than this is the primary. */
  async otherPrimary(old: PatroniMember): Promise<PatroniMember> {
    return eventually(async () => {
      for (const member of this.members) if (member !== old && isPrimary(await member.state())) return member;
      throw new Error(`no other primary than ${old.name}:\n${this.members.map((each) => each.logTail()).join("\n")}`);
    });
  }

  /** Waits until a primary and two standbys run on one timeline, and commits wait for one where they are to. */
  async whole(): Promise<void> {
    await eventually(async () => {
      const states = await Promise.all(this.members.map((member) => member.state()));
      const told = states.map((state) => `${state?.role} ${state?.state} ${state?.timeline}`);
      const logs = this.members.map((member) => member.logTail()).join("\n");
      const timelines = new Set(states.map((state) => state?.timeline));
      const isWhole =
        states.filter(isPrimary).length === 1 &&
        states.every((state) => state !== null && ["running", "streaming"].includes(state.state)) &&
        timelines.size === 1;
      if (!isWhole) throw new Error(`the cluster is not whole: ${told.join(", ")}\n${logs}`);
    });
  }

  /** What an operator does by hand: another member becomes the primary, in an orderly way. */
  async switchOver(): Promise<void> {
    const { name, restPort } = await this.primary();
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${restPort}/switchover`, {
        method: "POST",
        body: JSON.stringify({ leader: name }),
      });
      const text = await answer.text();
      expect({ status: answer.status, text }).toMatchObject({ status: 200 });
    });
  }

  /** A session of the superuser on one member, past HAProxy. */
  async superuser(member: PatroniMember): Promise<Client> {
    const client = new Client(this.urlOf({ role: "postgres", port: member.port }));
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  async stop(): Promise<void> {
    await this.parts.folder.stop();
    await Promise.all(this.members.map((member) => member.stop()));
  }

  private urlOf({ role, port }: { role: string; port: number }): string {
    return `postgres://${role}:${this.parts.password}@127.0.0.1:${port}/${role}`;
  }

  private async createDatabase(): Promise<void> {
    const client = await this.superuser(await this.primary());
    try {
      await client.query(`CREATE ROLE shop LOGIN PASSWORD '${this.parts.password}'`);
      await client.query("CREATE DATABASE shop OWNER shop");
    } finally {
      await client.end();
    }
  }
}

function isPrimary(state: { role: string; state: string } | null): boolean {
  return state !== null && ["master", "primary"].includes(state.role) && state.state === "running";
}
