/** Numbers for people, in the page's language. */

const PERCENT = { style: "percent", maximumFractionDigits: 1 } as const;

export class Format {
  constructor(private readonly language: string) {}

  whole = (value: number): string => value.toLocaleString(this.language);
  epsilon = (value: number): string => value.toLocaleString(this.language, { maximumFractionDigits: 6 });
  percent = (value: number): string => value.toLocaleString(this.language, PERCENT);

  /** e^ε: 2.7, 22,026, or 2 · 10¹⁷ */
  factor = (value: number): string => {
    if (value < 10) return value.toLocaleString(this.language, { maximumFractionDigits: 2 });
    if (value < 1e9) return Math.round(value).toLocaleString(this.language);
    const [digits, power] = value.toExponential(0).split("e+");
    return `${digits} · 10${[...(power ?? "")].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;
  };
}

/** What somebody can think at most after a report, who thought `prior` before: the odds times e^ε, as a probability. */
export function believed(prior: number, epsilon: number): number {
  const factor = Math.exp(epsilon);
  return (prior * factor) / (prior * factor + 1 - prior);
}
