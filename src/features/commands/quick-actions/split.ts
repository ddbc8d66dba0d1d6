/** Separates the quick actions of a text from the rest: lines that begin with `/name`, outside of code, quotes and HTML. */
import { invalid } from '../../../failure.ts'
import { nameOfAction } from './names.ts'

/** One quick action of a text. */
export interface Command {
  /** Canonical name, without the slash and in lower case; aliases are replaced. */
  name: string
  /** The rest of its line. */
  argument: string
}

export interface SplitText {
  /** The text without its quick actions; unchanged if it has none. */
  text: string
  commands: Command[]
}

/** Each action is a separate change, and nobody writes more by hand. */
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

/** The beginning of a block, in its first line. */
interface Opening {
  kind: string
  /** If a block of this size has no end, neither has a larger one of its kind. */
  size: number
  isEnd: (line: string) => boolean
}

const blocks = [
  { kind: 'quote', begins: /^>>>/, ends: /^>>>\s*$/ },
  { kind: 'html', begins: /^<[^>]+>$/, ends: /^<\/[^>]+>$/ },
]

function openingOf(line: string): Opening | null {
  const fence = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[0]
  if (fence) return { kind: fence.slice(0, 1), size: fence.length, isEnd: (end) => closes(end.trimEnd(), fence) }
  const block = blocks.find(({ begins }) => begins.test(line))
  return block ? { kind: block.kind, size: 1, isEnd: (end) => block.ends.test(end) } : null
}

/** A fence is closed by at least as many of its characters, and nothing else. */
function closes(line: string, fence: string): boolean {
  return line.length >= fence.length && line === fence.slice(0, 1).repeat(line.length)
}

const isEndOfComment = (line: string) => line.includes('-->')

/** Finds the end line of the block that begins in a line; null if none begins, or it has no end. */
function blockFinder(lines: string[]): (start: number) => number | null {
  // A block without an end here has none further down either; searching again in each line of a long text would take minutes.
  const endless = new Map<string, number>()
  const find = (from: number, { kind, size, isEnd }: Opening) => {
    if (size >= (endless.get(kind) ?? Number.POSITIVE_INFINITY)) return null
    for (let at = from; at < lines.length; at += 1) if (isEnd(lines[at] as string)) return at
    endless.set(kind, size)
    return null
  }
  return (start) => {
    const line = lines[start] as string
    // A comment may end on its first line.
    if (line.startsWith('<!--')) return find(start, { kind: 'comment', size: 1, isEnd: isEndOfComment })
    const opening = openingOf(line)
    return opening && find(start + 1, opening)
  }
}
