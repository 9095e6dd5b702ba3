// The kinds of tests; `test/runner/run-tests.mjs` runs them.
// Tests load the sources of the workspace packages; what spawns a process runs the built files.

const jsxOfDashboard = { react: { runtime: "automatic", importSource: "preact" } };

/** TypeScript as Nest needs it: legacy decorators with their metadata, in ES modules. */
const swc = ({ tsx }) => [
  "@swc/jest",
  {
    jsc: {
      parser: { syntax: "typescript", tsx, decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, ...(tsx ? jsxOfDashboard : {}) },
      target: "es2022",
      keepClassNames: true,
    },
    module: { type: "es6" },
  },
];

/** What all kinds have in common. */
const base = {
  rootDir: import.meta.dirname,
  testEnvironment: "<rootDir>/test/runner/node-environment.mjs",
  extensionsToTreatAsEsm: [".ts", ".tsx"],
  transform: { "\\.ts$": swc({ tsx: false }), "\\.tsx$": swc({ tsx: true }) },
  moduleNameMapper: {
    "^(\\.{1,2}/.*)\\.js$": "$1",
    "^@tickwheel/([^/]+)$": "<rootDir>/libs/$1/src/index.ts",
    "^@tickwheel/([^/]+)/([^/]+)$": "<rootDir>/libs/$1/src/$2.ts",
  },
  modulePathIgnorePatterns: ["<rootDir>/\\.tickwheel/", "<rootDir>/test/results/"],
  testPathIgnorePatterns: ["/node_modules/", "/dist/"],
};

/**
 * How long one test of each kind may take before it is said to hang, in seconds on a quiet machine: what starts
 * servers, processes or a browser is given longer. The runner hands it over on the command line, since Jest does not
 * look at a project's own.
 */
export const testTimeoutSeconds = {
  unit: 60,
  property: 120,
  architecture: 120,
  conformance: 120,
  integration: 240,
  e2e: 300,
  faults: 300,
  abuse: 300,
  ci: 300,
  browser: 300,
  release: 1_800,
};

/**
 * Kinds that run in one Jest process when they are asked for together, and how many of their files run at once. What
 * talks to servers and processes waits more than it works, so two cores have time for a third file.
 */
export const groups = [
  { kinds: ["unit", "property", "architecture"], workers: 2 },
  { kinds: ["conformance", "integration", "e2e", "faults", "abuse", "ci", "browser"], workers: 3 },
  { kinds: ["release"], workers: 1 },
];

/** The kind that a spec file belongs to, by its path from the root. */
export function kindOf(path) {
  const [, folder] = /^test\/([^/]+)\/.*\.spec\.ts$/.exec(path) ?? [];
  if (folder in testTimeoutSeconds) return folder;
  return /\.(property|integration)\.spec\.tsx?$/.exec(path)?.[1] ?? "unit";
}

/**
 * All kinds are one project: a project of its own for each would crawl the repository and transform every source once
 * more. The runner names the files of the kinds that are asked for.
 */
export default {
  ...base,
  maxWorkers: 2,
  workerIdleMemoryLimit: "512MB",
  testMatch: [
    "<rootDir>/{libs/*,apps/*,test/bench,test/simulation}/src/**/*.spec.{ts,tsx}",
    "<rootDir>/test/runner/suites/*.mjs",
    `<rootDir>/test/{${Object.keys(testTimeoutSeconds).join()}}/**/*.spec.ts`,
  ],
};
