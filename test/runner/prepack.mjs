#!/usr/bin/env node
// Before a package is packed: builds what is not built, and lays the licence beside its package.json, where npm looks
// for it. A caller that has just built, and packs many, says so: TICKWHEEL_IS_BUILT=1.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";

copyFileSync(join(import.meta.dirname, "../../LICENSE"), join(process.cwd(), "LICENSE"));
if (process.env.TICKWHEEL_IS_BUILT !== "1") await build();
