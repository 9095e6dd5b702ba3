/** Where the embedded Postgres keeps its data, from the working directory. */
export const EMBEDDED_FOLDER = ".tickwheel";
