import type { Answer, ApiClient } from "./api-client.js";
import type {
  ApiKey,
  ApiKeyPage,
  ApiKeyRight,
  ApiKeyRole,
  ApiKeyState,
  NewApiKey,
  PageSession,
  PageSessionPage,
} from "./wire.js";

const rowsAtOnce = 50;

/** A key that is to be made; absent: no right `cluster`, no other right, and no end. Only a worker has `types`. */
export interface NewKeyBody {
  readonly name: string;
  readonly role: ApiKeyRole;
  readonly cluster?: boolean;
  readonly rights?: readonly ApiKeyRight[];
  readonly types?: readonly string[];
  readonly expiresAt?: string;
}

/** What of a key is to be changed; absent: as it is; `expiresAt` null: it works until it is revoked. */
export interface KeyChangesBody {
  readonly name?: string;
  readonly types?: readonly string[];
  readonly expiresAt?: string | null;
}

/** How a key is rotated; absent: 24 h, and what the old one may. */
export interface RotateKeyBody {
  readonly overlap?: string;
  readonly role: ApiKeyRole;
  readonly cluster?: boolean;
  readonly rights?: readonly ApiKeyRight[];
  readonly types?: readonly string[];
}

/** The calls about API keys and the page's sessions, one method each. */
export class KeyApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** One page of the keys, the newest first; `state` absent: any. */
  list(state: ApiKeyState | undefined, cursor?: string): Promise<Answer<ApiKeyPage>> {
    return this.#client.call({ method: "GET", path: "/api-keys", query: { state, limit: rowsAtOnce, cursor } });
  }

  /** The newest of any state, as many as one call gives. */
  newest(): Promise<Answer<ApiKeyPage>> {
    return this.#client.call({ method: "GET", path: "/api-keys", query: { limit: 200 } });
  }

  /** Only its answer has the key itself. */
  create(body: NewKeyBody): Promise<Answer<NewApiKey>> {
    return this.#client.call({ method: "POST", path: "/api-keys", body });
  }

  change(id: string, body: KeyChangesBody): Promise<Answer<ApiKey>> {
    return this.#client.call({ method: "PATCH", path: pathOf(id), body });
  }

  /** Only its answer has the new key itself; the old one works beside it for `overlap`. */
  rotate(id: string, body: RotateKeyBody): Promise<Answer<NewApiKey>> {
    return this.#client.call({ method: "POST", path: `${pathOf(id)}/rotate`, body });
  }

  /** @param body `self`: it may be the key of this call */
  revoke(id: string, body: { readonly reason?: string; readonly self?: boolean }): Promise<Answer<ApiKey>> {
    return this.#client.call({ method: "DELETE", path: pathOf(id), body });
  }

  /** One page of the live sessions, the newest first. */
  sessions(cursor?: string): Promise<Answer<PageSessionPage>> {
    return this.#client.call({ method: "GET", path: "/sessions", query: { limit: rowsAtOnce, cursor } });
  }

  endSession(id: string): Promise<Answer<PageSession>> {
    return this.#client.call({ method: "DELETE", path: `/sessions/${encodeURIComponent(id)}` });
  }
}

function pathOf(id: string): string {
  return `/api-keys/${encodeURIComponent(id)}`;
}
