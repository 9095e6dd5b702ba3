import { type Fault, MAX_REDUCER_FIELD_LENGTH, MAX_REDUCERS, REDUCERS, type Reducers } from "@tickwheel/core";
import * as z from "zod";
import { isContainer, oneOfRule, textRule } from "./input-rules.js";
import { ownCopy } from "./input-schema.js";
import { looksLike } from "./input-shape.js";
import { special } from "../shapes/parts.js";

const nameRule = textRule(0, MAX_REDUCER_FIELD_LENGTH);
const reducerRule = oneOfRule(REDUCERS, `must be one of ${REDUCERS.join(", ")}`);

const NO_MAP = 'must be an object that names reducers by field, such as { "bytes": "add" }';
const TOO_MANY = `must name at most ${MAX_REDUCERS} fields`;
const NO_NAME = `must name fields by at most ${MAX_REDUCER_FIELD_LENGTH} characters, without NUL and lone surrogates`;

/**
 * The reducers of a merge by top-level field of the payload: at most 64, each field named by at most 256 characters.
 * A name may be empty or `__proto__`: it is data. A wrong reducer is a fault at its own field.
 *
 * @example { bytes: "add", files: "append" }
 */
export const reducersField = looksLike(
  z.preprocess(
    ownCopy,
    z.custom<Reducers>().check(({ value, issues }) => {
      for (const { path, message } of reducerFaults(value))
        issues.push({ code: "custom", message, path: path === "" ? [] : [path], input: undefined, continue: true });
    }),
  ),
  () =>
    special("JSON", {
      type: "object",
      additionalProperties: { type: "string", enum: REDUCERS },
      maxProperties: MAX_REDUCERS,
    }),
);

/** Paths are within the map; `""` is the map itself. */
function reducerFaults(value: unknown): Fault[] {
  if (!isContainer(value) || Array.isArray(value)) return [{ path: "", message: NO_MAP }];
  const entries = Object.entries(value);
  if (entries.length > MAX_REDUCERS) return [{ path: "", message: TOO_MANY }];
  const faults: Fault[] = entries.some(([name]) => nameRule(name) !== null) ? [{ path: "", message: NO_NAME }] : [];
  for (const [name, reducer] of entries) {
    const message = reducerRule(reducer);
    if (message !== null) faults.push({ path: name, message });
  }
  return faults;
}
