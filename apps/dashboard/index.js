import { fileURLToPath } from "node:url";

export const dashboardFolder = fileURLToPath(new URL("./dist", import.meta.url));
