import { SIZE } from "../integration/postgres-store.tab-plans.size.js";

// The same plans with as many tasks as a large cluster has.
SIZE.pending = 1_000_000;
SIZE.finished = 5_000_000;
for (const plans of ["tab-plans"]) await import(`../integration/postgres-store.${plans}.spec.js`);
