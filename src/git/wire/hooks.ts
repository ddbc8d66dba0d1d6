/** The conversation with the hooks of a push: what git proposes and what it did, over two pipes, and our verdict. */
import type { Readable, Writable } from 'node:stream'
import { Failure, isStorageFull, plainWords, storageFull } from '../../failure.ts'
import { maxPushOptions } from '../process/configuration.ts'
import type { RefChange } from '../refs/ref-updates.ts'
import type { Outcome } from './push-report.ts'

/** The changes a push requests, while its objects are in quarantine. */
export interface ProposedPush {
  changes: RefChange[]
  /** The folder of the objects that only this push has. */
  quarantine: string
  /** What was sent with it (`git push -o`). */
  options: string[]
}

/** Lines the pusher sees; null lets the push pass. */
export type Verdict = string[] | null

export interface ReceiveHandlers {
  /** A push that would change more refs is refused before it is looked at. */
  max_changes: number
  /** Before any ref moves. A refusal leaves everything as it was. */
  onProposed: (push: ProposedPush) => Promise<Verdict>
  /** After the refs in `changes` have moved, and before the client gets the report. */
  onReceived: (changes: RefChange[]) => Promise<void>
  /** After git has ended, in whatever way: refs may have moved without `onReceived`. Deals with its failures by itself. */
  onEnded: () => void
}

/** A line with the hook's name, the changes, an empty line; then our verdict. */
export async function answerHooks(fromHook: Readable, toHook: Writable, handlers: ReceiveHandlers, outcome: Outcome): Promise<void> {
  toHook.on('error', () => {})
  fromHook.on('error', () => {})
  let parts: string[] = []
  let end = ''
  let count = 0
  for await (const chunk of fromHook.setEncoding('utf8') as AsyncIterable<string>) {
    count += newlinesIn(chunk)
    // A line with the hook's name and a few options come first, an empty one last. What is too much is read to its end and not kept.
    const tooMany = count - 2 - maxPushOptions > handlers.max_changes
    if (tooMany) parts = []
    else parts.push(chunk)
    end = `${end}${chunk}`.slice(-2)
    // It waits for its verdict, so nothing follows the empty line. A push of many refs comes in many parts, looked at once.
    if (end !== '\n\n') continue
    const message = parts.join('').slice(0, -2)
    const verdict = tooMany
      ? tooManyChanges(count - 2, handlers)
      : await answer(message, handlers).catch((thrown: unknown) => {
          const error = isStorageFull(thrown) ? storageFull(thrown) : thrown
          if (!(error instanceof Failure)) throw error
          // The report of git is replaced: after the refs have moved it would call them received.
          outcome.failure = error
          return [`Gitstead: ${plainWords(error)}`]
        })
    outcome.refusal = verdict?.map(oneLine).join(' ') ?? null
    parts = []
    count = 0
    toHook.write(verdict ? `${verdict.map(oneLine).join('\n')}\n.\n` : 'ok\n')
  }
}

function newlinesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

function tooManyChanges(count: number, { max_changes }: ReceiveHandlers): string[] {
  return [`Gitstead: A push may change at most ${max_changes} refs, and this one would change ${count}. Push them in parts.`]
}

/** The ids that changes begin with have no such letters. */
const optionPrefix = 'option '

async function answer(message: string, handlers: ReceiveHandlers): Promise<Verdict> {
  const [head = '', ...rest] = message.split('\n')
  // The data folder may have a name with spaces.
  const [hook, ...path] = head.split(' ')
  const quarantine = path.join(' ')
  const options = rest.filter((line) => line.startsWith(optionPrefix)).map((line) => line.slice(optionPrefix.length))
  const changes = rest.slice(options.length).map(parseChange)
  if (changes.length > handlers.max_changes) return tooManyChanges(changes.length, handlers)
  if (hook === 'pre-receive') return handlers.onProposed({ changes, quarantine, options })
  await handlers.onReceived(changes)
  return null
}

/** `<before> <after> <ref>`, as git gives it to both hooks. */
function parseChange(line: string): RefChange {
  const [before = '', after = '', ...ref] = line.split(' ')
  return { before, after, ref: ref.join(' ') }
}

/** A line the hook's `read` gives back unchanged, and that can't be taken for its end. */
function oneLine(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ')
  return line === 'ok' || line === '.' ? `${line} ` : line
}
