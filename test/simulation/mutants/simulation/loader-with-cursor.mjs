// The loader goes on where its last load ended, as long as its slots stay the same: a row that is committed late, or
// moved to an earlier time, lies behind that place.
import { MemoryTaskStore } from "@tickwheel/testing";
import { replaceMethod } from "../replacing.mjs";

export const says = "the loader keeps a cursor";
export const breaks = ["wheel-finds-what-was-known"];

export function plant() {
  const loadedUntil = new WeakMap();
  replaceMethod(
    MemoryTaskStore,
    "loadWindow",
    (loadWindow) =>
      async function (request) {
        const [{ slots }] = request.scopes;
        const until = (await this.now()) + request.horizonMs;
        const { dueAt, id } = request.after;
        const after = { dueAt: Math.max(dueAt, loadedUntil.get(slots) ?? dueAt), id };
        const page = await loadWindow.call(this, { ...request, after });
        if (page.next === null) loadedUntil.set(slots, until);
        return page;
      },
  );
}
