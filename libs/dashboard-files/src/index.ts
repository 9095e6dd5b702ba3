import { fileURLToPath } from "node:url";

/**
 * The absolute path of the folder that holds the built page: `index.html`, `icon.svg` and `assets/`, whose file names
 * carry a hash of their content. It exists after `npm run build`.
 *
 * Serve it under `<path>/dashboard/`. `<path>/dashboard` without the slash must redirect there: the page names its
 * files and finds the API relative to its own address.
 */
export const dashboardFolder = fileURLToPath(new URL("../dist/page", import.meta.url));
