import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { promised } from "../support/broken-promise.js";
import { depth } from "../support/depth.js";
import { printFigures } from "../support/figures.js";

const SEEDS = depth({ sample: 600, whole: 3_000 });
const DAY_MS = 86_400_000;
const SIMULATION = join(import.meta.dirname, "../simulation/dist/main.js");

interface Summary {
  ok: boolean;
  seeds: number;
  from: number;
  perMinute: number;
  broken: unknown[];
}

test("the cluster keeps its promises in the seeds of today, and all that is rare is reached", async () => {
  const from = Math.floor(Date.now() / DAY_MS) * SEEDS;
  console.log(`seeds from ${from}: npm run sim -- --from ${from} --seeds ${SEEDS}`);
  const parameters = [SIMULATION, "--from", String(from), "--seeds", String(SEEDS), "--json"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, parameters, { maxBuffer: 2 ** 28 }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  const summary = JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as Summary;
  const { ok, seeds, perMinute, broken } = summary;
  printFigures("simulation", { from, seeds, perMinute, broken: broken.length });
  promised(() => expect({ ok, broken, told: ok ? "" : stderr }).toEqual({ ok: true, broken: [], told: "" }));
});
