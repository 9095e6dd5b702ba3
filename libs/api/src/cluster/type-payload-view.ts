import type { TypePolicy } from "@tickwheel/core";

/** What the nodes that run a type announce of its payloads. */
export interface TypePayloadView {
  type: string;
  /** JSON Schema (draft 2020-12). Null: none is announced, or this node has not read it yet. */
  payloadSchema: object | null;
  /** Of new payloads; null: they have none. */
  payloadVersion: number | null;
}

/** Of a type that nobody runs all is null. */
export function toTypePayload(
  type: string,
  { payloadSchema, payloadVersion }: Pick<TypePolicy, "payloadSchema" | "payloadVersion"> = {},
): TypePayloadView {
  return { type, payloadSchema: parsed(payloadSchema), payloadVersion: payloadVersion ?? null };
}

function parsed(text: string | undefined): object | null {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    // Another node's library has made it.
    return null;
  }
}
