import { beforeEach, describe, expect, test } from "@jest/globals";
import { ManualClock, MemoryClaimSecretStore } from "@tickwheel/testing";
import { ClaimSecrets } from "./claim-secrets.js";
import { secretIdOf } from "./claim-tokens.js";

const CLAIM = { id: "01a1fde4-720b-7007-b634-6422c5ec4464", fence: 3, typeId: 12, claimedAt: 1_763_900_000_123 };

let clock: ManualClock;
let store: MemoryClaimSecretStore;
let isAway: boolean;
let reads: number;

beforeEach(() => {
  [clock, store, isAway, reads] = [new ManualClock(), new MemoryClaimSecretStore(), false, 0];
});

/** The secrets of one more node. */
function ofNode(): ClaimSecrets {
  return new ClaimSecrets({
    clock,
    store: {
      readSecrets: () => {
        reads++;
        return isAway ? Promise.reject(new Error("the store is away")) : store.readSecrets();
      },
    },
  });
}

async function tokenOf(secrets: ClaimSecrets): Promise<string> {
  return (await secrets.sign([CLAIM]))[0]!;
}

test("a claim's token that one node signs can be read by the others, and each node reads the secrets once a minute", async () => {
  const one = ofNode();
  const other = ofNode();
  const token = await tokenOf(one);
  expect(await other.read(token)).toEqual(CLAIM);
  await other.read(token);
  expect(reads).toBe(2);
  await clock.advance(60_000);
  await other.read(token);
  expect(reads).toBe(3);
});

test("a text that is no claim's token costs no read of the secrets", async () => {
  expect([await ofNode().read("no token"), reads]).toEqual([null, 0]);
});

test("a node signs claims with the newest secret within a minute, and tokens of older secrets stay good", async () => {
  const secrets = ofNode();
  const old = await tokenOf(secrets);
  await store.addSecret();
  expect(secretIdOf(await tokenOf(secrets))).toBe(1);
  await clock.advance(60_000);
  expect([secretIdOf(await tokenOf(secrets)), await secrets.read(old)]).toEqual([2, CLAIM]);
});

describe("a token of a secret that the node does not know", () => {
  async function newerToken(): Promise<string> {
    await store.addSecret();
    return tokenOf(ofNode());
  }

  test("a token of an unknown secret makes the node read the secrets again, at most each 200 ms, once for all who ask", async () => {
    const secrets = ofNode();
    await tokenOf(secrets);
    const token = await newerToken();
    reads = 0;
    const asked = Promise.all([secrets.read(token), secrets.read(token)]);
    await clock.advance(199);
    expect(reads).toBe(0);
    await clock.advance(1);
    expect([await asked, reads]).toEqual([[CLAIM, CLAIM], 1]);
  });

  test("a token of an unknown secret is none if the cluster does not know the secret either", async () => {
    const secrets = ofNode();
    const stranger = new MemoryClaimSecretStore();
    await stranger.addSecret();
    const strange = new ClaimSecrets({ clock, store: stranger });
    const reading = secrets.read(await tokenOf(strange));
    await clock.advance(200);
    expect(await reading).toBeNull();
  });
});

test("a node that cannot read the secrets again goes on with those that it knows, and one that knows none says why", async () => {
  const secrets = ofNode();
  const token = await tokenOf(secrets);
  isAway = true;
  await clock.advance(60_000);
  expect([await secrets.read(token), await tokenOf(secrets), reads]).toEqual([CLAIM, token, 2]);
  await expect(ofNode().sign([CLAIM])).rejects.toThrow("the store is away");
});
