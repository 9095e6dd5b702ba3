import { TickwheelError } from "@tickwheel/core";
import { parseBounded, withoutMark } from "../bodies/request-body.js";

/** The limit of a body that holds one key. */
export const MAX_BODY_BYTES = 4_096;
const LIMITS = { bytes: MAX_BODY_BYTES, values: 100 };
const WANTED = 'must be { "key": "<API key>" }';

/** The key in the body of a log-in. @throws TickwheelError `VALIDATION_FAILED`, never with what the body holds */
export function keyOfBody(text: string): string {
  const json = withoutMark(text);
  const body: unknown = json === "" ? null : parseBounded(json, LIMITS);
  const { key, ...others } = Object(body) as Record<string, unknown>;
  if (typeof key === "string" && Object.keys(others).length === 0) return key;
  throw new TickwheelError("VALIDATION_FAILED", `The body ${WANTED}.`, { faults: [{ path: "", message: WANTED }] });
}
