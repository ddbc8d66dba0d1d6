/** Text for bash, and for those who read traces. */

export const reset = '\x1b[0;m'
export const clearLine = '\x1b[0K'
const styles = { notice: '\x1b[32;1m', warning: '\x1b[0;33m', error: '\x1b[31;1m', stage: '\x1b[0K\x1b[36;1m' }

/** A line of the trace by the runner itself. */
export function styled(style: keyof typeof styles, text: string): string {
  return `${styles[style]}${text}${reset}\n`
}

/** One word of bash that means the text, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A command that prints a line in the colour of notices. */
export function echo(style: keyof typeof styles, text: string): string {
  return `echo ${quote(styled(style, text).slice(0, -1))}`
}

/** A section of the trace, which readers fold. */
export function sectionMark(kind: 'start' | 'end', name: string): string {
  return `section_${kind}:${Math.floor(Date.now() / 1000)}:${name}\r${clearLine}`
}
