// Made by `npm run generate`.

/** An API key as every edge shows it: never its text. */
export interface ApiKeyFields<Instant> {
  id: string;
  /** What it is called in its namespace; null: it is a first key. */
  name: string | null;
  /** How it begins; null: nobody knows, it is a first key. */
  prefix: string | null;
  role: "viewer" | "operator" | "admin" | "worker";
  /** Whether it has the right `cluster`. */
  cluster: boolean;
  /**
   * What it has besides its role. `payload`: payloads, results and checkpoints as they are, which administrators see
   * anyway.
   */
  rights: readonly "payload"[];
  /**
   * For a `worker`: the types whose tasks it may claim; one that ends with `*` stands for all that begin so. Null: it
   * is no worker.
   */
  types: readonly string[] | null;
  /**
   * Nodes know within 5 s that a key is over. `works`: It may be called with. `ended`: Its end has come. `revoked`:
   * Somebody has revoked it.
   */
  state: "works" | "ended" | "revoked";
  /** When it ends, or has ended; null: it works until it is revoked. */
  expiresAt: Instant | null;
  createdAt: Instant;
  /** `key:<id>`, `user:<name>`, `application`; `system`: it is a first key. */
  createdBy: string;
  revokedAt: Instant | null;
  revokedBy: string | null;
  /** The key that a rotation has made in its place; null: none. */
  replacedBy: string | null;
  /** When it was used last, to within two minutes; null: never. */
  usedAt: Instant | null;
  /** The address from which it was. */
  usedFrom: string | null;
}
