import type { CallReport } from "../contestants/contestant-commands.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { callFigures } from "./create.js";
import { FAR_AWAY_MS } from "./spans.js";

const CALLERS = 64;
/** One task in so many has a tag. */
const TAGGED_EVERY = 10;
/** Rounds of creates, without tags and with them in turn. */
const ROUNDS = 3;

export const tags: Job = {
  name: "tags",
  summary: "what tags cost, and how soon the tasks of one are cancelled",
  explains: `ours, beside --pending tasks of which one in ten has a tag, five tasks a tag:
  cancelP50Ms, cancelP99Ms    what it takes a lone caller to cancel the tasks of a tag, one tag after the other
  taggedPerSecond             creates by 64 callers with a tag each, and callP50Ms, callP99Ms
  untaggedPerSecond           without one; both in turn, three times two seconds each
It fails if a tag had not five live tasks.`,
  peers: ["tickwheel"],
  defaults: { pending: 1_000_000 },
  quick: { pending: 2_000 },
  async measure(stage, { pending, isQuick }) {
    const node = await stage.enter();
    const dueAt = Math.ceil(stage.clock.now()) + FAR_AWAY_MS;
    const series = { first: 0, count: pending, dueAt, everyMs: 0 };
    await node.ask("bulk", { series, taggedEvery: TAGGED_EVERY });
    await stage.servers.tidy();
    const cpuBefore = stage.cpu();
    const tagsAsked = isQuick ? 20 : 500;
    const cancels = await node.ask("cancelTags", { tags: tagsAsked, tasks: pending });
    if (cancels.cancelled !== tagsAsked * 5)
      throw new Error(`${cancels.cancelled} tasks of ${tagsAsked} tags cancelled`);
    const durationMs = isQuick ? 200 : 2_000;
    const created = { tagged: [] as CallReport[], untagged: [] as CallReport[] };
    let first = pending;
    for (let round = 0; round < ROUNDS * 2; round++) {
      const isTagged = round % 2 === 1;
      const report = await node.ask("create", { callers: CALLERS, durationMs, first, dueAt, isTagged });
      created[isTagged ? "tagged" : "untagged"].push(report);
      first += report.calls;
    }
    const cancelFigures = callFigures(cancels);
    return sampleOf({
      perSecond: perSecond(created.tagged),
      cpuSeconds: stage.cpu().all - cpuBefore.all,
      figures: {
        tasks: pending,
        cancelP50Ms: cancelFigures["callP50Ms"]!,
        cancelP99Ms: cancelFigures["callP99Ms"]!,
        taggedPerSecond: perSecond(created.tagged),
        untaggedPerSecond: perSecond(created.untagged),
        ...callFigures(created.tagged.at(-1)!),
      },
    });
  },
};

function perSecond(reports: readonly CallReport[]): number {
  const sum = (of: (report: CallReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  return (sum(({ calls }) => calls) / sum(({ elapsedMs }) => elapsedMs)) * 1_000;
}
