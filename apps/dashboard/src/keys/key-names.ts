import { type ReadonlySignal, signal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import type { ApiKey, ApiKeyPage, Session } from "../api/wire.js";
import { actorText, keyName } from "./key-words.js";

/** What somebody is called who did something. */
export type ActorName = (actor: string) => string;

type NamedKey = Pick<ApiKey, "id" | "name">;

interface Source {
  session: ReadonlySignal<Pick<Session, "role"> | null>;
  /** Reads the newest keys. */
  read: () => Promise<Answer<ApiKeyPage>>;
}

const nobody: ReadonlyMap<string, string> = new Map();

/**
 * Names those who did something. An administrator reads the newest keys once, when a key is first to be named; a failed
 * reading is tried again when one is next. Others may not list keys: they see the end of a key's id.
 */
export class KeyNames {
  readonly #source: Source;
  readonly #known = signal(nobody);
  #readBy: Pick<Session, "role"> | null = null;

  constructor(source: Source) {
    this.#source = source;
  }

  /** `key:<id>` as the key's name, `user:<name>` as the name; a component that shows it follows what becomes known. */
  of(actor: string): string {
    const session = this.#source.session.value;
    if (session?.role !== "admin") return actorText(actor, nobody);
    const known = this.#known.value;
    if (actor.startsWith("key:") && !known.has(actor.slice("key:".length))) void this.#readOnce(session);
    return actorText(actor, known);
  }

  /** Takes up keys that were read anyway. */
  learn(keys: readonly NamedKey[]): void {
    const known = this.#known.peek();
    const news = keys.filter(({ id, name }) => known.get(id) !== keyName(name));
    if (news.length > 0)
      this.#known.value = new Map([...known, ...news.map(({ id, name }) => [id, keyName(name)] as const)]);
  }

  async #readOnce(session: Pick<Session, "role">): Promise<void> {
    if (this.#readBy === session) return;
    this.#readBy = session;
    const answer = await this.#source.read();
    if (answer.ok) this.learn(answer.value.items);
    else if (this.#readBy === session) this.#readBy = null;
  }
}
