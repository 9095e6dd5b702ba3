import type { Answer, ApiClient } from "./api-client.js";
import type { TypeChange } from "./wire.js";

/** A pause as it is asked for. */
export interface PauseBody {
  readonly reason: string;
  readonly until?: string;
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

  /** @param concurrency null: as its handler says */
  updateType(type: string, concurrency: number | null): Promise<Answer<TypeChange>> {
    return this.#client.call({ method: "PATCH", path: pathOf(type), body: { concurrency } });
  }
}

function pathOf(type: string): string {
  return `/types/${encodeURIComponent(type)}`;
}
