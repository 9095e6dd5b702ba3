// The process of one mutant of the simulation: plants it, runs seeds until one breaks a rule that the mutant is meant
// to break, prints what came out as one line of JSON. Arguments: the first seed, how many at most, and the name of a
// file in `simulation/`; without a name what takes the place of a function is the function itself.
import { uncalled } from "./replacing.mjs";

const [from, seeds, name] = process.argv.slice(2);
const mutant = await import(name === undefined ? "./unchanged.mjs" : `./simulation/${name}.mjs`);
await mutant.plant();
const { runSeeds } = await import("../dist/run-seeds.js");
const startedMs = performance.now();
const ran = await runSeeds({ from: Number(from), seeds: Number(seeds), untilBroken: mutant.breaks ?? true });
const seconds = (performance.now() - startedMs) / 1_000;
// A seed before the last may have broken a rule that the mutant is not meant to break.
const lastSeed = Number(from) + ran.seeds - 1;
const broken = ran.broken.filter(({ seed }) => seed === null || seed === lastSeed);
const { says, breaks } = mutant;
console.log(JSON.stringify({ says, breaks, seeds: ran.seeds, broken, uncalled: uncalled(), seconds }));
