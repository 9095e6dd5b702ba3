// The rules are made from the table in test/architecture/import-rules.mjs.
import { forbiddenImports } from "./test/architecture/import-rules.mjs";

export default {
  forbidden: forbiddenImports(),
  options: {
    // Anchored: a bare `dist/` would also hide npm packages that keep their files in one.
    doNotFollow: { path: ["(^|/)node_modules/", "^(libs|apps)/[^/]+/dist/"] },
    // The peers are a package of their own that only the bench installs.
    exclude: { path: "^test/(results|(bench|simulation)/dist|bench/peers)/" },
    tsPreCompilationDeps: true,
    // Leads the name of a package to its sources, so that the graph does not depend on what was built.
    webpackConfig: { fileName: "test/architecture/package-aliases.mjs" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
