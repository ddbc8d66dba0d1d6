/** Tells errors of clients from errors of the server by how git's message begins; what follows may be text of the client. */
import { Failure } from '../../failure.ts'
import { gitFailure } from '../process/git-failure.ts'

/** Messages of git about failing files, processes or memory. */
const ofTheServer =
  /^(?:fatal|error): (?:unable to|could not|cannot|can't|failed to|bad object|bad tree|missing |object file |loose object |packfile |index file |pack has |not a git repository|detected dubious|.{0,200}(?: is corrupt|: No space left|: Disk quota|: Permission denied|: Input\/output error|: Too many open files))/im

/** How git reports a client's error: by `die`, or by an internal check that an unexpected packet triggered. */
const ofTheClient = /^(?:fatal: |BUG: serve\.c)/m

const maxWords_chars = 200

/** The failure of a service that ended before its first byte of output. */
export function serviceFailure(code: number, stderr: string): Failure {
  if (ofTheServer.test(stderr) || !ofTheClient.test(stderr)) return gitFailure(['of a client'], code, stderr)
  const message = /^fatal: (.*)$/m.exec(stderr)?.[1]
  const sentence = ['This is no request that git understands', message && wordsOf(message)].filter(Boolean).join(': ')
  return new Failure('invalid', `${sentence}.`, { cause: new Error(stderr.trim()) })
}

/** Git's message on one line, in printable characters; empty if it names files of this machine. */
function wordsOf(said: string): string {
  const words = said.replace(/^git [a-z-]+: /, '').slice(0, maxWords_chars)
  return /(?:^|[\s'"(])\//.test(words) ? '' : words.replace(/[^\x20-\x7e]/g, '?')
}
