#!/usr/bin/env node
// `npm run release`: what a version needs before it is published, step by step, and then the publishing.
// docs/release.md tells the whole way.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";

const root = join(import.meta.dirname, "../..");
const packed = join(root, "test/results/release");
const HELP = `npm run release -- --dry-run | --publish
  --dry-run   checks and packs all that a release publishes, and publishes nothing
  --publish   the same at the version's tag, then publishes the packages with their provenance
  --quick     of a dry run: without npm run check`;

const { values: asked } = parseArgs({
  options: Object.fromEntries(["dry-run", "publish", "quick", "help"].map((name) => [name, { type: "boolean" }])),
});
if (asked.help || Boolean(asked["dry-run"]) === Boolean(asked.publish) || (asked.publish && asked.quick)) {
  console.log(HELP);
  process.exit(asked.help ? 0 : 2);
}

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const faults = [...treeFaults(), ...changelogFaults()];
if (faults.length > 0 && asked.publish) fail(faults);
if (!asked.quick) step("npm", ["run", "check"]);
await build();
rmSync(packed, { recursive: true, force: true });
mkdirSync(packed, { recursive: true });
const tarballs = publicPackages().map(pack);
console.table(tarballs.map(({ name, files, size }) => ({ name, files, kilobytes: Math.ceil(size / 1024) })));
if (asked.publish) tarballs.forEach(publish);
if (asked.publish) console.log(`Published: ${tarballs.length} packages in version ${version}.`);
else {
  console.log(
    `A dry run: ${tarballs.length} packages in version ${version} are in test/results/release, and nothing is published.`,
  );
  for (const fault of faults) console.log(`A release would stop here: ${fault}`);
}

/** What of the work tree keeps a version from being published. */
function treeFaults() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const tags = git("tag", "--points-at", "HEAD").split("\n");
  return [
    ...(git("status", "--porcelain") === "" ? [] : ["the work tree has changes that are not committed"]),
    ...(tags.includes(`v${version}`) ? [] : [`the commit has no tag v${version}`]),
  ];
}

function changelogFaults() {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const heading = `## ${version} (`;
  return changelog.includes(`\n${heading}`) ? [] : [`CHANGELOG.md has no "${heading}date)"`];
}

/** Those that need others come after them. */
function publicPackages() {
  const all = ["libs", "apps"]
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .filter(({ manifest }) => manifest.private !== true);
  const ordered = [];
  const visit = (one) => {
    if (ordered.includes(one)) return;
    for (const { manifest, folder } of all)
      if (one.manifest.dependencies?.[manifest.name]) visit(all.find((other) => other.folder === folder));
    ordered.push(one);
  };
  all.forEach(visit);
  return ordered;
}

function pack({ folder, manifest }) {
  const args = ["pack", "--json", "--pack-destination", packed];
  const env = { ...process.env, TICKWHEEL_IS_BUILT: "1" };
  const output = execFileSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [{ filename, entryCount: files, size }] = JSON.parse(output.slice(output.indexOf("[")));
  return { name: manifest.name, files, size, path: join(packed, filename) };
}

/** npm takes no version twice: what a run before this one has published is passed over. */
function publish({ name, path }) {
  const known = spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" });
  if (known.stdout.trim() === version) console.log(`${name} is there already.`);
  else step("npm", ["publish", path, "--provenance", "--access", "public"]);
}

function step(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) fail([`${program} ${args.join(" ")} ended with ${status}`]);
}

function fail(reasons) {
  console.error(reasons.map((reason) => `release: ${reason}`).join("\n"));
  process.exit(1);
}
