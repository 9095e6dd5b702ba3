import { nullable, number, object } from "../shapes/parts.js";

/** The lateness of many starts. */
export const lateness = nullable(object("Lateness", { p50: number(), p99: number(), max: number() }));
