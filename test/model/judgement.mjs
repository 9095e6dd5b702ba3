// Compares what Spin finds with what is expected of the model.
import { assumptionChecks, bugChecks, propertyChecks } from "./checks.mjs";
import { modelTools, runCheck } from "./spin.mjs";

/**
 * @typedef {import("./checks.mjs").Check} Check
 * @typedef {import("./spin.mjs").Finding} Finding
 * @typedef {{ check: Check, finding: Finding, asExpected: boolean, told: string }} Judgement
 */

/** All checks for a number of nodes: the properties, the planted bugs, the assumptions. */
export function checksFor(nodes) {
  return [...propertyChecks(nodes), ...bugChecks(nodes), ...assumptionChecks(nodes)];
}

/**
 * Runs checks, one after the other.
 * @param {Check[]} checks
 * @param {(line: string) => void} tell is told of progress
 * @returns {Promise<Judgement[]>}
 */
export async function judge(checks, tell) {
  const tools = await modelTools();
  const judgements = [];
  for (const [index, check] of checks.entries()) {
    tell(`${index + 1} of ${checks.length}: ${nameOf(check)}, ${check.nodes} nodes`);
    const progress = (states, seconds) => tell(`    ${Math.round(seconds)} s, ${states.toLocaleString("en")} states`);
    const finding = await runCheck(tools, check, { progress, keeps: (found) => !isExpected(check, found) });
    judgements.push({ check, finding, asExpected: isExpected(check, finding), told: tellOf(check, finding) });
  }
  return judgements;
}

/** What a check is about, in one line. */
export function nameOf({ plants, properties }) {
  return plants ?? properties.join(", ");
}

/** What was planted must break its property; without a plant all holds, and nothing of the model lies idle. */
function isExpected({ plants }, { verdict, violation, unreached }) {
  if (plants) return verdict === "violated" && /^(assertion violated|acceptance cycle) /.test(violation);
  return verdict === "holds" && unreached.length === 0;
}

function tellOf({ plants, properties, budgets }, { verdict, violation, trailSteps, unreached, folder }) {
  const kept = folder ? `; see ${folder}` : "";
  if (verdict === "unfinished") return `NOT FINISHED${kept}`;
  if (verdict === "violated" && plants) return `found: ${properties.join()} fails after ${trailSteps} steps${kept}`;
  if (verdict === "violated") return `VIOLATED after ${trailSteps} steps: ${violation}${kept}`;
  if (plants) return `NOT FOUND${kept}`;
  if (unreached.length > 0) return `holds, but NEVER REACHED: ${unreached.join("; ")}${kept}`;
  return ["holds", ...Object.entries(budgets).map(([name, value]) => `with ${name} = ${value}`)].join(" ");
}
