import {
  type ApiKeyChange,
  type ApiKeyPage,
  type ApiKeyRecord,
  type ApiKeyReply,
  type ApiKeyState,
  type ApiKeyStore,
  type EpochMs,
  hasRole,
  MAX_DELAY_MS,
  parseDurationMs,
  type Role,
  TickwheelError,
} from "@tickwheel/core";
import {
  apiKeyChangesInput,
  apiKeyInput,
  requireInput,
  revokeApiKeyInput,
  roleFaults,
  rotateApiKeyInput,
  throwFaults,
} from "@tickwheel/contract";
import { hashApiKey, newApiKey, prefixOf } from "../keys/api-key-text.js";
import { type Caller, type CallPorts, requireAdmin } from "./caller.js";

/** For so long an old key works beside the one that replaces it, in milliseconds: a day. */
const USUAL_OVERLAP_MS = 86_400_000;

/** A key that was made. */
export interface MadeApiKey {
  /** Its text: shown once, and known to nobody afterwards. */
  key: string;
  apiKey: ApiKeyRecord;
}

/** Which keys a list shows. */
export interface ApiKeyList {
  states?: readonly ApiKeyState[] | undefined;
  limit: number;
  before?: string | undefined;
}

type Ports = Pick<CallPorts, "operations"> & { readonly apiKeys: ApiKeyStore };

/**
 * What can be asked of the API keys of a namespace, by each kind of caller. `given` is unchecked: its rules stand in
 * the contract's `key-input.ts`. Every call but {@link own} throws `FORBIDDEN` to a caller who is no administrator, or
 * who would give a role or a right that he has not, and any call `STORE_UNAVAILABLE`: whether a change was made is then
 * unknown.
 */
export class ApiKeyCalls {
  constructor(private readonly ports: Ports) {}

  /** Makes a key. @throws TickwheelError `VALIDATION_FAILED` with every fault, `KEY_EXISTS` */
  async create(caller: Caller, given: unknown): Promise<MadeApiKey> {
    requireAdmin(caller);
    const { name, role, cluster, rights, types, expiresAt } = requireInput(apiKeyInput, given);
    const may = { role, cluster: cluster ?? false, rights: rights ?? [], types: types ?? null };
    requireOwnRights(caller, may);
    const key = newApiKey();
    const end = this.endOf(expiresAt);
    const { namespace, actor } = caller;
    const made = { namespace, name, ...may, expiresAt: end, hash: hashApiKey(key), prefix: prefixOf(key) };
    const apiKey = await this.ports.apiKeys.create(made, actor);
    if (apiKey === null) throw new TickwheelError("KEY_EXISTS", `There is a key with the name ${name}.`);
    return { key, apiKey };
  }

  /** A page of the keys, the newest first. */
  async list(caller: Caller, { states = [], limit, before }: ApiKeyList): Promise<ApiKeyPage> {
    requireAdmin(caller);
    const { namespace } = caller;
    return this.ports.apiKeys.list({ namespace, states, limit, before: before ?? null });
  }

  /** The key, or null. */
  async get(caller: Caller, id: string): Promise<ApiKeyRecord | null> {
    requireAdmin(caller);
    return this.ports.apiKeys.get({ namespace: caller.namespace, id });
  }

  /** The key that the call comes with; null: it comes with none. */
  async own({ namespace, reader }: Caller): Promise<ApiKeyRecord | null> {
    return reader === undefined ? null : this.ports.apiKeys.get({ namespace, id: reader });
  }

  /**
   * Changes name and end of a key that works, and the types of a worker's.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `KEY_NOT_FOUND`, `KEY_EXISTS`, `LAST_ADMIN_KEY`
   */
  async update(caller: Caller, id: string, given: unknown): Promise<ApiKeyRecord> {
    requireAdmin(caller);
    const { name, types, expiresAt } = requireInput(apiKeyChangesInput, given);
    const end = expiresAt === undefined ? {} : { expiresAt: this.endOf(expiresAt) };
    // The role of a key never changes, so it may be read before the change.
    if (types != null) throwFaults(roleFaults({ ...(await this.existing(caller, id)), types }));
    const changes = { ...(name != null && { name }), ...(types != null && { types }), ...end };
    return this.change(caller, id, { kind: "update", ...changes });
  }

  /**
   * Makes a key of the same name; the old one works beside it for a while. A worker's keeps its types.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `KEY_NOT_FOUND`, `KEY_EXISTS`: it was rotated already,
   *   `LAST_ADMIN_KEY`
   */
  async rotate(caller: Caller, id: string, given: unknown = {}): Promise<MadeApiKey> {
    requireAdmin(caller);
    const { overlap, expiresAt, ...asked } = requireInput(rotateApiKeyInput, given);
    const may = mayNext(await this.existing(caller, id), asked);
    throwFaults(roleFaults(may));
    requireOwnRights(caller, may);
    const key = newApiKey();
    const next = { hash: hashApiKey(key), prefix: prefixOf(key), expiresAt: this.endOf(expiresAt), ...may };
    const overlapMs = overlap == null ? USUAL_OVERLAP_MS : parseDurationMs(overlap)!;
    return { key, apiKey: await this.change(caller, id, { kind: "rotate", overlapMs, next }) };
  }

  /**
   * Revokes a key and its sessions, on all nodes within seconds. One that is revoked stays as it is.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `KEY_NOT_FOUND`, `LAST_ADMIN_KEY`, `OWN_KEY`: the
   *   caller calls with it, and has not said `self: true`
   */
  async revoke(caller: Caller, id: string, given: unknown = {}): Promise<ApiKeyRecord> {
    requireAdmin(caller);
    const { reason, self } = requireInput(revokeApiKeyInput, given ?? {});
    if (caller.reader === id.toLowerCase() && self !== true) throw ownKey();
    return this.change(caller, id, { kind: "revoke", reason: reason ?? null });
  }

  private async existing({ namespace }: Caller, id: string): Promise<ApiKeyRecord> {
    const found = await this.ports.apiKeys.get({ namespace, id });
    if (found === null) throw noApiKey(id);
    return found;
  }

  private async change({ namespace, actor }: Caller, id: string, change: Unsigned): Promise<ApiKeyRecord> {
    const reply = await this.ports.apiKeys.change({ namespace, id }, { ...change, actor });
    if (reply.outcome !== "done") throw refusalOf(id, reply.outcome);
    return reply.key;
  }

  /** @throws TickwheelError `VALIDATION_FAILED` */
  private endOf(expiresAt: EpochMs | null | undefined): EpochMs | null {
    if (expiresAt == null) return null;
    const aheadMs = expiresAt - this.ports.operations.nowMs();
    if (aheadMs <= 0) throwFaults([{ path: "expiresAt", message: "must be in the future" }]);
    if (aheadMs > MAX_DELAY_MS)
      throwFaults([{ path: "expiresAt", message: "must be at most 100 years in the future" }]);
    return expiresAt;
  }
}

/** A change without who asks for it. */
type Unsigned = ApiKeyChange extends infer Change
  ? Change extends ApiKeyChange
    ? Omit<Change, "actor">
    : never
  : never;

type Rights = Pick<ApiKeyRecord, "role" | "cluster" | "rights" | "types">;

/** What the next key may do: as the old one where nothing else is asked for. Types are a worker's alone. */
function mayNext(old: Rights, asked: { [Name in keyof Rights]?: Rights[Name] | null | undefined }): Rights {
  const role = asked.role ?? old.role;
  const types = asked.types ?? (role === "worker" ? old.types : null);
  return { role, cluster: asked.cluster ?? old.cluster, rights: asked.rights ?? old.rights, types };
}

/** @throws TickwheelError `FORBIDDEN` */
function requireOwnRights(caller: Caller, { role, cluster }: { role: Role; cluster: boolean }): void {
  if (!hasRole({ role: caller.rights }, role))
    throw new TickwheelError("FORBIDDEN", `Nobody gives a role that he has not: ${role}.`);
  if (cluster && caller.cluster !== true)
    throw new TickwheelError("FORBIDDEN", "Nobody gives a right that he has not: cluster.");
}

/** What is thrown where a namespace has no such key. */
export function noApiKey(id: string): TickwheelError {
  return new TickwheelError("KEY_NOT_FOUND", `There is no API key ${id}.`);
}

function ownKey(): TickwheelError {
  return new TickwheelError("OWN_KEY", "This is the key that the call comes with: say self: true if you mean it.");
}

function refusalOf(id: string, outcome: Exclude<ApiKeyReply["outcome"], "done">): TickwheelError {
  switch (outcome) {
    case "not_found":
      return noApiKey(id);
    case "over":
      return new TickwheelError("KEY_NOT_FOUND", `The API key ${id} is revoked or has ended.`);
    case "exists":
      return new TickwheelError("KEY_EXISTS", "Another key has this name, or has replaced this one already.");
    case "last_admin":
      return new TickwheelError(
        "LAST_ADMIN_KEY",
        "No administrator's key without an end would be left in the namespace.",
      );
  }
}
