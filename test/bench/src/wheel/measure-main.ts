import { measure } from "./measure.js";
import type { Subject } from "./sample.js";

// The process of one repetition: `node --expose-gc measure-main.js <subject as JSON>`; it sends the sample to its
// parent.
const { gc } = globalThis;
if (!gc || !process.send) throw new Error("this file is forked by the bench, with --expose-gc");

const subject = JSON.parse(process.argv[2] ?? "") as Subject;
const sample = await measure(subject, () => gc());
process.send(sample, () => process.exit(0));
