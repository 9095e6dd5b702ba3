import { type DurationInput, type JsonText, LEASE_BOUNDS, MAX_LEASE_MS, MAX_PULLED } from "@tickwheel/core";
import * as z from "zod";
import { durationRule, flagRule, integerRule, maxRule, minRule, textRule } from "./input-rules.js";
import { field, inputObject } from "./input-schema.js";
import { named, said } from "./input-shape.js";
import { payloadField } from "./payload-input.js";

/** How long a call for tasks may wait, in milliseconds. */
export const MAX_CLAIM_WAIT_MS = 60_000;
/** The same of a call of GraphQL: it holds what its operation's other fields wait for. */
export const MAX_GRAPHQL_CLAIM_WAIT_MS = 10_000;
/** The longest name of a consumer, and the longest error that a consumer tells, in characters. */
const MAX_CONSUMER = 64;
const MAX_ERROR = 65_536;

const leaseMs = (mostMs: number) => field<number>(integerRule, minRule(LEASE_BOUNDS.leastMs), maxRule(mostMs));

/** What a consumer asks for. */
export const claimInput = inputObject({
  max: said(field<number>(integerRule, minRule(1), maxRule(MAX_PULLED)).nullish(), "At most so many tasks.", {
    default: 1,
  }),
  waitMs: said(
    field<number>(integerRule, minRule(0), maxRule(MAX_CLAIM_WAIT_MS)).nullish(),
    "How long the call waits for the first task, in milliseconds; GraphQL at most 10,000.",
    { default: 0 },
  ),
  leaseMs: said(
    leaseMs(LEASE_BOUNDS.mostMs).nullish(),
    "How long the tasks are the consumer's, in milliseconds, unless it extends its leases.",
    { default: LEASE_BOUNDS.defaultMs },
  ),
  consumer: said(
    field<string>(textRule(1, MAX_CONSUMER)).nullish(),
    "Who asks, for people: the page shows it. Default: the id of the API key.",
    { example: "py-7" },
  ),
});
named("ClaimInput", claimInput, "What a consumer asks for.");

/** How long a lease is to last from now on. */
export const extendInput = inputObject({
  leaseMs: said(
    leaseMs(MAX_LEASE_MS).nullish(),
    "How long from now the task is the consumer's, in milliseconds; at most 12 h.",
    { default: LEASE_BOUNDS.defaultMs },
  ),
});
named("ExtendInput", extendInput, "How long a lease is to last from now on.");

/** What a consumer's work has come to. */
export const completeInput = inputObject({
  result: said(
    payloadField(),
    "Any JSON, at most 64 KiB and 32 levels deep; the task keeps it, digit for digit. Default: none.",
  ),
}) satisfies z.ZodType<{ result?: JsonText | undefined }>;
named("CompleteInput", completeInput, "What a consumer's work has come to.");

/** How an attempt of a consumer failed. */
export const failInput = inputObject({
  error: said(
    field<string>(textRule(1, MAX_ERROR)),
    "What went wrong; the task keeps its beginning, and errors that say the same are one cause.",
    { example: "no space left" },
  ),
  retryable: said(field<boolean>(flagRule).nullish(), "False: another attempt is of no use, so the task is dead.", {
    default: true,
  }),
  retryAfter: said(
    field<DurationInput>(durationRule()).nullish(),
    "The wait before the next attempt. Default: the task's backoff.",
    { example: "2m" },
  ),
});
named("FailInput", failInput, "How an attempt of a consumer failed.");
