import type { SourceOrder } from "./orders.js";
import { type Chance, seededRandom } from "./seeded-random.js";

/** The shape of a real shop's approvals: the share of orders that is approved in less than so many seconds. */
const APPROVED_WITHIN: readonly (readonly [seconds: number, share: number])[] = [
  ...([
    [0, 0],
    [60, 0.014],
    [300, 0.014],
    [600, 0.075],
    [720, 0.164],
    [840, 0.277],
    [900, 0.326],
  ] as const),
  ...([
    [960, 0.369],
    [1_020, 0.403],
    [1_080, 0.433],
    [1_200, 0.476],
    [1_800, 0.57],
    [3_600, 0.632],
  ] as const),
  ...([
    [7_200, 0.668],
    [14_400, 0.69],
    [43_200, 0.728],
    [86_400, 0.824],
    [172_800, 0.944],
  ] as const),
  [2_822_580, 0.998],
];
const ID_DIGITS = 32;

/**
 * Orders of the same shape as the real ones: 37 % approved within 15.5 minutes, 57 % within 30, 0.2 % never. Times are
 * whole minutes.
 */
export function generateOrders(count: number, seed: number): SourceOrder[] {
  const chance = seededRandom(seed);
  return Array.from({ length: count }, () => ({ orderId: hexDigits(chance), approvedAfterS: approvalTime(chance()) }));
}

/** The time below which a share of all orders is approved, by straight lines between the known points. */
function approvalTime(share: number): number | null {
  const index = APPROVED_WITHIN.findIndex(([, upTo]) => share < upTo);
  if (index < 1) return null;
  const [fromS, fromShare] = APPROVED_WITHIN[index - 1]!;
  const [toS, toShare] = APPROVED_WITHIN[index]!;
  const seconds = fromS + ((share - fromShare) / (toShare - fromShare)) * (toS - fromS);
  return Math.floor(seconds / 60) * 60;
}

function hexDigits(chance: Chance): string {
  return Array.from({ length: ID_DIGITS }, () => Math.floor(chance() * 16).toString(16)).join("");
}
