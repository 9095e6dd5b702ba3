// Runs in Jest: loads the spec files of a suite, each under a `describe` that bears its path.
import { pathToFileURL } from "node:url";
import { describe, test } from "@jest/globals";

/**
 * Loads spec files one after the other. What a file says at its top level, hooks too, belongs to a `describe` of its
 * own, so it holds for that file alone. A file that cannot be loaded is a test that fails.
 *
 * @param {readonly string[]} paths from the root
 * @param {string} root of the repository
 */
export async function loadSpecs(paths, root) {
  // Jest has no asynchronous `describe`; so what is current is set by hand.
  const state = globalThis.circusState;
  const top = state.currentDescribeBlock;
  for (const path of paths) {
    describe(`${path}`, () => void (state.nextDescribeBlock = state.currentDescribeBlock));
    state.currentDescribeBlock = state.nextDescribeBlock;
    try {
      await import(pathToFileURL(`${root}/${path}`).href);
    } catch (error) {
      test("is loaded", () => {
        throw error;
      });
    }
    state.currentDescribeBlock = top;
  }
}
