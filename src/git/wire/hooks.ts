/**
 * The conversation with the hooks of a push over two pipes: git sends the proposed and the completed changes, the server replies with a
 * verdict.
 */
import type { Readable, Writable } from 'node:stream'
import { Failure, isStorageFull, plainWords, storageFull } from '../../failure.ts'
import { maxPushOptions } from '../process/configuration.ts'
import type { RefChange } from '../refs/ref-updates.ts'
import type { Outcome } from './push-report.ts'

/** The changes that a push requests, while its objects are in quarantine. */
export interface ProposedPush {
  changes: RefChange[]
  /** The folder of the objects that only this push has. */
  quarantine: string
  /** Options sent with the push (`git push -o`). */
  options: string[]
}

/** Lines shown to the user who pushes; null accepts the push. */
export type Verdict = string[] | null

export interface ReceiveHandlers {
  /** A push that changes more refs is rejected without a closer look. */
  max_changes: number
  /** Called before any ref moves. A refusal leaves everything unchanged. */
  onProposed: (push: ProposedPush) => Promise<Verdict>
  /** Called after the refs in `changes` have moved, and before the client gets the report. Returns lines shown to the user who pushes. */
  onReceived: (changes: RefChange[]) => Promise<string[]>
  /** Called after git has ended, in whatever way: refs may have moved without `onReceived`. Must handle its own failures. */
  onEnded: () => void
}

/** Reads the message of a hook, a line with its name, the changes and an empty line, and sends the verdict. */
export async function answerHooks(fromHook: Readable, toHook: Writable, handlers: ReceiveHandlers, outcome: Outcome): Promise<void> {
  toHook.on('error', () => {})
  fromHook.on('error', () => {})
  let parts: string[] = []
  let end = ''
  let count = 0
  for await (const chunk of fromHook.setEncoding('utf8') as AsyncIterable<string>) {
    count += newlinesIn(chunk)
    // The message has a line with the name and a few options at its beginning, and an empty line at its end. Lines beyond the limit are
    // read but not kept.
    const tooMany = count - 2 - maxPushOptions > handlers.max_changes
    if (tooMany) parts = []
    else parts.push(chunk)
    end = `${end}${chunk}`.slice(-2)
    // The hook waits for the verdict, so nothing follows the empty line. A push of many refs arrives in many chunks, each examined once.
    if (end !== '\n\n') continue
    const message = parts.join('').slice(0, -2)
    const { verdict, notes = [] }: Answer = tooMany
      ? { verdict: tooManyChanges(count - 2, handlers) }
      : await answer(message, handlers).catch((thrown: unknown) => {
          const error = isStorageFull(thrown) ? storageFull(thrown) : thrown
          if (!(error instanceof Failure)) throw error
          // Git's own report would claim success once the refs have moved, so it is replaced.
          outcome.failure = error
          return { verdict: [`Gitstead: ${plainWords(error)}`] }
        })
    outcome.refusal = verdict?.map(oneLine).join(' ') ?? null
    parts = []
    count = 0
    toHook.write([...(verdict ?? notes).map(oneLine), verdict ? '.' : 'ok', ''].join('\n'))
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

/** Changes begin with ids in hexadecimal, so no change has this prefix. */
const optionPrefix = 'option '

interface Answer {
  verdict: Verdict
  /** Lines shown to the user whose push is accepted. */
  notes?: string[]
}

async function answer(message: string, handlers: ReceiveHandlers): Promise<Answer> {
  const [head = '', ...rest] = message.split('\n')
  // The path of the data folder may contain spaces.
  const [hook, ...path] = head.split(' ')
  const quarantine = path.join(' ')
  const options = rest.filter((line) => line.startsWith(optionPrefix)).map((line) => line.slice(optionPrefix.length))
  const changes = rest.slice(options.length).map(parseChange)
  if (changes.length > handlers.max_changes) return { verdict: tooManyChanges(changes.length, handlers) }
  if (hook === 'pre-receive') return { verdict: await handlers.onProposed({ changes, quarantine, options }) }
  return { verdict: null, notes: await handlers.onReceived(changes) }
}

/** Parses `<before> <after> <ref>`, as git passes it to both hooks. */
function parseChange(line: string): RefChange {
  const [before = '', after = '', ...ref] = line.split(' ')
  return { before, after, ref: ref.join(' ') }
}

/** Text that the hook's `read` passes on unchanged, and that can't be taken for the end of the message. */
function oneLine(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ')
  return line === 'ok' || line === '.' ? `${line} ` : line
}
