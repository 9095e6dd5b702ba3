import {
  jsonTextOf,
  type NewTask,
  newBootId,
  newTaskId,
  slotOfKey,
  SlotSet,
  SystemRandom,
  type Task,
} from "@tickwheel/core";
import { type PostgresMajor } from "@tickwheel/local-services";
import { migrate, openPostgres, type OpenPostgresOptions, type PostgresStores } from "@tickwheel/postgres-store";
import { Client } from "pg";
import { OwnPostgres } from "../support/servers/own-postgres.js";

export const NAMESPACE = "default";
const random = new SystemRandom();

/** A server with our schema, and what the tests of one file opened on it. */
export class Scene {
  /** The release that scenes are started with. Default: the newest. */
  static major: PostgresMajor | undefined;
  readonly #clients: Client[] = [];
  readonly #stores: PostgresStores[] = [];

  private constructor(readonly server: OwnPostgres) {}

  static async start(settings: Record<string, string | number | boolean> = {}): Promise<Scene> {
    const all = { fsync: false, track_activity_query_size: 16_384, ...settings };
    const major = Scene.major === undefined ? {} : { major: Scene.major };
    const scene = new Scene(await OwnPostgres.start({ ...major, settings: all }));
    await migrate(scene.server.url);
    return scene;
  }

  /** The stores of one more node. */
  open(options: OpenPostgresOptions = {}): PostgresStores {
    const stores = openPostgres({ url: this.server.url, ...options });
    this.#stores.push(stores);
    return stores;
  }

  /** A session of another program: an application, a second node, a debugger. */
  client(): Promise<Client> {
    return this.session(this.server.url);
  }

  /** The same as superuser, for what no other role may do. */
  superuser(): Promise<Client> {
    return this.session(this.server.superuserUrl);
  }

  /** The same as another role. */
  login(role: string, password: string): Promise<Client> {
    return this.session(this.urlOf(role, password));
  }

  /** The address for another role. */
  urlOf(role: string, password: string): string {
    return Object.assign(new URL(this.server.superuserUrl), { username: role, password }).href;
  }

  private async session(url: string): Promise<Client> {
    const client = new Client({ connectionString: url });
    // A session that the server ends emits an error here as well.
    client.on("error", () => {});
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stores.map((stores) => stores.close()));
    await Promise.all(this.#clients.map((client) => client.end().catch(() => {})));
    await this.server.stop();
  }
}

export async function newType({ tasks }: PostgresStores, type = `type-${newBootId(random)}`): Promise<number> {
  return (await tasks.ensureType({ namespace: NAMESPACE, type, delivery: "handler" })).id;
}

export interface TaskWish extends Partial<NewTask> {
  typeId: number;
  /** Name of the type; needed for a keyed task. */
  type?: string;
}

export function newTask({ type = "", ...wish }: TaskWish): NewTask {
  const slot = wish.key ? slotOfKey(NAMESPACE, type, wish.key) : Math.floor(random.next() * 4_096);
  return {
    id: newTaskId(performance.timeOrigin + performance.now(), slot, random),
    key: null,
    payload: jsonTextOf({ some: "payload" }),
    due: { delayMs: 0 },
    startDeadlineMs: null,
    onConflict: "reject",
    priority: 5,
    maxAttempts: 3,
    backoff: { kind: "fixed", delayMs: 1_000 },
    timeoutMs: 60_000,
    delivery: null,
    actor: "somebody",
    ...wish,
  };
}

/** Writes one task that must be written. */
export async function create({ tasks }: PostgresStores, wish: TaskWish): Promise<Task> {
  const reply = await tasks.create({ namespace: NAMESPACE, tasks: [newTask(wish)] });
  if (reply.kind !== "written" || reply.results[0]!.outcome === "rejected") throw new Error("The task was not written");
  return reply.results[0]!.task;
}

/** A node that may claim. */
export async function joinNode({ cluster }: PostgresStores): Promise<string> {
  const bootId = newBootId(random);
  await cluster.join({ bootId, label: "10.0.0.1:1", version: "0.1.0", roles: ["engine"], typeIds: [] });
  return bootId;
}

export async function lead({ cluster }: PostgresStores, bootId: string) {
  return (await cluster.takeTerm(bootId, await cluster.readTerm()))!;
}

export { SlotSet };
