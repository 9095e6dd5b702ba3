import { describe, expect, test } from "@jest/globals";
import { Health } from "@tickwheel/coordination";
import type { BatchStore, BatchToReview, ReviewedBatch } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry, SeededRandom } from "@tickwheel/testing";
import { BatchChecker } from "./batch-checker.js";

const named = (id: string, told: Partial<BatchToReview> = {}): BatchToReview => ({
  id,
  isStopping: false,
  isRetrying: false,
  ...told,
});

/** A checker over a store that is played: it says what is to be reviewed, and notes what it was asked to do. */
function sceneOf({ toReview, ...played }: Partial<BatchStore> & { toReview: BatchStore["toReview"] }) {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const asked: string[] = [];
  const store = {
    fold: () => Promise.resolve(false),
    toReview,
    review: (id: string) => {
      asked.push(`review ${id}`);
      return Promise.resolve(null);
    },
    stopMembers: ({ id }: { id: string }) => {
      asked.push(`stop ${id}`);
      return Promise.resolve({ cancelled: [], asked: [] });
    },
    deadMembers: () => Promise.resolve([]),
    endRetries: (id: string) => {
      asked.push(`end retries ${id}`);
      return Promise.resolve();
    },
    ...played,
  } as unknown as BatchStore;
  const checker = new BatchChecker(
    { clock, telemetry, health: new Health(clock, telemetry) },
    {
      store,
      random: new SeededRandom(1),
      mostMembers: 10,
      service: { retry: () => Promise.reject(new Error("nothing is retried here")) },
      announcer: { publish: () => undefined, forget: () => undefined, cancelRunning: () => undefined },
    },
  );
  return { checker, clock, telemetry, asked };
}

describe("the checker of batches", () => {
  test("the checker of batches looks page by page, and does for each batch what it asks for", async () => {
    const all = Array.from({ length: 450 }, (_, index) => String(index).padStart(3, "0"));
    const pages: (string | null)[] = [];
    const { checker, asked } = sceneOf({
      toReview: ({ limit, after }) => {
        pages.push(after);
        const from = after === null ? 0 : all.indexOf(after) + 1;
        return Promise.resolve(
          all.slice(from, from + limit).map((id) => named(id, { isStopping: id === "007", isRetrying: id === "008" })),
        );
      },
    });
    await checker.runOnce();
    expect(pages).toEqual([null, "199", "399"]);
    expect(asked.filter((what) => what.startsWith("review "))).toEqual(all.map((id) => `review ${id}`));
    expect(asked.slice(7, 11)).toEqual(["stop 007", "review 007", "end retries 008", "review 008"]);
  });

  test("the checker of batches goes on with the others where one batch cannot be reviewed, and says so", async () => {
    const reviewed: string[] = [];
    const { checker } = sceneOf({
      toReview: () => Promise.resolve(["a", "b", "c"].map((id) => named(id))),
      review: (id): Promise<ReviewedBatch | null> => {
        reviewed.push(id);
        return id === "b" ? Promise.reject(new Error("no such type")) : Promise.resolve(null);
      },
    });
    await expect(checker.runOnce()).rejects.toThrow("no such type");
    expect(reviewed).toEqual(["a", "b", "c"]);
  });

  test("the checker of batches looks at once, together, at the batches whose members have ended here, and at no other", async () => {
    const looks: (readonly string[] | undefined)[] = [];
    const { checker, clock } = sceneOf({
      toReview: ({ of }) => {
        looks.push(of);
        return Promise.resolve([]);
      },
    });
    await checker.start();
    await clock.advance(0);
    for (const batchId of ["a", "b", "a"]) checker.taskEnded({ member: { batchId, shard: null } });
    checker.taskEnded({});
    await clock.advance(50);
    expect(looks).toEqual([undefined, ["a", "b"]]);
    await checker.stop();
    checker.taskEnded({ member: { batchId: "c", shard: null } });
    await clock.advance(2_000);
    expect(looks).toHaveLength(2);
  });
});
