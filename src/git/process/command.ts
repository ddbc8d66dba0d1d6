/** Arguments for git that are safe by construction: no shell is involved, and git can't take a value for an option. */
import { Failure } from '../../failure.ts'

/**
 * Turns `` command`rev-list --max-count=${20} ${oid} -- ${path}` `` into an array of arguments. The literal words are
 * trusted. A value that stands alone is refused when it begins with `-`, unless the word `--` came before it; a value
 * glued to a word (`--max-count=${n}`) is part of that word. An array gives one argument for each of its items.
 */
export function command(words: TemplateStringsArray, ...values: Array<string | number | readonly string[]>): string[] {
  const args: string[] = []
  let open = false
  words.forEach((literal, index) => {
    const parts = literal.split(/\s+/)
    parts.forEach((part, position) => {
      if (position > 0) open = false
      if (part === '') return
      if (open) args[args.length - 1] += part
      else args.push(part)
      open = true
    })
    if (index < values.length) open = append(args, open, values[index] as string | number | readonly string[])
  })
  return args
}

/** Returns whether the next literal is glued to what was appended. */
function append(args: string[], glued: boolean, value: string | number | readonly string[]): boolean {
  const items = (Array.isArray(value) ? value : [String(value)]) as readonly string[]
  for (const item of items) {
    if (item.includes('\0')) throw refused(item)
    if (glued) args[args.length - 1] += item
    else if (item.startsWith('-') && !args.includes('--')) throw refused(item)
    else args.push(item)
  }
  return items.length > 0
}

function refused(value: string): Failure {
  return new Failure('invalid', '400 Bad request', { cause: new Error(`git would misread the argument ${JSON.stringify(value)}`) })
}
