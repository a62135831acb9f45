/**
 * When a report leaves: how long its draw took does not show in it, and hardly some seconds more or less over her list.
 *
 * A draw that takes longer leaves at a later tick, and never between two. Then so many seconds pass that only dice know:
 * a list that takes a second longer to tick by hand changes when its report leaves by no more than chance does.
 */

import type { Entropy } from "../core/entropy.ts";

const TICK = 1000;
const USERS_A_TICK = 50_000; // matching a roster takes microseconds a user, and more or less of them by the list
/** Seconds within which a report leaves after its tick. */
export const LATEST = 64;

/** Milliseconds from now to the next tick, where the work on a community of n users began so many milliseconds ago. */
export function untilTick(passed: number, n: number): number {
  const tick = TICK * (1 + Math.floor(n / USERS_A_TICK));
  return tick - (passed % tick);
}

/** Milliseconds by which a report leaves later, in whole seconds. */
export const later = (entropy: Entropy): number => 1000 * Number(entropy.below(BigInt(LATEST)));
