import { prettyJson } from "../api/json.js";

/** A task's last error for reading: text as it is, fields as JSON, and a stack in lines after them. */
export function errorTextOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null || !("stack" in error) || typeof error.stack !== "string") {
    return prettyJson(error);
  }
  const { stack, ...fields } = error;
  return Object.keys(fields).length === 0 ? stack : `${prettyJson(fields)}\n\n${stack}`;
}

/** Its first line. Null: there was no error. */
export function errorLineOf(error: unknown): string | null {
  if (error === null || error === undefined) return null;
  return errorTextOf(error).trimStart().split("\n", 1)[0]!;
}
