/** The trailers of a commit message, `Signed-off-by: …` and the like, by the rules of `git interpret-trailers`. */

/** Trailers are at the end, so only this much of a message is parsed. */
const maxLooked_chars = 16 * 1024

const token = /^([A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:(.*)$/
/** Lines written by git itself: if one is present, a quarter of the lines need to be trailers. */
const ofGit = /^(?:Signed-off-by: |\(cherry picked from commit )/

/** Trailers by name; the last one of each name. Empty if the last paragraph is also the first, or isn't made of trailers. */
export function trailersOf(message: string): Record<string, string> {
  const text = message.trimEnd().slice(-maxLooked_chars)
  const at = text.lastIndexOf('\n\n')
  if (at < 0 || !text.includes(':', at)) return {}
  const lines = unfolded(text.slice(at + 2))
  const found = lines.flatMap((line) => {
    const [, name, value = ''] = token.exec(line) ?? []
    return name === undefined ? [] : [[name, value.trim()] as const]
  })
  const needed = lines.some((line) => ofGit.test(line)) ? lines.length / 4 : lines.length
  return found.length > 0 && found.length >= needed ? Object.fromEntries(found) : {}
}

/** A line that begins with a space continues the line before it. */
function unfolded(paragraph: string): string[] {
  const lines: string[] = []
  for (const line of paragraph.split('\n')) {
    if (/^[ \t]/.test(line) && lines.length > 0) lines.push(`${lines.pop()} ${line.trim()}`)
    else lines.push(line.trimEnd())
  }
  return lines
}
