import { fileURLToPath } from "node:url";

/**
 * The absolute path of the folder that holds the built page: `index.html`, `icon.svg` and `assets/`, whose file names
 * carry a hash of their content. It exists after `npm run build`. No bundler brings it along: keep this package
 * outside of a bundle (external), or the folder is not there. Empty in a bundle that knows no place of its own.
 *
 * Serve it under `<path>/dashboard/`. `<path>/dashboard` without the slash must redirect there: the page names its
 * files and finds the API relative to its own address.
 */
export const dashboardFolder = pageBeside(import.meta.url);

function pageBeside(moduleUrl: string | undefined): string {
  return moduleUrl?.startsWith("file:") ? fileURLToPath(new URL("../dist/page", moduleUrl)) : "";
}
