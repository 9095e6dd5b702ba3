import { nullable, object, wide } from "../shapes/parts.js";

/** The lateness of many starts. */
export const lateness = nullable(object("Lateness", { p50: wide(), p99: wide(), max: wide() }));
