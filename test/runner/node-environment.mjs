// The environment of every spec file: Node's, which leaves nothing of a file to slow down those behind it.
import { AsyncLocalStorage } from "node:async_hooks";
import { TestEnvironment } from "jest-environment-node";

/** Storages that are in use, of whatever file: Node asks each of them at every promise, until it is disabled. */
const inUse = new Set();
const { _enable: enable } = AsyncLocalStorage.prototype;
// Newer versions of Node have no such list.
if (enable)
  AsyncLocalStorage.prototype._enable = function (...given) {
    inUse.add(this);
    return enable.apply(this, given);
  };

export default class NodeEnvironment extends TestEnvironment {
  /** Hands over what `suite-scope.mjs` needs. */
  handleTestEvent({ name }, state) {
    if (name === "setup") this.global.circusState = state;
  }

  async teardown() {
    await super.teardown();
    for (const storage of inUse) storage.disable();
    inUse.clear();
  }
}
