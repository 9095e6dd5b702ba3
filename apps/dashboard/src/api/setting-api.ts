import type { Answer, ApiClient } from "./api-client.js";
import type { NamespaceChange, NamespaceDetails, TypeChange, TypeDetails } from "./wire.js";

/** A pause as it is asked for. */
export interface PauseBody {
  readonly reason: string;
  readonly until?: string;
}

/** How often tasks may start in the whole cluster; without `burst`: a second's starts at once. */
export interface RateBody {
  readonly count: number;
  readonly per: number | string;
  readonly burst?: number;
}

/** The limits of a type or a namespace in the whole cluster; null: it has none. */
export interface LimitsBody {
  readonly maxRunning: number | null;
  readonly rate: RateBody | null;
}

/** What is set of a type; null: what there is by default. Durations are milliseconds or texts. */
export interface TypeChangesBody extends LimitsBody {
  readonly concurrency: number | null;
  readonly keepSucceeded: number | string | null;
  readonly keepCancelled: number | string | null;
  readonly keepDead: number | string | null;
}

/** The calls about what people set at run time, one method each. */
export class SettingApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  pauseType(type: string, body: PauseBody): Promise<Answer<TypeChange>> {
    return this.#client.call({ method: "POST", path: `${pathOf(type)}/pause`, body });
  }

  resumeType(type: string): Promise<Answer<TypeChange>> {
    return this.#client.call({ method: "POST", path: `${pathOf(type)}/resume` });
  }

  updateType(type: string, body: TypeChangesBody): Promise<Answer<TypeChange>> {
    return this.#client.call({ method: "PATCH", path: pathOf(type), body });
  }

  /** Its tasks start again on all nodes, within some seconds. */
  closeBreaker(type: string): Promise<Answer<TypeDetails>> {
    return this.#client.call({ method: "POST", path: `${pathOf(type)}/breaker/close` });
  }

  /** The limits and the pause of the namespace whose key it is. */
  namespace(): Promise<Answer<NamespaceDetails>> {
    return this.#client.call({ method: "GET", path: namespacePath });
  }

  updateNamespace(body: LimitsBody): Promise<Answer<NamespaceChange>> {
    return this.#client.call({ method: "PATCH", path: namespacePath, body });
  }
}

const namespacePath = "/namespace";

function pathOf(type: string): string {
  return `/types/${encodeURIComponent(type)}`;
}
