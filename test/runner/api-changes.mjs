// Tells what of the API has changed since a commit: what breaks a client, and what only adds to it. Exit code 1:
// something breaks.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, findBreakingChanges } from "graphql";
import { apiChanges } from "@tickwheel/contract/documents";

const HELP = `Usage: npm run api:changes [-- <commit>]

Tells what of the API has changed since a commit (default: HEAD), by openapi.json and schema.graphql of libs/contract.
Run \`npm run generate\` first, so that both tell of the code as it is.`;

const [commit = "HEAD"] = process.argv.slice(2);
if (commit === "--help" || commit === "-h") {
  console.log(HELP);
  process.exit(0);
}

const root = join(import.meta.dirname, "../..");
const now = (file) => readFileSync(join(root, "libs/contract", file), "utf8");
const before = (file) =>
  execFileSync("git", ["show", `${commit}:libs/contract/${file}`], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });

const { breaking, additions } = apiChanges(JSON.parse(before("openapi.json")), JSON.parse(now("openapi.json")));
const ofGraphql = findBreakingChanges(buildSchema(before("schema.graphql")), buildSchema(now("schema.graphql")));
const all = [...breaking, ...ofGraphql.map(({ description }) => `GraphQL: ${description}`)];
for (const line of additions) console.log(`adds    ${line}`);
for (const line of all) console.log(`breaks  ${line}`);
console.log(`${additions.length} additions, ${all.length} breaking changes since ${commit}`);
process.exit(all.length > 0 ? 1 : 0);
