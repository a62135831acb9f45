/** A worker that draws and encodes as often as it is told, and says how long each took: see benchmarks/speed/web.py. */

import { draw } from "../src/core/draw.ts";
import type { Published } from "../src/core/wire/community.ts";

self.onmessage = ({ data }: MessageEvent<{ published: Published; friends: number[]; rounds: number }>) => {
  const { published, friends, rounds } = data;
  const [choice] = published.choices;
  if (!choice) return;
  const times = Array.from({ length: rounds }, () => {
    const begun = performance.now();
    draw(published, choice, friends, null);
    return performance.now() - begun;
  });
  self.postMessage(times);
};
