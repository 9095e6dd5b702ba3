import { drawPlan } from "./draw-plan.js";
import { storyOf } from "./story.js";
import { brokenRules, runPlan } from "./run-plan.js";

const [from = "1", count = "1"] = process.argv.slice(2);
const startedMs = Date.now();
let broken = 0;
for (let seed = Number(from); seed < Number(from) + Number(count); seed++) {
  const result = await runPlan(drawPlan(seed));
  const rules = brokenRules(result);
  if (rules.length > 0) {
    broken++;
    console.log(
      seed,
      rules.join(" "),
      result.violations.slice(0, 2).map(({ message }) => message),
      result.surprises.slice(0, 1),
    );
  }
  if (Number(count) === 1) for (const line of storyOf(result)) console.log(line);
  if (Number(count) === 1 && process.env.COVERAGE)
    console.log(result.hash, result.virtualMs, Object.fromEntries(result.coverage));
}
console.log({ broken, perMinute: Math.round((Number(count) / (Date.now() - startedMs)) * 60_000) });
