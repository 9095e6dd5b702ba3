import { Scene } from "../integration/postgres-store.scene.js";

// The plans are the server's: those of its oldest release that we support are judged by the same tests.
Scene.major = 15;
for (const plans of ["plans", "caller-plans", "read-plans", "find-by-key"]) {
  await import(`../integration/postgres-store.${plans}.spec.js`);
}
