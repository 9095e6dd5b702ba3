import type { CallReport } from "../contestants/contestant-commands.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuFigures, cpuSince } from "../stage.js";
import { callFigures } from "./create.js";
import { FAR_AWAY_MS } from "./spans.js";

const CALLERS = 64;
const KEYS = 10_000;
const FULL = { warmUpMs: 1_000, durationMs: 5_000 };
const QUICK = { warmUpMs: 100, durationMs: 400 };

export const merge: Job = {
  name: "merge",
  summary: "merges by 64 concurrent callers",
  explains: `ours: merges per second by 64 concurrent callers, each call awaited, into the task of one key; then into those of ${KEYS.toLocaleString("en")} keys
  in turn. Each for 5 s after a second of warming up. Each merge adds to a number. "Lost" is what the sums are short of.
  callP50Ms, callP99Ms            what one call takes
  manyKeysPerSecond, manyKeys…    the same of many keys
  cpuMicrosPerTask                of all processes together, of one key; node… and server… are its parts`,
  peers: ["tickwheel"],
  defaults: {},
  quick: {},
  async measure(stage, { isQuick }) {
    const { warmUpMs, durationMs } = isQuick ? QUICK : FULL;
    const node = await stage.enter();
    const dueAt = Math.ceil(stage.clock.now()) + FAR_AWAY_MS;
    const mergeFor = (ms: number, keys: number): Promise<CallReport> =>
      node.ask("merge", { callers: CALLERS, durationMs: ms, keys, dueAt });
    const calls: number[] = [];
    const measure = async (keys: number): Promise<CallReport> => {
      const reports = [await mergeFor(warmUpMs, keys), await mergeFor(durationMs, keys)] as const;
      for (const report of reports) calls.push(report.calls);
      return reports[1];
    };
    const before = stage.cpu();
    const one = await measure(1);
    const cpu = cpuSince(before, stage.cpu());
    const many = await measure(KEYS);
    const missing = calls.reduce((sum, count) => sum + count, 0) - (await node.ask("merged"));
    const manyFigures = Object.entries(callFigures(many)).map(([name, value]) => [`manyKeys${capital(name)}`, value]);
    return sampleOf({
      perSecond: perSecond(one),
      lost: Math.max(0, missing),
      duplicates: Math.max(0, -missing),
      cpuSeconds: cpu.all,
      figures: {
        tasks: one.calls,
        ...callFigures(one),
        manyKeysPerSecond: perSecond(many),
        ...(Object.fromEntries(manyFigures) as Record<string, number>),
        ...cpuFigures(cpu, one.calls + calls[0]!),
      },
    });
  },
};

function perSecond({ calls, elapsedMs }: CallReport): number {
  return (calls / elapsedMs) * 1_000;
}

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
