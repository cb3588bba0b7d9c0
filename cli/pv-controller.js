#!/usr/bin/env node
// Plain JavaScript, so that an older Node says what it lacks instead of stumbling over the first type.
const NEEDED = 24;
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  console.error(`pv-controller needs Node ${NEEDED} or newer, and this is ${process.version}.`);
  console.error('In the repository, after `npm ci`, `npx pv-controller` finds one; or put one first on PATH.');
  process.exitCode = 3;
} else {
  await import('./main.ts');
}
