/** The budgets of processor time of the gate: for each test file, and for all together. */

/** Seconds for a test file without a budget of its own (`cpuBudget` of `test/support/run/cpu.ts`). */
export const usual_s = 5
/** Seconds for the whole gate, as measured; the goal is 800. Lower it when the gate gets cheaper, so that it doesn't grow unnoticed. */
export const whole_s = 1000
/**
 * Another machine, or other work that shares cores and caches, may slow the same work by this factor: only real growth should fail. A
 * single file varies more than all together: one took between 11.4 and 15.4 s within a day on the same machine.
 */
const noise = 2
const noiseOfSum = 1.6
/** The factor for a sum that was measured while other work used the machine. */
const noiseBesideOthers = 2.4
/** The share of the machine that other work may use while it still counts as quiet. */
const quiet = 0.1

/**
 * A line for each budget that is exceeded by more than noise. `others` is the share of the machine's processor time used by other work.
 * @param {Array<{ name: string, cpu_s: number, budget_s: number }>} files
 * @param {number} sum_s
 * @param {number} others
 */
export function exceeded(files, sum_s, others) {
  const isQuiet = others <= quiet
  const factor = isQuiet ? noise : noiseBesideOthers
  const over = files
    .filter(({ cpu_s, budget_s }) => cpu_s > budget_s * factor)
    .map(({ name, cpu_s, budget_s }) => `${name} took ${cpu_s.toFixed(1)} s of processor; its budget in the gate is ${budget_s} s`)
  return sum_s > whole_s * (isQuiet ? noiseOfSum : noiseBesideOthers)
    ? [...over, `The gate took ${sum_s.toFixed(0)} s of processor; its budget is ${whole_s} s`]
    : over
}
