// A node is its `ip:pid`: a process that starts anew, or comes back after its death, revives the row of the one before
// it.
import { createHash } from "node:crypto";
import { ClusterNode } from "@tickwheel/coordination";
import { FIRST_VITALS } from "@tickwheel/core";
import { MemoryClusterStore } from "@tickwheel/testing";
import { replaceMethod } from "../replacing.mjs";

export const says = "ip:pid is a node's identity";
export const breaks = ["create-ends-terminal", "one-execution-at-a-time"];

export function plant() {
  replaceMethod(
    ClusterNode,
    "registration",
    (registration) =>
      function () {
        return registration.call(this, bootIdOf(this.label));
      },
  );
  replaceMethod(
    MemoryClusterStore,
    "join",
    (join) =>
      function (request) {
        const { bootId } = request;
        return this.connection.call({ statement: "join", request }, async (session) => {
          const isRevived = await session.transaction(null, (within) =>
            within.run(async ({ nodes }) => {
              const before = await nodes.lock(bootId);
              if (before) nodes.put(bootId, { ...before, ...request, state: "live" });
              return before !== null;
            }),
          );
          if (!isRevived) return join.call(this, request);
          const beat = { bootId, label: request.label, beat: 0, vitals: FIRST_VITALS };
          await session.run(({ beats }) => beats.insertOrLock(bootId, beat));
        });
      },
  );
}

function bootIdOf(label) {
  return String(createHash("sha256").update(label).digest().readBigUInt64BE() >> 1n);
}
