import { Inject, Injectable } from "@nestjs/common";
import { ApiKeyCalls, type ApiKeyFields, isoInstant, type MadeApiKey, noApiKey, toApiKeyView } from "@tickwheel/calls";
import type { KEY_OPERATIONS } from "@tickwheel/contract/operations";
import type { ApiKeyRecord } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { KeyRates } from "../keys/key-rates.js";

type Rows = (typeof KEY_OPERATIONS)["rows"];

/** A key as an answer shows it. */
type ShownApiKey = ApiKeyFields<string> & { perSecondHere: number };

/** A key that was made: the only answer that holds its text. */
interface MadeApiKeyView {
  key: string;
  apiKey: ShownApiKey;
}

/** The calls about API keys, as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class ApiKeyApiService implements Calls<Rows> {
  private readonly calls: ApiKeyCalls;

  constructor(
    @Inject(API_NODE) node: DelayTaskNode,
    private readonly rates: KeyRates,
  ) {
    this.calls = new ApiKeyCalls(node);
  }

  async createApiKey({ apiKey, body }: Call): Promise<MadeApiKeyView> {
    return this.shownOnce(await this.calls.create(callerOf(apiKey), body));
  }

  async apiKeys({
    apiKey,
    query,
  }: Pick<Call<Rows["apiKeys"]>, "apiKey" | "query">): Promise<{ items: ShownApiKey[]; nextCursor: string | null }> {
    const { state: states, cursor: before, limit } = query;
    const { keys, next } = await this.calls.list(callerOf(apiKey), { states, limit, before });
    return { items: keys.map((key) => this.shown(key)), nextCursor: next };
  }

  async ownApiKey({ apiKey }: Call): Promise<ShownApiKey> {
    return this.shownOr(await this.calls.own(callerOf(apiKey)), "self");
  }

  async apiKey({ apiKey, at }: Call): Promise<ShownApiKey> {
    return this.shownOr(await this.calls.get(callerOf(apiKey), at), at);
  }

  async updateApiKey({ apiKey, at, body }: Call): Promise<ShownApiKey> {
    return this.shown(await this.calls.update(callerOf(apiKey), at, body));
  }

  async rotateApiKey({ apiKey, at, body }: Call): Promise<MadeApiKeyView> {
    return this.shownOnce(await this.calls.rotate(callerOf(apiKey), at, body));
  }

  async revokeApiKey({ apiKey, at, body }: Call): Promise<ShownApiKey> {
    return this.shown(await this.calls.revoke(callerOf(apiKey), at, body));
  }

  private shown(key: ApiKeyRecord): ShownApiKey {
    return { ...toApiKeyView(key, isoInstant), perSecondHere: this.rates.perSecond(key.id) };
  }

  /** @throws TickwheelError `KEY_NOT_FOUND` */
  private shownOr(key: ApiKeyRecord | null, id: string): ShownApiKey {
    if (key === null) throw noApiKey(id);
    return this.shown(key);
  }

  private shownOnce({ key, apiKey }: MadeApiKey): MadeApiKeyView {
    return { key, apiKey: this.shown(apiKey) };
  }
}
