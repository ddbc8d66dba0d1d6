/** Random numbers that are the same in every run. */

/** A sequence of numbers below `max`. */
export function numbers(seed: number): (max: number) => number {
  let state = seed
  return (max) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 8) % max
  }
}
