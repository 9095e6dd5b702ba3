// An extend answers, and writes nothing: the consumer is told of more time than it has.
import { MemoryLeaseStore } from "@tickwheel/testing";
import { replaceMethod } from "../replacing.mjs";

export const says = "an extend writes nothing";
export const breaks = ["lease-held-by-one"];

export function plant() {
  replaceMethod(
    MemoryLeaseStore,
    "extend",
    () =>
      function ({ leaseMs }) {
        return Promise.resolve({ outcome: "extended", leaseUntil: this.connection.database.now() + leaseMs });
      },
  );
}
