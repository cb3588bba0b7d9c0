/** The seeds of a run: FAULTS_SEED is the first of them, and FAULTS_SEEDS their number. */

export const FIRST_SEED = wholeNumber('FAULTS_SEED', 1);
export const SEEDS = Array.from({ length: wholeNumber('FAULTS_SEEDS', 2) }, (_, index) => FIRST_SEED + index);

function wholeNumber(variable: string, preset: number): number {
  const text = process.env[variable] ?? String(preset);
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Error(`${variable} must be a whole number from 1, got "${text}"`);
  return Number(text);
}
