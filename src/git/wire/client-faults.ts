/** Distinguishes errors of clients from errors of the server, by the beginning of git's message: the rest may come from the client. */
import { Failure } from '../../failure.ts'
import { gitFailure } from '../process/git-failure.ts'

/** Messages of git about failing files, processes or memory. */
const ofTheServer =
  /^(?:fatal|error): (?:unable to|could not|cannot|can't|failed to|bad object|bad tree|missing |object file |loose object |packfile |index file |pack has |not a git repository|detected dubious|.{0,200}(?: is corrupt|: No space left|: Disk quota|: Permission denied|: Input\/output error|: Too many open files))/im

/** How git ends: by `die`, or by a check of itself that a packet out of place has reached. */
const ofTheClient = /^(?:fatal: |BUG: serve\.c)/m

const maxWords_chars = 200

/** The failure of a service that ended before its first byte. */
export function serviceFailure(code: number, stderr: string): Failure {
  if (ofTheServer.test(stderr) || !ofTheClient.test(stderr)) return gitFailure(['of a client'], code, stderr)
  const message = /^fatal: (.*)$/m.exec(stderr)?.[1]
  const sentence = ['This is no request that git understands', message && wordsOf(message)].filter(Boolean).join(': ')
  return new Failure('invalid', `${sentence}.`, { cause: new Error(stderr.trim()) })
}

/** In one line of plain characters. Where files of this machine are named, nothing. */
function wordsOf(said: string): string {
  const words = said.replace(/^git [a-z-]+: /, '').slice(0, maxWords_chars)
  return /(?:^|[\s'"(])\//.test(words) ? '' : words.replace(/[^\x20-\x7e]/g, '?')
}
