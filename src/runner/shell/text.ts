/** Text for bash and for traces. */

export const reset = '\x1b[0;m'
export const clearLine = '\x1b[0K'
const styles = { notice: '\x1b[32;1m', warning: '\x1b[0;33m', error: '\x1b[31;1m', stage: '\x1b[0K\x1b[36;1m' }

/** A line of the runner itself in the trace. */
export function styled(style: keyof typeof styles, text: string): string {
  return `${styles[style]}${text}${reset}\n`
}

/** Quotes any text as one word of bash. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A command that prints a line in a style. */
export function echo(style: keyof typeof styles, text: string): string {
  return `echo ${quote(styled(style, text).slice(0, -1))}`
}

/** Marks a collapsible section of the trace. */
export function sectionMark(kind: 'start' | 'end', name: string): string {
  return `section_${kind}:${Math.floor(Date.now() / 1000)}:${name}\r${clearLine}`
}
