import type { FindingScene, SceneNode } from "./finding-scene.js";

/** Nodes that run tasks: joined, and not dead or gone. A suspect one may still be alive. */
export function presentNodes({ nodes }: Pick<FindingScene, "nodes">): SceneNode[] {
  return nodes.filter(({ state, roles }) => PRESENT.has(state) && roles.includes("engine"));
}

const PRESENT: ReadonlySet<SceneNode["state"]> = new Set(["live", "draining", "suspect"]);
