// The connection lives on after a claim has timed out, and the reply that comes late is read as part of the next one's.
import { MemoryTaskStore } from "@tickwheel/testing";
import { TickwheelError } from "@tickwheel/core";
import { replaceMethod } from "../replacing.mjs";

export const says = "a late claim reply is used";
export const breaks = ["one-execution-at-a-time", "stale-silence"];

export function plant() {
  const lateTasks = new WeakMap();
  replaceMethod(
    MemoryTaskStore,
    "claim",
    (claim) =>
      async function (request) {
        const late = lateTasks.get(this) ?? [];
        lateTasks.set(this, late);
        const { clock, statementTimeoutMs, ...options } = this.connection.options;
        const patient = Object.create(this.connection, { options: { value: options } });
        const answer = claim.call(Object.create(this, { connection: { value: patient } }), request);
        const reply = await inTime(answer, {
          clock,
          limitMs: statementTimeoutMs,
          tooLate: (it) => late.push(...it.tasks),
        });
        const asked = late.splice(0).filter(({ id }) => request.ids.includes(id));
        return { ...reply, tasks: [...asked, ...reply.tasks] };
      },
  );
}

function inTime(answer, { clock, limitMs, tooLate }) {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const timer = clock.setTimer(limitMs, () => {
      isOver = true;
      reject(new TickwheelError("STORE_UNAVAILABLE", "no reply in time"));
    });
    answer.then((reply) => {
      timer.clear();
      if (isOver) tooLate(reply);
      else resolve(reply);
    }, reject);
  });
}
