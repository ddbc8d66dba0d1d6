/** Paths that contain the letters of a query in order, best match first. */

/** At most `max`. Letters that are adjacent, start a word or are in the name of the file count more. */
export function rank(paths: readonly string[], query: string, max: number): string[] {
  if (query === '') return paths.slice(0, max)
  const wanted = query.toLowerCase().replace(/\s+/g, '')
  const found: Array<{ path: string; score: number }> = []
  for (const path of paths) {
    const score = scoreOf(path, wanted)
    if (score > 0) found.push({ path, score })
  }
  return found
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length)
    .slice(0, max)
    .map(({ path }) => path)
}

/** 0 if a letter is missing. */
function scoreOf(path: string, wanted: string): number {
  const text = path.toLowerCase()
  const whole = text.lastIndexOf(wanted)
  const nameStart = text.lastIndexOf('/') + 1
  if (whole >= 0) return 1_000 + (whole >= nameStart ? 500 : 0) + (whole === nameStart ? 500 : 0)
  // From the end, as users think of the name of the file.
  let score = 1
  let before = -2
  let at = text.length
  for (let index = wanted.length - 1; index >= 0; index -= 1) {
    at = text.lastIndexOf(wanted[index] ?? '', at - 1)
    if (at < 0) return 0
    if (at === before - 1) score += 5
    if (at >= nameStart) score += 2
    if (at === 0 || /[/._-]/.test(text[at - 1] ?? '')) score += 3
    before = at
    if (at === 0 && index > 0) return 0
  }
  return score
}
