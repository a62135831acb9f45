/** Numbers for people, in the page's language. */

const PERCENT = { style: "percent", maximumFractionDigits: 1 } as const;

export class Format {
  constructor(private readonly language: string) {}

  whole = (value: number): string => value.toLocaleString(this.language).replace("-", "−");
  epsilon = (value: number): string => value.toLocaleString(this.language, { maximumFractionDigits: 6 });
  percent = (value: number): string => value.toLocaleString(this.language, PERCENT);
  /** A day, given as 2027-01-18. */
  day = (day: string): string => new Date(day).toLocaleDateString(this.language, { dateStyle: "long", timeZone: "UTC" });
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name as it stands among others: one from right to left has its own direction there, by which 1א and א1 look different. */
export const apart = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

/** What somebody can think at most after a report, who thought `prior` before: the odds times e^ε, as a probability. */
export function believed(prior: number, epsilon: number): number {
  const factor = Math.exp(epsilon);
  return (prior * factor) / (prior * factor + 1 - prior);
}
