import { bundleDigest } from "./bundle.ts";

const app = document.querySelector("#app");
if (app) app.textContent = `Bundle ${await bundleDigest()}`;
