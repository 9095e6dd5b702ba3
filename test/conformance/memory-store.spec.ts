import { describe, test } from "@jest/globals";
import {
  clusterStoreConformance,
  ManualClock,
  MemoryClusterStore,
  MemoryDatabase,
  MemoryTaskStore,
  taskStoreConformance,
  type TaskStoreSubject,
} from "@tickwheel/testing";

function memorySubject(): TaskStoreSubject {
  const clock = new ManualClock();
  const database = new MemoryDatabase({ clock });
  const connection = database.connect("suite");
  const [tasks, cluster] = [new MemoryTaskStore(connection), new MemoryClusterStore(connection)];
  let namespaces = 0;
  return {
    store: () => tasks,
    cluster: () => cluster,
    advance: (delayMs) => clock.advance(delayMs),
    now: () => database.now(),
    transaction: (work) => database.transaction(work),
    freshNamespace: () => `case-${++namespaces}`,
  };
}

describe("the memory task store", () => {
  const subject = memorySubject();
  test.each([...taskStoreConformance])("$name", ({ run }) => run(subject));
});

describe("the memory cluster store", () => {
  const subject = memorySubject();
  test.each([...clusterStoreConformance])("$name", ({ run }) => run(subject));
});
