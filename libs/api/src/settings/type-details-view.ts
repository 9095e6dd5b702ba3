import { isoInstant, toStandingView, type TypeStanding, type TypeStandingFields } from "@tickwheel/calls";
import type { TypePolicy } from "@tickwheel/core";

/** A type: what the nodes that run it announce of its payloads, and what people have set. */
export interface TypeDetailsView extends TypeStandingFields<string> {
  type: string;
  /** JSON Schema (draft 2020-12). Null: none is announced, or this node has not read it yet. */
  payloadSchema: object | null;
  /** Of new payloads; null: they have none. */
  payloadVersion: number | null;
}

/** @param announced of a type that nobody runs: nothing */
export function toTypeDetails(
  type: string,
  standing: TypeStanding,
  { payloadSchema, payloadVersion }: Pick<TypePolicy, "payloadSchema" | "payloadVersion"> = {},
): TypeDetailsView {
  const payloads = { payloadSchema: parsed(payloadSchema), payloadVersion: payloadVersion ?? null };
  return { type, ...payloads, ...toStandingView(type, standing, isoInstant) };
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
