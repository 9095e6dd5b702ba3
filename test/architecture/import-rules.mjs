// Who may import whom: the one table, and the dependency-cruiser rules made from it.
// Packages are imported by their name, never by a path into another package.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** What each of our own libraries may import. */
export const libraries = {
  "timing-wheel": [],
  core: [],
  coordination: ["core"],
  schedules: ["core"],
  engine: ["core", "coordination", "timing-wheel", "schedules"],
  "postgres-store": ["core", "coordination", "schedules"],
  "redis-coordination": ["core", "coordination"],
  executors: ["core"],
  observability: ["core"],
  contract: ["core", "schedules"],
  calls: ["core", "engine", "schedules", "executors", "contract"],
  client: [],
  heartbeat: ["core", "coordination", "postgres-store", "redis-coordination"],
  node: [
    "core",
    "coordination",
    "engine",
    "schedules",
    "postgres-store",
    "redis-coordination",
    "executors",
    "observability",
    "calls",
    "heartbeat",
  ],
  nestjs: ["core", "schedules", "observability", "calls", "heartbeat", "node"],
  "dashboard-files": [],
  api: ["core", "engine", "contract", "calls", "nestjs", "schedules", "dashboard-files"],
  testing: ["core", "engine", "timing-wheel", "schedules"],
  conformance: ["core", "testing", "schedules"],
  simulation: ["core", "coordination", "engine", "postgres-store", "redis-coordination", "testing"],
  "local-services": [],
};

/** What a further entry of a library (`src/<entry>.ts` and the folder `src/<entry>/`) may import beyond its library. */
export const entries = { "testing/nest": ["nestjs", "postgres-store"], "simulation/nest": ["nestjs"] };

/** Which libraries applications must leave alone, and who is excepted. */
const notForApps = { testing: [], conformance: [], simulation: [], "local-services": ["demo", "scheduler"] };

/** Libraries that do no I/O of their own. */
const pureLibraries = ["timing-wheel", "core", "coordination", "schedules", "engine", "contract", "calls"];

const SPEC = "\\.spec\\.tsx?$";
/** What the specs of one library or application have in common; like them it may use what any library exports. */
const TEST_SUPPORT = "^(libs|apps)/[^/]+/test-support/";
const SYSTEM_ADAPTER = "(^|/)system-[^/]+\\.ts$";
const IO_MODULES =
  "^(node:)?(fs|net|tls|dns|http|http2|https|dgram|child_process|cluster|worker_threads|os|readline|repl|vm|sqlite)(/|$)";
const CLOCK_MODULES = "^(node:)?(timers|perf_hooks|process|console)(/|$)";

const anyOf = (names) => `(${names.join("|")})`;

/** Everything of ours that is not in the folders named. */
const oursExcept = (...folders) => ({ path: "^(libs|apps|test)/", pathNot: `^${anyOf(folders)}/` });

const rule = (name, comment, { from, to }) => ({ name, severity: "error", comment, from, to });

function entryPath(entry) {
  const [library, file] = entry.split("/");
  return `^libs/${library}/src/${file}(\\.ts$|/)`;
}

function libraryRule([library, allowed]) {
  const folders = [library, ...allowed].map((name) => `libs/${name}`);
  const ownEntries = Object.keys(entries).filter((entry) => entry.startsWith(`${library}/`));
  return rule(`imports-of-${library}`, `${library} may import ${allowed.join(", ") || "no other library"}.`, {
    from: { path: `^libs/${library}/`, pathNot: [SPEC, TEST_SUPPORT, ...ownEntries.map(entryPath)] },
    to: oursExcept(...folders),
  });
}

function entryRule([entry, more]) {
  const library = entry.split("/")[0];
  const folders = [library, ...libraries[library], ...more].map((name) => `libs/${name}`);
  return rule(`imports-of-${entry.replace("/", "-")}`, `${entry} may also import ${more.join(", ")}.`, {
    from: { path: entryPath(entry), pathNot: SPEC },
    to: oursExcept(...folders),
  });
}

function appRules() {
  const kept = Object.entries(notForApps).map(([library, excepted]) =>
    rule(`apps-without-${library}`, `${library} is for ${excepted.join(", ") || "tests"} only.`, {
      from: { path: "^apps/", pathNot: [SPEC, TEST_SUPPORT, ...excepted.map((app) => `^apps/${app}/`)] },
      to: { path: `^libs/${library}/` },
    }),
  );
  const apart = rule("apps-apart", "An application never imports another, and nobody's sources import test/.", {
    from: { path: "^apps/([^/]+)/" },
    to: { path: "^(apps|test)/", pathNot: "^apps/$1/" },
  });
  return [...kept, apart];
}

function testRules() {
  return [
    rule("tests-use-libraries", "Tests use what a library exports; an application they start as a process.", {
      from: { path: `^test/|^libs/.*${SPEC}` },
      to: { path: "^apps/" },
    }),
    rule("no-import-of-tests", "Nothing imports a spec file, and no library imports test/.", {
      from: {},
      to: { path: SPEC },
    }),
    rule("libraries-without-test-folder", "Specs of a library use what libraries export, not test/.", {
      from: { path: "^libs/" },
      to: { path: "^test/" },
    }),
  ];
}

function shapeRules() {
  return [
    rule("no-cycles", "Imports go one way; two types may name each other.", {
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    }),
    rule("by-package-name", "Another package is imported by its name, never by a path.", {
      from: { path: "^(libs|apps)/([^/]+)/" },
      to: { path: "^(libs|apps)/", pathNot: "^$1/$2/", dependencyTypes: ["local"], dependencyTypesNot: ["aliased"] },
    }),
    rule("by-package-name-in-tests", "A test imports a package by its name, never by a path.", {
      from: { path: "^test/" },
      to: {
        path: "^(libs|apps)/",
        pathNot: TEST_SUPPORT,
        dependencyTypes: ["local"],
        dependencyTypesNot: ["aliased"],
      },
    }),
    rule("no-built-files", "Sources never import what was built from sources.", {
      from: {},
      to: { path: "^(libs|apps)/[^/]+/dist/" },
    }),
    rule("light-heartbeat", "What the heartbeat's thread loads before its first beat: no ORM, no Nest.", {
      from: { path: "^libs/heartbeat/src/heartbeat-worker\\.ts$" },
      to: { path: "node_modules/(typeorm|@nestjs)/", reachable: true },
    }),
    rule("node-without-nest", "A node stands in any program: nothing of Nest is loaded by it.", {
      from: { path: "^libs/node/src/", pathNot: SPEC },
      to: { path: "node_modules/@nestjs/", reachable: true },
    }),
    rule("light-filter", "The entry of the filter is bundled by pages: it loads rooms without Node and no others.", {
      from: { path: "^libs/core/src/filter\\.ts$" },
      to: { pathNot: "^libs/core/src/(task|errors|ids|options|reports|filter)/", reachable: true },
    }),
    rule("not-found", "Every import leads to a module.", { from: {}, to: { couldNotResolve: true } }),
  ];
}

/**
 * The rooms of a source folder, in the order of the table in its README.md: each may import those above it. None
 * without one.
 *
 * @returns {string[]}
 */
export function roomsOf(sources) {
  const file = join(root, sources, "README.md");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return [...text.matchAll(/^\| `([a-z/.-]+)` +\| \S/gm)].map(([, room]) => room);
}

/** All folders of sources that may have rooms. */
export function sourceFolders() {
  return ["libs", "apps"]
    .filter((parent) => existsSync(join(root, parent)))
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}/src`));
}

function roomRules() {
  return sourceFolders().flatMap((sources) => {
    const rooms = roomsOf(sources);
    const inRoom = (room) => `^${sources}/${room === "." ? "" : `${room}/`}[^/]+$`;
    return rooms.slice(0, -1).map((room, index) =>
      rule(`room-${sources}/${room}`, `In ${sources}, ${room} may import only the rooms above it.`, {
        from: { path: inRoom(room), pathNot: SPEC },
        to: { path: rooms.slice(index + 1).map(inRoom) },
      }),
    );
  });
}

function outsideRules() {
  return [
    rule("declared-packages", "What a package imports, its own package.json names.", {
      from: {
        path: "^(libs|apps|test/bench|test/simulation/src)/",
        pathNot: [SPEC, TEST_SUPPORT, "(^|/)vite\\.config\\.[mc]?[jt]s$"],
      },
      // An optional peer is named twice, and its second name is unknown to the tool.
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-peer"] },
    }),
    rule("pure-libraries", "The core does no I/O; ports do.", {
      from: { path: `^libs/${anyOf(pureLibraries)}/`, pathNot: SPEC },
      to: { path: IO_MODULES, dependencyTypes: ["core"] },
    }),
    rule("clock-only-by-port", "Time, environment and console reach a library through ports and options.", {
      from: { path: "^libs/", pathNot: [SPEC, SYSTEM_ADAPTER, "^libs/local-services/"] },
      to: { path: CLOCK_MODULES, dependencyTypes: ["core"] },
    }),
  ];
}

/** All rules, as dependency-cruiser's `forbidden` wants them. */
export function forbiddenImports() {
  return [
    ...Object.entries(libraries).map(libraryRule),
    ...Object.entries(entries).map(entryRule),
    ...appRules(),
    ...testRules(),
    ...shapeRules(),
    ...roomRules(),
    ...outsideRules(),
  ];
}
