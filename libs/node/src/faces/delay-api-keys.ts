import {
  ApiKeyCalls,
  type ApiKeyChangesInput,
  type ApiKeyInput,
  type ApiKeyView,
  asDate,
  type Caller,
  type MadeApiKey,
  readCall,
  type RotateApiKeyInput,
  toApiKeyView,
} from "@tickwheel/calls";
import type { ApiKeyState } from "@tickwheel/core";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { applicationOf } from "./code-face.js";

/** Which keys a list shows. */
export interface ApiKeyFilter {
  /** Keys in one of these states. Default: any; revoked ones are kept for 400 days. */
  states?: readonly ApiKeyState[];
  /** How many the page holds at most, 1 to 200. Default: 50. */
  limit?: number;
  /** The `next` of the page before. Default: the first page. */
  before?: string;
}

/** A key that was made. */
export interface NewApiKey {
  /** The key itself, `twk_` and 43 characters. Nobody can show it again: what is stored is its hash. */
  key: string;
  apiKey: ApiKeyView;
}

const DEFAULT_LIMIT = 50;

/**
 * The API keys of the application's namespace: each caller of REST or GraphQL from outside has one. A key's role and
 * rights never change: rotate it. The types of a worker's may. Each change is written to the audit; what is revoked
 * works on no node after 5 s. No call joins a transaction. In memory there are none (`UNSUPPORTED`).
 *
 * @example
 * const { key } = await delayTasks.apiKeys.create({ name: "shop-backend", role: "operator" });
 * const { apiKeys } = await delayTasks.apiKeys.list({ states: ["works"] });
 */
export class DelayApiKeys {
  private readonly calls: ApiKeyCalls;
  private readonly caller: Caller;

  constructor(node: DelayTaskNode) {
    this.calls = new ApiKeyCalls(node);
    this.caller = applicationOf(node);
  }

  /**
   * Makes a key, and answers it this once.
   *
   * @example
   * await delayTasks.apiKeys.create({ name: "grafana", role: "viewer", expiresAt: "2027-01-01T00:00:00Z" });
   * await delayTasks.apiKeys.create({ name: "image-worker", role: "worker", types: ["image.*"] });
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `KEY_EXISTS`, `STORE_UNAVAILABLE`: whether it was made
   *   is then unknown; a key that nobody was told is revoked by its id
   */
  async create(input: ApiKeyInput): Promise<NewApiKey> {
    return shownOnce(
      await this.calls.create(
        this.caller,
        readCall(() => ({ ...input })),
      ),
    );
  }

  /** A page of the keys, the newest first. @throws TickwheelError `STORE_UNAVAILABLE` */
  async list(filter: ApiKeyFilter = {}): Promise<{ apiKeys: ApiKeyView[]; next: string | null }> {
    const { keys, next } = await this.calls.list(this.caller, { limit: DEFAULT_LIMIT, ...filter });
    return { apiKeys: keys.map((key) => toApiKeyView(key, asDate)), next };
  }

  /** The key, or null. @throws TickwheelError `STORE_UNAVAILABLE` */
  async get(id: string): Promise<ApiKeyView | null> {
    const found = await this.calls.get(this.caller, id);
    return found && toApiKeyView(found, asDate);
  }

  /**
   * Changes name or end of a key that works, or the types of a worker's.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `KEY_NOT_FOUND` (also of one that is revoked or has
   *   ended), `KEY_EXISTS`, `LAST_ADMIN_KEY`, `STORE_UNAVAILABLE`
   */
  async update(id: string, changes: ApiKeyChangesInput): Promise<ApiKeyView> {
    const given = readCall(() => ({ ...changes }));
    return toApiKeyView(await this.calls.update(this.caller, id, given), asDate);
  }

  /**
   * Makes a key of the same name, and answers it this once; the old one works beside it for `overlap` (default 24 h).
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `KEY_NOT_FOUND`, `KEY_EXISTS` (it was rotated
   *   already), `LAST_ADMIN_KEY`, `STORE_UNAVAILABLE`
   */
  async rotate(id: string, options: RotateApiKeyInput = {}): Promise<NewApiKey> {
    const given = readCall(() => ({ ...options }));
    return shownOnce(await this.calls.rotate(this.caller, id, given));
  }

  /**
   * Revokes a key and its sessions, on all nodes within 5 s. One that is revoked stays as it is.
   *
   * @param options `reason`: for the audit, 1 to 1,000 characters; default: none
   * @throws TickwheelError `VALIDATION_FAILED`, `KEY_NOT_FOUND`, `LAST_ADMIN_KEY`, `STORE_UNAVAILABLE`
   */
  async revoke(id: string, options: { reason?: string } = {}): Promise<ApiKeyView> {
    const given = readCall(() => ({ ...options }));
    return toApiKeyView(await this.calls.revoke(this.caller, id, given), asDate);
  }
}

function shownOnce({ key, apiKey }: MadeApiKey): NewApiKey {
  return { key, apiKey: toApiKeyView(apiKey, asDate) };
}
