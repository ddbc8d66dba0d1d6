/** Splits a text into what it says and its quick actions: lines that begin with `/name`, outside of code, quotes and HTML. */
import { invalid } from '../../../failure.ts'
import { nameOfAction } from './names.ts'

/** One quick action of a text. */
export interface Command {
  /** Without the slash, in lower case, as it is listed: aliases are replaced. */
  name: string
  /** What stands after it in its line. */
  argument: string
}

export interface SplitText {
  /** The text without its quick actions; as sent where it has none. */
  text: string
  commands: Command[]
}

/** Each is a change of its own: more than this nobody writes by hand. */
const maxCommands = 100

const appended: Record<string, string> = { shrug: '¯\\＿(ツ)＿/¯', tableflip: '(╯°□°)╯︵ ┻━┻' }

/** Throws 400 for a text with too many quick actions. */
export function splitQuickActions(written: string): SplitText {
  if (!/^\//m.test(written)) return { text: written, commands: [] }
  const lines = written.split(/\r?\n/)
  const kept: string[] = []
  const commands: Command[] = []
  let hasChanged = false
  const endOfBlock = blockFinder(lines)
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string
    const end = endOfBlock(at)
    if (end !== null) {
      for (; at < end; at += 1) kept.push(lines[at] as string)
      kept.push(lines[end] as string)
      continue
    }
    const command = commandIn(line)
    const suffix = command && appended[command.name]
    if (command === null) kept.push(line)
    else if (suffix) kept.push(`${command.argument} ${suffix}`.trim())
    else if (commands.push(command) > maxCommands) throw invalid(`A text can have ${maxCommands} quick actions at most`)
    hasChanged ||= command !== null
  }
  return hasChanged ? { text: kept.join('\n').trim(), commands } : { text: written, commands }
}

function commandIn(line: string): Command | null {
  const [, word = '', argument = ''] = /^\/([A-Za-z_]+)(?: (.*)| *)$/.exec(line) ?? []
  const name = nameOfAction(word.toLowerCase())
  return name === null ? null : { name, argument: argument.trim() }
}

const blocks: Array<{ begins: RegExp; ends: RegExp }> = [
  { begins: /^```/, ends: /^```\s*$/ },
  { begins: /^>>>/, ends: /^>>>\s*$/ },
  { begins: /^<[^>]+>$/, ends: /^<\/[^>]+>$/ },
]

/** Finds the line that ends the block which begins in a line; null where none begins, or where it doesn't end. */
function blockFinder(lines: string[]): (start: number) => number | null {
  // What doesn't end once doesn't end further down either: looked for again in each line, a long text would take minutes.
  const endless = new Set<RegExp>()
  return (start) => {
    const block = blocks.find(({ begins }) => begins.test(lines[start] as string))
    if (!block || endless.has(block.ends)) return null
    for (let at = start + 1; at < lines.length; at += 1) if (block.ends.test(lines[at] as string)) return at
    endless.add(block.ends)
    return null
  }
}
