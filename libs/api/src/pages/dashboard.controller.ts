import { dashboardFolder } from "@tickwheel/dashboard-files";
import { pageController } from "./page.controller.js";
import { readPageFiles } from "./page-files.js";

/** Serves the built dashboard. */
export class DashboardController extends pageController({
  path: "dashboard",
  name: "The dashboard",
  read: () => readPageFiles(dashboardFolder),
  imageSources: "'self'",
}) {}
