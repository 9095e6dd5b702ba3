import { BENCH_API_KEY, payloadOf, TASK_TYPE } from "../contestants/contestant.js";
import { postAll } from "../http-load.js";
import { monoMs } from "../contestants/host-clock.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuFigures, cpuSince } from "../stage.js";
import { callFigures } from "./create.js";
import { FAR_AWAY_MS } from "./spans.js";

const CONNECTIONS = 64;
const FULL = { warmUpMs: 2_000, durationMs: 5_000 };
const QUICK = { warmUpMs: 200, durationMs: 400 };

export const rest: Job = {
  name: "rest",
  summary: "creates over HTTP",
  explains: `tasks created per second by POST /v1/tasks over 64 connections, one request at a time on each, for 5 s after two of warming up.
  "framework" is Nest on Fastify with the same route and validation, without a store. The load itself is in no figure.
  callP50Ms, callP99Ms    what one call takes
  cpuMicrosPerTask        of all processes together; node… and server… are its parts`,
  peers: ["tickwheel", "framework"],
  defaults: {},
  quick: {},
  async measure(stage, { isQuick }) {
    const { warmUpMs, durationMs } = isQuick ? QUICK : FULL;
    const node = await stage.enter({ serves: true });
    const { port = 0 } = await node.ask("inspect");
    const scheduledAt = new Date(stage.clock.now() + FAR_AWAY_MS).toISOString();
    let n = 0;
    const postFor = (ms: number): Promise<Float64Array> => {
      const endMonoMs = monoMs() + ms;
      const next = (): string | null =>
        monoMs() < endMonoMs ? JSON.stringify({ type: TASK_TYPE, payload: payloadOf(n++), scheduledAt }) : null;
      const headers = { authorization: `Bearer ${BENCH_API_KEY}` };
      return postAll({ port, path: "/v1/tasks", headers, status: 201, next }, CONNECTIONS);
    };
    await postFor(warmUpMs);
    const before = stage.cpu();
    const startMonoMs = monoMs();
    const callMs = await postFor(durationMs);
    const elapsedMs = monoMs() - startMonoMs;
    const cpu = cpuSince(before, stage.cpu());
    const calls = callMs.length;
    return sampleOf({
      perSecond: (calls / elapsedMs) * 1_000,
      lost: Math.max(0, n - (await node.ask("pending"))),
      cpuSeconds: cpu.all,
      figures: {
        tasks: calls,
        ...callFigures({ calls, elapsedMs, callMs }),
        ...cpuFigures(cpu, calls),
      },
    });
  },
};
