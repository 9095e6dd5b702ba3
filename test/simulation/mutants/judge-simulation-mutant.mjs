// The process of one mutant of the simulation: plants it, runs seeds until one breaks a rule, prints what came out as one line of JSON.
// Arguments: the first seed, how many at most, and the name of a file in `simulation/`; without a name what takes the place of a function is
// the function itself.
import { uncalled } from "./replacing.mjs";

const [from, seeds, name] = process.argv.slice(2);
const mutant = await import(name === undefined ? "./unchanged.mjs" : `./simulation/${name}.mjs`);
await mutant.plant();
const { runSeeds } = await import("../dist/run-seeds.js");
const startedMs = performance.now();
const ran = await runSeeds({ from: Number(from), seeds: Number(seeds), untilBroken: true });
const seconds = (performance.now() - startedMs) / 1_000;
console.log(JSON.stringify({ says: mutant.says, seeds: ran.seeds, broken: ran.broken, uncalled: uncalled(), seconds }));
