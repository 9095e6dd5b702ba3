// Where dependency-cruiser finds the sources behind `@tickwheel/<library>` and `@tickwheel/<library>/<entry>`.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const libs = join(import.meta.dirname, "../../libs");

function aliasesOf(library) {
  const { exports } = JSON.parse(readFileSync(join(libs, library, "package.json"), "utf8"));
  return Object.entries(exports).map(([entry, { default: built }]) => {
    const source = built.replace("./dist/", "src/").replace(/\.js$/, ".ts");
    return [`@tickwheel/${join(library, entry)}$`, join(libs, library, source)];
  });
}

const withManifest = readdirSync(libs).filter((library) => existsSync(join(libs, library, "package.json")));

export default { resolve: { alias: Object.fromEntries(withManifest.flatMap(aliasesOf)) } };
