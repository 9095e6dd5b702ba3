import type { Histories, Kill, OrderHistory } from "../histories/histories.js";
import { type MachineSample, whyTooSlow } from "../machine/slowness.js";
import { largest, percentile } from "./percentiles.js";
import { punctualityOf, TAKEOVER_WINDOW_MS } from "./takeover.js";

/** A payment sent this near to its order's time-out may go either way. */
const RACE_MS = 2_000;
const PENDING_LIMIT_MS = 3_000;
const RUNNING_LIMIT_MS = 10_000;
/** What makes a payment or a start late begins at most so long before it. */
const CAUSE_MS = 10_000;

/** What is never allowed, by name. `differsUnexplained`: an outcome that is not the data's, without a reason for it. */
export const FAULT_KINDS = ["lost", "firedTwice", "firedEarly", "firedAfterCancelAck", "differsUnexplained"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** The judge's figures. Lateness in milliseconds, null where nothing was measured. */
export interface Verdict {
  orders: number;
  /** Orders whose payment was acknowledged. */
  cancelledAcked: number;
  /** Orders with an effect. */
  fired: number;
  /** The orders with a fault, by its kind. */
  faults: Record<FaultKind, string[]>;
  differsFromData: number;
  latenessMs: { p50: number | null; p99: number | null; max: number | null };
  takeover: { pendingWorstLatenessMs: number | null; runningWorstLatenessMs: number | null; rerun: number };
  /**
   * A time was missed, and why it cannot be judged: the machine was too slow. Null where all that was missed is a
   * fault, or nothing was.
   */
  tooSlowToJudge: string | null;
  ok: boolean;
}

/** When something that depends on time took place. */
interface Span {
  fromAt: number;
  toAt: number;
}

/**
 * Judges a replay by what it was acknowledged and by the shop's append-only tables. Trusts nothing that the scheduler
 * says. A missed time is no fault where the machine was too slow around it; what does not depend on time is judged on
 * every machine.
 *
 * @param machine what the demo's own process got of the machine, over the whole run
 */
export function judge({ orders, kill }: Histories, machine: readonly MachineSample[]): Verdict {
  const whySlow = (span: Span) => whyTooSlow(machine, span);
  const faults = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, [] as string[]])) as Verdict["faults"];
  const reasons: string[] = [];
  for (const order of orders) {
    const why = differsByTimeAlone(order) ? whySlow(outcomeSpan(order)) : null;
    for (const kind of faultsOf(order, kill)) {
      if (kind === "differsUnexplained" && why !== null) reasons.push(why);
      else faults[kind].push(order.orderId);
    }
  }
  const { latenessMs, takeover } = punctuality(orders, kill);
  const why = kill && isTakeoverLate(takeover) ? whySlow(takeoverSpan(kill, takeover)) : null;
  if (why !== null) reasons.unshift(why);
  return {
    orders: orders.length,
    cancelledAcked: orders.filter(isPaid).length,
    fired: orders.filter(hasFired).length,
    faults,
    differsFromData: orders.filter(differs).length,
    latenessMs,
    takeover,
    tooSlowToJudge: reasons[0] ?? null,
    ok: FAULT_KINDS.every((kind) => faults[kind].length === 0) && (!isTakeoverLate(takeover) || why !== null),
  };
}

function isTakeoverLate({ pendingWorstLatenessMs, runningWorstLatenessMs }: Verdict["takeover"]): boolean {
  return (pendingWorstLatenessMs ?? 0) > PENDING_LIMIT_MS || (runningWorstLatenessMs ?? 0) > RUNNING_LIMIT_MS;
}

/**
 * From the kill until all that the killed node left was to be taken over: what came later is no reason for what was
 * late.
 */
function takeoverSpan(kill: Kill, { pendingWorstLatenessMs }: Verdict["takeover"]): Span {
  const isPendingLate = (pendingWorstLatenessMs ?? 0) > PENDING_LIMIT_MS;
  return { fromAt: kill.at, toAt: kill.at + RUNNING_LIMIT_MS + (isPendingLate ? TAKEOVER_WINDOW_MS : 0) };
}

/** Around an order's time-out and its payment. */
function outcomeSpan({ payment, cancelAt }: OrderHistory): Span {
  const fromAt = Math.min(payment?.sentAt ?? cancelAt, cancelAt) - CAUSE_MS;
  return { fromAt, toAt: Math.max(payment?.answeredAt ?? cancelAt, cancelAt) + RACE_MS };
}

/**
 * Whether an outcome that is not the data's is right by what truly happened: the order was cancelled before its payment
 * had come through, or a late payment came before the task had an effect. On a machine that does everything in time
 * neither comes about.
 */
function differsByTimeAlone(order: OrderHistory): boolean {
  const { payment, cancelAt, effects } = order;
  if (payment === null) return false;
  if (payment.answer === "paid") return effects.length === 0;
  return effects.length === 1 && payment.answeredAt >= cancelAt;
}

function faultsOf(order: OrderHistory, kill: Kill | null): FaultKind[] {
  const broken: Record<FaultKind, boolean> = {
    lost: !isPaid(order) && !hasFired(order),
    firedTwice: order.effects.length > 1,
    firedEarly:
      order.starts.some(({ at, dueAt }) => at < order.cancelAt || at < dueAt) ||
      order.effects.some(({ at }) => at < order.cancelAt),
    firedAfterCancelAck: isPaid(order) && hasFired(order),
    differsUnexplained: differs(order) && !isRace(order) && !isPaidBeforeRerun(order, kill),
  };
  return FAULT_KINDS.filter((kind) => broken[kind]);
}

function isPaid({ payment }: OrderHistory): boolean {
  return payment?.answer === "paid";
}

function hasFired({ effects }: OrderHistory): boolean {
  return effects.length > 0;
}

/** Whether the outcome is not the one that the data says. An order that was lost is neither. */
function differs(order: OrderHistory): boolean {
  return order.isPaidInTime ? hasFired(order) || !isPaid(order) : !hasFired(order);
}

function isRace({ payment, cancelAt }: OrderHistory): boolean {
  return payment !== null && Math.abs(payment.sentAt - cancelAt) <= RACE_MS;
}

/** Whether the killed node had claimed the order, and its payment was acknowledged before another node started it. */
function isPaidBeforeRerun({ payment, starts, paidWhileRunningOn }: OrderHistory, kill: Kill | null): boolean {
  if (!kill || payment?.answer !== "paid") return false;
  const isClaimed = paidWhileRunningOn === kill.node || starts.some(({ node }) => node === kill.node);
  return isClaimed && !starts.some(({ node, at }) => node !== kill.node && at <= payment.answeredAt);
}

function punctuality(orders: readonly OrderHistory[], kill: Kill | null): Pick<Verdict, "latenessMs" | "takeover"> {
  const all = orders.flatMap((order) => punctualityOf(order, kill) ?? []);
  const of = (kind: string) => all.filter((each) => each.kind === kind).map(({ latenessMs }) => latenessMs);
  const normal = of("normal");
  return {
    latenessMs: { p50: percentile(normal, 0.5), p99: percentile(normal, 0.99), max: largest(normal) },
    takeover: {
      pendingWorstLatenessMs: largest(of("pending")),
      runningWorstLatenessMs: largest(of("running")),
      rerun: of("running").length,
    },
  };
}
