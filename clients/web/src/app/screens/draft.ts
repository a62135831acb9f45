/** What a member has chosen so far, on the way to her report. It lives in this page only, and ends with it. */

import type { ChoiceView, CommunityView } from "../views.ts";

export interface Draft {
  readonly community: CommunityView;
  choice: ChoiceView;
  /** Her friends here: number and name. */
  readonly friends: Map<number, string>;
  /** How many names her files held; null where she gave none. */
  total: number | null;
  /** Whether she said that she has no friends here. */
  nobody: boolean;
}

/** A list that nothing protects is a choice that she makes, and none that is made for her where there is another. */
export function newDraft(community: CommunityView): Draft {
  const affordable = community.choices.find((choice) => choice.epsilon !== null && accepts(community, choice));
  const choice = affordable ?? community.choices[0] ?? { name: "", epsilon: null };
  return { community, choice, friends: new Map(), total: null, nobody: false };
}

/** Whether a choice is within what she accepted here before. */
export const accepts = ({ accepted }: CommunityView, { epsilon }: ChoiceView): boolean =>
  accepted === null || (epsilon !== null && epsilon <= accepted);
