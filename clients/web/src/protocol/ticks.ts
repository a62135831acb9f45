/** When a report leaves: how long its draw took does not show in it. */

const TICK = 1000;
const USERS_A_TICK = 50_000; // matching a roster takes microseconds a user, and more or less of them by the list

/** Milliseconds from now to the next tick, where the work on a community of n users began so many milliseconds ago. */
export function untilTick(passed: number, n: number): number {
  const tick = TICK * (1 + Math.floor(n / USERS_A_TICK));
  return tick - (passed % tick);
}
