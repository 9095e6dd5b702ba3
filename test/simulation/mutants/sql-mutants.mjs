// Plants each SQL mutant into the built Postgres store and has the conformance suite find it, on a real Postgres.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { addDatabase } from "../../conformance/postgres-subject.mjs";
import { runJudge } from "./run-judge.mjs";

/**
 * What became of a mutant, or of the store as it is where `mutant` is null. `case` is the first that failed, after so
 * many seconds.
 *
 * @typedef {{ mutant: string | null, says: string, asExpected: boolean, told: string, case: string | null, seconds:
 *   number }} SqlMutantVerdict
 */

const folder = import.meta.dirname;
/** A mutant that makes the suite hang. */
const LIMITS = { timeout: 180_000, killSignal: "SIGKILL" };
const JUDGE = "judge-sql-mutant.mjs";
/** Each has a database of its own. */
const DEFAULT_JOBS = 2;

/** The names of all SQL mutants. */
export const sqlMutants = readdirSync(join(folder, "sql"))
  .map((file) => file.replace(/\.mjs$/, ""))
  .sort();

/**
 * Runs the conformance suite against the store as it is, which must pass, and against each mutant, which must fail in
 * some case and yet be good for the straight life of a task: a store that is wrong, not one that is broken. Needs the
 * built packages.
 *
 * @param {{ url: string, only?: readonly string[], jobs?: number, report?: (verdict: SqlMutantVerdict) => void }} run
 *   `url` of a server where databases may be made: one for each mutant, which stay; `only`: the names of some mutants;
 *   `jobs`: how many at once; `report` is told each verdict
 * @returns {Promise<SqlMutantVerdict[]>}
 */
export async function runSqlMutants({ url, only = sqlMutants, jobs = DEFAULT_JOBS, report = () => {} }) {
  const left = [null, ...only];
  const verdicts = new Map();
  const work = async () => {
    while (left.length > 0) {
      const mutant = left.shift();
      const verdict = await judge(url, mutant);
      verdicts.set(mutant, verdict);
      report(verdict);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return [null, ...only].map((mutant) => verdicts.get(mutant));
}

async function judge(serverUrl, mutant) {
  const url = await addDatabase(serverUrl, `mutant_${mutant ?? "none"}`.replaceAll("-", "_"));
  const answer = await runJudge(JUDGE, [url, ...(mutant === null ? [] : [mutant])], LIMITS);
  const { says, found, seconds, broken, failure } = answer;
  const named = { mutant, says: says ?? (mutant === null ? "the store as it is" : mutant), case: found?.case ?? null };
  const verdict = (asExpected, told) => ({ ...named, asExpected, told, seconds: seconds ?? NaN });
  if (failure) return verdict(false, `FAILED: ${failure}`);
  if (mutant === null) return found ? verdict(false, `FAILED in: ${inFull(found)}`) : verdict(true, "passes all");
  if (!found) return verdict(false, "NOT FOUND");
  if (broken) return verdict(false, `BROKEN, not wrong, in: ${inFull(broken)}`);
  return verdict(true, `found by: ${found.case}`);
}

function inFull({ case: title, reason }) {
  return `${title}\n${reason}`;
}
