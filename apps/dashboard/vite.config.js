import { readFileSync } from "node:fs";
import { preact } from "@preact/preset-vite";
import { defineConfig } from "vite";

// `TICKWHEEL_DEV_API` is the node that `npm run dev` talks to.
const node = process.env.TICKWHEEL_DEV_API ?? "http://localhost:3000";

/**
 * Puts the icons into the page itself: they are there at the first paint, and cost no request. `theme.js` runs before
 * that paint, so it is no module.
 */
const firstPaint = {
  name: "first-paint",
  transformIndexHtml: (html) => ({
    html: html.replace("<!-- icons -->", readFileSync(new URL("src/ui/icons.svg", import.meta.url), "utf8")),
    tags: [{ tag: "script", attrs: { src: "./theme.js" }, injectTo: "head-prepend" }],
  }),
};

export default defineConfig({
  // Relative addresses, so that the page can be mounted under any path.
  base: "./",
  plugins: [preact(), firstPaint],
  // Nothing is inlined as a data: address, which a strict content security policy refuses.
  build: {
    outDir: "../../libs/dashboard-files/dist/page",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/v1": node } },
});
