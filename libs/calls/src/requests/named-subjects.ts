import {
  API_KEY_NAME,
  type ApiKeyStore,
  type Fault,
  isTaskId,
  type JoinedConditions,
  listOf,
  type TaskConditions,
} from "@tickwheel/core";
import type { BatchService } from "@tickwheel/engine";
import { throwFaults } from "@tickwheel/contract";

/** Who knows names. */
export interface NamePorts {
  readonly batches: Pick<BatchService, "get">;
  readonly apiKeys: Pick<ApiKeyStore, "idsByName">;
}

/** Actors whose word could be the name of a key. */
const OTHER_ACTORS: ReadonlySet<string> = new Set(["application", "handler", "system"]);

type Names = Pick<TaskConditions, "batch" | "createdBy" | "not">;

/**
 * A filter whose batch and whose creators are told by their ids: those that are told by a name are looked up once, now.
 * The name of an API key stands for all keys that have it, also for those that were rotated or revoked.
 *
 * @throws TickwheelError `VALIDATION_FAILED`: the namespace keeps no batch, or no API key, of this name
 */
export async function withNamesResolved(
  { also, ...filter }: JoinedConditions,
  namespace: string,
  ports: NamePorts,
): Promise<JoinedConditions> {
  const given: readonly Names[] = [filter, also ?? {}];
  const batches = await Promise.all(given.map((one) => batchOf(one, namespace, ports)));
  const keys = await keysNamedIn(given, namespace, ports);
  throwFaults(given.flatMap((one) => unknownNames(one, keys)));
  const resolved = ({ createdBy, not }: Names, batch: string | undefined) => ({
    ...(batch !== undefined && { batch }),
    ...(createdBy !== undefined && { createdBy: actorsOf(createdBy, keys) }),
    ...(not?.createdBy !== undefined && { not: { ...not, createdBy: actorsOf(not.createdBy, keys) } }),
  });
  const whole = { ...filter, ...resolved(filter, batches[0]) };
  return also === undefined ? whole : { ...whole, also: { ...also, ...resolved(also, batches[1]) } };
}

async function batchOf({ batch: name }: Names, namespace: string, { batches }: NamePorts): Promise<string | undefined> {
  if (name === undefined || isTaskId(name)) return name;
  const batch = await batches.get({ namespace, name });
  if (batch === null) throwFaults([noBatchNamed(name)]);
  return batch!.id;
}

function noBatchNamed(name: string): Fault {
  return { path: "batch", message: `must be the id or the name of a batch: none is called "${name}"` };
}

type KeysByName = ReadonlyMap<string, readonly string[]>;

async function keysNamedIn(given: readonly Names[], namespace: string, { apiKeys }: NamePorts): Promise<KeysByName> {
  const actors = given.flatMap(({ createdBy, not }) => [createdBy, not?.createdBy].flatMap((one) => listOf(one ?? [])));
  const names = [...new Set(actors.filter(isKeyName))];
  return names.length === 0 ? new Map() : apiKeys.idsByName({ namespace, names });
}

function isKeyName(actor: string): boolean {
  return API_KEY_NAME.test(actor) && !OTHER_ACTORS.has(actor);
}

function unknownNames({ createdBy, not }: Names, keys: KeysByName): Fault[] {
  const faultsOf = (path: string, actors: string | readonly string[] = []): Fault[] => {
    const unknown = listOf(actors).filter((actor) => isKeyName(actor) && !keys.has(actor));
    return unknown.map((name) => ({
      path,
      message: `must be an actor, such as key:<id>, or the name of an API key: none is called "${name}"`,
    }));
  };
  return [...faultsOf("createdBy", createdBy), ...faultsOf("not.createdBy", not?.createdBy)];
}

function actorsOf(actors: string | readonly string[], keys: KeysByName): string[] {
  return listOf(actors).flatMap((actor) => keys.get(actor)?.map((id) => `key:${id}`) ?? [actor]);
}
