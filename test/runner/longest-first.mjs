// The order of a run's files: the longest come first, so that no processor is left over at the end.
import { relative } from "node:path";
import TestSequencer from "@jest/test-sequencer";
import { UNKNOWN_SECONDS } from "./plan.mjs";
import { recordedTimes } from "./times.mjs";

const Sequencer = TestSequencer.default ?? TestSequencer;

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const times = recordedTimes();
    const secondsOf = ({ path, context }) =>
      path.includes("/runner/suites/") ? Infinity : (times[relative(context.config.rootDir, path)] ?? UNKNOWN_SECONDS);
    return [...tests].sort(
      (one, other) => Number(secondsOf(other) > secondsOf(one)) - Number(secondsOf(other) < secondsOf(one)),
    );
  }
}
