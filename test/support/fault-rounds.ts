/** How often a fault is tried that is tried in rounds: `TICKWHEEL_FAULT_ROUNDS`, default 1. */
export const FAULT_ROUNDS = Math.max(1, Math.trunc(Number(process.env["TICKWHEEL_FAULT_ROUNDS"] ?? 1)) || 1);
