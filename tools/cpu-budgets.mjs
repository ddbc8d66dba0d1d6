/** What the gate may cost: each file of tests its budget of processor time, and all together a sum. */

/** Seconds of a test file that names no budget (`cpuBudget` of `test/support/run/cpu.ts`). */
export const usual_s = 5
/** Of the whole gate, as it was measured; the aim is 800. Lower it when the gate gets cheaper: else it grows again, and nobody decided that. */
export const whole_s = 1120
/**
 * The same work takes up to so many times as long on another machine, and as the processors that share a core and a cache do other work
 * or none: what is refused must have grown.
 */
const noise = 1.6
/** Beside the work of others. */
const noiseBesideOthers = 2.4
/** A share of the machine that others may have while it still counts as quiet. */
const quiet = 0.1

/**
 * A line for each budget that is exceeded, and not by noise alone. `others` is the share of the machine's processor time that other work had.
 * @param {Array<{ name: string, cpu_s: number, budget_s: number }>} files @param {number} sum_s @param {number} others
 */
export function exceeded(files, sum_s, others) {
  const factor = others > quiet ? noiseBesideOthers : noise
  const over = files
    .filter(({ cpu_s, budget_s }) => cpu_s > budget_s * factor)
    .map(({ name, cpu_s, budget_s }) => `${name} took ${cpu_s.toFixed(1)} s of processor; its budget in the gate is ${budget_s} s`)
  return sum_s > whole_s * factor ? [...over, `The gate took ${sum_s.toFixed(0)} s of processor; its budget is ${whole_s} s`] : over
}
