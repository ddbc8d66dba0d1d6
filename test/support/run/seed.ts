/** Random choices of tests are reproducible: a failure occurs again with the same seed. */

/** Changing it changes what is tested: a new random choice never affects an unrelated change. */
export const seed = Number(process.env.GITSTEAD_TEST_SEED || 20_261_127)

/** Numbers from 0 (inclusive) to 1 (exclusive), in a separate sequence for each name, by the generator mulberry32. */
export function chanceOf(name: string): () => number {
  let state = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, seed | 0)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
