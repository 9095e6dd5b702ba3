import { SIZE } from "../integration/postgres-store.tab-plans.size.js";

// The same plans with as many tasks as a large cluster has.
SIZE.pending = 1_000_000;
SIZE.finished = 5_000_000;
await import("../integration/postgres-store.tab-plans.spec.js");
