// The heartbeat has no thread of its own: while the main loop is blocked no beat is sent.
import { SimulatedHeartbeat } from "../../dist/simulated-heartbeat.js";
import { replaceMethod } from "../replacing.mjs";

export const says = "beats are sent from the main loop";
export const breaks = ["declared-dead-with-cause"];

export function plant() {
  replaceMethod(
    SimulatedHeartbeat,
    "start",
    (start) =>
      function (...given) {
        const { clock } = this.parts;
        this.parts = { ...this.parts, clock: Object.create(clock, { worker: { value: clock } }) };
        return start.apply(this, given);
      },
  );
}
