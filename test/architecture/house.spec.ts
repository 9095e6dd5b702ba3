import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { TICKWHEEL_VERSION } from "@tickwheel/core";
import { roomsOf, sourceFolders } from "./import-rules.mjs";
import { filesUnder, ownPackages, read, root, typeScriptFiles } from "./project-files.js";
import { byName } from "../runner/spec-files.mjs";

const rootManifest = JSON.parse(read("package.json")) as { version: string };

function isSpec(path: string): boolean {
  return /\.spec\.tsx?$/.test(path);
}

describe("the packages", () => {
  test("the packages have one version", () => {
    const others = ownPackages().filter(({ manifest }) => manifest.version !== rootManifest.version);
    expect(others.map(({ folder }) => folder)).toEqual([]);
  });

  test("the packages tell their nodes the version of the packages", () => {
    expect(TICKWHEEL_VERSION).toBe(rootManifest.version);
  });

  test("the packages read no manifest at run time, which in a bundle is another program's", () => {
    const published = ownPackages().filter(({ manifest }) => manifest.private !== true);
    const sources = typeScriptFiles().filter((path) =>
      published.some(({ folder }) => path.startsWith(`${folder}/src/`)),
    );
    const reading = /["'`/]\.\.\/package\.json/;
    expect(sources.filter((path) => !isSpec(path) && reading.test(read(path)))).toEqual([]);
  });

  test("the packages need each other in their one version", () => {
    const wanted = ownPackages().flatMap(({ folder, manifest }) =>
      Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
        .filter(([name, range]) => name.startsWith("@tickwheel/") && range !== rootManifest.version)
        .map(([name, range]) => `${folder}: ${name} ${range}`),
    );
    expect(wanted).toEqual([]);
  });

  test("the packages are all built by the root tsconfig.json, but for the dashboard", () => {
    const references = read("tsconfig.json");
    const unbuilt = ownPackages().filter(({ folder }) => !references.includes(`"./${folder}"`));
    expect(unbuilt.map(({ folder }) => folder)).toEqual(["apps/dashboard"]);
  });
});

describe("the packages that are published", () => {
  const published = ownPackages().filter(({ manifest }) => manifest.private !== true);

  test.each(published.map(({ folder }) => folder))(
    "the published package %s says whose it is, and is built and licensed when it is packed",
    (folder) => {
      const manifest = JSON.parse(read(`${folder}/package.json`)) as Record<string, unknown>;
      expect(manifest).toMatchObject({
        license: "MIT",
        engines: { node: ">=20.19" },
        scripts: { prepack: "node ../../test/runner/prepack.mjs" },
        repository: { type: "git", directory: folder },
      });
    },
  );

  test("the published packages need no private package", () => {
    const names = new Set(published.map(({ manifest }) => manifest.name));
    const wanted = published.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}));
    expect(wanted.filter((name) => name.startsWith("@tickwheel/") && !names.has(name))).toEqual([]);
  });
});

describe("the public packages", () => {
  const published = ownPackages().filter(({ manifest }) => manifest.private !== true);
  const [, told = ""] = /\*\*Public\*\* are ([^:]*):/.exec(read("docs/release.md"))!;
  const isPublic = (name: string): boolean =>
    told.includes(`\`${name.replace("@tickwheel/", "")}\``) || told.includes(name);

  test("the public packages are those that docs/release.md names; each other one says in its README that it is internal", () => {
    const internal = published.filter(({ folder }) => read(`${folder}/README.md`).includes("\n**Internal**: "));
    expect(internal.map(({ folder }) => folder).toSorted()).toEqual(
      published
        .filter(({ manifest }) => !isPublic(manifest.name))
        .map(({ folder }) => folder)
        .toSorted(),
    );
    expect(internal.length).toBeGreaterThan(10);
  });

  test("the public packages have a reference", () => {
    const { entryPoints } = JSON.parse(read("test/runner/reference/typedoc.json")) as { entryPoints: string[] };
    const referenced = new Set(entryPoints.map((entry) => entry.split("/libs/")[1]!.split("/")[0]));
    const names = published.filter(({ manifest }) => isPublic(manifest.name)).map(({ folder }) => basename(folder));
    expect(names.filter((name) => !referenced.has(name))).toEqual([]);
  });
});

describe("the libraries", () => {
  const libraries = readdirSync(join(root, "libs"));

  test.each(libraries)("the library %s has an index and a README of one screen", (library) => {
    expect(existsSync(join(root, "libs", library, "src/index.ts"))).toBe(true);
    expect(read(`libs/${library}/README.md`).split("\n").length).toBeLessThanOrEqual(72);
  });
});

describe("the files", () => {
  const all = ["libs", "apps", "test", ...(existsSync(join(root, "docs")) ? ["docs"] : [])].flatMap(filesUnder);

  test("the files are in kebab-case, and so are their folders", () => {
    const plain = /^\.?[a-z0-9]+([-.][a-z0-9]+)*$/;
    const tolerated = new Set(["README.md", "LICENSE", "Dockerfile"]);
    const odd = all.filter((path) => !path.split("/").every((part) => plain.test(part) || tolerated.has(part)));
    expect(odd).toEqual([]);
  });

  test("the files are at most 25 in a folder, specs not counted", () => {
    const counts = new Map<string, number>();
    for (const path of typeScriptFiles().filter((each) => !isSpec(each)))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
  });

  test("the files lie in a room that the README.md of their sources tells of, where it tells of rooms", () => {
    const folders = sourceFolders().filter((folder) => roomsOf(folder).length > 0);
    const homeless = folders.flatMap((folder) => {
      const rooms = new Set(roomsOf(folder).map((room) => join(folder, room)));
      return filesUnder(folder).filter((path) => /\.tsx?$/.test(path) && !rooms.has(dirname(path)));
    });
    expect(folders.length).toBeGreaterThan(5);
    expect(homeless).toEqual([]);
  });

  test("the files lie beside the rooms of a library only if they are the library's doors", () => {
    const beside = sourceFolders()
      .filter((folder) => folder.startsWith("libs/") && roomsOf(folder).length > 0)
      .flatMap((folder) => typeScriptFiles().filter((path) => dirname(path) === folder && !isSpec(path)));
    const isDoor = (path: string): boolean =>
      read(join(dirname(path), "../package.json")).includes(`"./dist/${basename(path, ".ts")}.js"`);
    expect(beside.filter((path) => !isDoor(path))).toEqual([]);
  });

  test("the files fill every room that the README.md of their sources tells of", () => {
    const full = new Set(typeScriptFiles().map((path) => dirname(path)));
    const rooms = sourceFolders().flatMap((folder) => roomsOf(folder).map((room) => join(folder, room)));
    expect(rooms.filter((room) => !full.has(room))).toEqual([]);
  });

  test("the files lie in no folder called common, shared, utils or helpers", () => {
    // What is shared says so at the beginning of its name, as a write does.
    const vague = /(^|[/-])(common|utils?|helpers?|misc)([/.-]|$)|(^|[/-])shared([/.]|$)/;
    expect(all.filter((path) => vague.test(path))).toEqual([]);
  });
});

/** A source without its comments and the texts in its strings, roughly: enough to look for words of code. */
function codeOf(path: string): string {
  return read(path).replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\*[\s\S]*?\*\/|\/\/.*/g, "");
}

describe("the sources", () => {
  const sources = typeScriptFiles();

  test("the sources of libraries take the date only from the Clock", () => {
    const bound = sources.filter(
      (path) =>
        path.startsWith("libs/") &&
        !path.startsWith("libs/local-services/") &&
        !basename(path).startsWith("system-") &&
        !isSpec(path),
    );
    expect(bound.filter((path) => /\bnew Date(?!\w|\s*\(\s*[^)\s])|(?<!new )\bDate\s*\(/.test(codeOf(path)))).toEqual(
      [],
    );
  });

  test("the sources switch off a lint rule only by its name, for one line", () => {
    const blanket = /(?:oxlint|eslint)-disable(?!-(?:next-)?line\s+[a-z@])|@ts-(?:ignore|nocheck)/;
    const files = sources.filter((path) => path !== "test/architecture/house.spec.ts");
    expect(files.filter((path) => blanket.test(read(path)))).toEqual([]);
  });

  test("the sources have their specs beside them in libraries and applications", () => {
    const specs = sources.filter((path) => isSpec(path) && !path.startsWith("test/"));
    expect(specs.filter((path) => !/^(libs|apps)\/[^/]+\/src\//.test(path))).toEqual([]);
  });

  test("the sources name a class neither Manager, Helper, Util nor Impl, and an interface without an I", () => {
    const vague = /\b(?:class|interface)\s+(?:\w+(?:Manager|Helpers?|Utils?|Impl)\b|I[A-Z][a-z])/;
    expect(sources.filter((path) => vague.test(codeOf(path)))).toEqual([]);
  });
});

describe("ARCHITECTURE.md", () => {
  const text = read("ARCHITECTURE.md");

  test("ARCHITECTURE.md names only files that are there, each so that it can be no other", () => {
    const paths = typeScriptFiles().map((path) => `/${path}`);
    const named = [...text.matchAll(/`([a-z][\w./-]*\.tsx?)`/g)]
      .map(([, name]) => name)
      .filter((name) => name !== "index.ts");
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => paths.filter((path) => path.endsWith(`/${name}`)).length !== 1)).toEqual([]);
  });

  test("ARCHITECTURE.md leads to the table of rooms of all sources that have rooms, and to no other", () => {
    const linked = [...text.matchAll(/\((\S+\/src)\/README\.md\)/g)].map(([, folder]) => folder!);
    const withRooms = sourceFolders().filter((folder) => roomsOf(folder).length > 0);
    expect(linked.toSorted(byName)).toEqual(withRooms.toSorted(byName));
  });
});
