/** Where tests choose by chance they choose the same each time: a failure comes again under the same seed. */

/** A change of it is a change of what is tested: no submission meets by chance what another one brought. */
export const seed = Number(process.env.GITSTEAD_TEST_SEED || 20_261_127)

/** Numbers from 0 to below 1 in a row of their own for each name, by the generator mulberry32. */
export function chanceOf(name: string): () => number {
  let state = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, seed | 0)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
