// Runs a script in a process in which no package of Nest can be loaded: `node without-nest.mjs <script>`.
// A script that asks for one is refused, and the output says so, also where the refusal is caught.
import { register } from "node:module";
import { pathToFileURL } from "node:url";

register("./nest-refusal.mjs", import.meta.url);
await import(pathToFileURL(process.argv[2]).href);
