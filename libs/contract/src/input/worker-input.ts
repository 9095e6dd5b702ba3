import { type ApiKey, type Fault, isBeginning, MAX_WORKER_TYPES, ROLES } from "@tickwheel/core";
import * as z from "zod";
import { list, special } from "../shapes/parts.js";
import { type InputRule, typeRule } from "./input-rules.js";
import { looksLike } from "./input-shape.js";

const NO_TYPES = `must be a list of 1 to ${MAX_WORKER_TYPES} types, each a name or a beginning that ends with *`;

/** A type, or a beginning of types that ends with `*`. */
const claimedRule: InputRule = (value) => {
  const isAll = typeof value === "string" && isBeginning(value);
  const message = typeRule(isAll ? value.slice(0, -1) : value);
  return message === null ? null : `${message}; one * may end it`;
};

/** The types of a worker. A wrong one is a fault at its own place. */
export const workerTypesField = looksLike(
  z.preprocess(
    (value) => (Array.isArray(value) ? value.slice(0, MAX_WORKER_TYPES + 1) : (value as unknown)),
    z.custom<readonly string[]>().check(({ value, issues }) => {
      for (const { path, message } of workerTypesFaults(value))
        issues.push({ code: "custom", message, path: path === "" ? [] : [path], input: undefined, continue: true });
    }),
  ),
  () =>
    list(special("String", { type: "string", pattern: "^(?!\\.{1,2}\\*?$)[A-Za-z0-9._:-]{1,128}\\*?$" }), {
      minItems: 1,
      maxItems: MAX_WORKER_TYPES,
    }),
);

/** What is wrong with the types of a worker. Paths are within the list; `""` is the list itself. */
export function workerTypesFaults(value: unknown): Fault[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_WORKER_TYPES)
    return [{ path: "", message: NO_TYPES }];
  return value.flatMap((type, place) => {
    const message = claimedRule(type);
    return message === null ? [] : [{ path: `[${place}]`, message }];
  });
}

/**
 * What of a key does not go with its role: a worker has types, and no one else; and it has neither the right `cluster`
 * nor one by name. Faults of the types themselves are found by {@link workerTypesFaults}.
 */
export function roleFaults({ role, cluster, rights, types }: Partial<Asked>): Fault[] {
  if (!role || !ROLES.includes(role)) return [];
  const isGiven = types !== undefined && types !== null;
  if (role !== "worker") return isGiven ? [{ path: "types", message: "must be given to a worker alone" }] : [];
  return [
    ...(isGiven ? [] : [NO_TYPES_GIVEN]),
    ...(cluster ? [NO_CLUSTER] : []),
    ...(rights && rights.length > 0 ? [NO_RIGHTS] : []),
  ];
}

type Asked = { [Name in "role" | "cluster" | "rights" | "types"]: ApiKey[Name] | null | undefined };

const NO_TYPES_GIVEN: Fault = { path: "types", message: NO_TYPES };
const NO_CLUSTER: Fault = { path: "cluster", message: "must not be given to a worker" };
const NO_RIGHTS: Fault = {
  path: "rights",
  message: "must not be given to a worker, whose claims show payloads anyway",
};
