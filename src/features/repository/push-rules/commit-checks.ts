/** Checks commits, branches and files against push rules: pure functions that answer with a sentence for the user who pushes. */
import { RE2JS } from 're2js'
import { compileRegex } from '../../../ci/text/regex.ts'
import type { PushRule } from '../../../db/tables.ts'
import type { NewCommit } from '../../../git/history/new-commits.ts'

/** Each may be tried for each character of each message. */
export const maxInstructions = 500
/** Instructions times characters of one match, which holds up everybody else: a tenth of a second in the worst case. */
const maxSteps = 2_000_000
/** Beyond it a message isn't matched, and is denied where a rule asks for that. */
const maxMessage_chars = 32_768
const maxAddress_chars = 1_000

/** The user who pushes, and the exceptions that apply to the commit. */
export interface Checked {
  /** The name and confirmed addresses, in lower case, of whoever pushes; null for commits that others bring, such as those of a fork. */
  pusher: { name: string; addresses: ReadonlySet<string> } | null
  /** Whether the service has written the commit: it can't sign, and names authors by what they asked for. */
  isByService: boolean
}

export interface RuleChecks {
  /** Describes the first fault of the commit; null if it passes. */
  faultOf: (commit: NewCommit, checked: Checked) => string | null
  branchFault: (branch: string) => string | null
  /** The fault of a file that is new at this path; null if it has none. */
  pathFault: (path: string) => string | null
}

/** Compiles the expressions of a rule, which were checked when it was saved. */
export function checksOf(rule: PushRule): RuleChecks {
  const [wanted, unwanted] = [regexOf(rule.commit_message_regex, true), regexOf(rule.commit_message_negative_regex, true)]
  const [branches, emails, files] = [regexOf(rule.branch_name_regex), regexOf(rule.author_email_regex), regexOf(rule.file_name_regex)]
  const readsMessage = wanted !== null || unwanted !== null || rule.reject_non_dco_commits
  const maxMessage = Math.min(maxMessage_chars, maxCharsOf(wanted), maxCharsOf(unwanted))

  const messageFault = ({ message, isCut }: NewCommit): string | null => {
    if (!readsMessage) return null
    if (isCut || message.length > maxMessage) return `its message ${isTooLong(maxMessage)}`
    if (wanted && !wanted.test(message)) return `its message doesn't match the pattern '${rule.commit_message_regex}'`
    if (unwanted?.test(message.trimEnd())) return `its message matches the forbidden pattern '${rule.commit_message_negative_regex}'`
    const isMissing = rule.reject_non_dco_commits && !isSignedOff(message)
    return isMissing
      ? 'its message has no line "Signed-off-by: name <email>", the Developer Certificate of Origin (git commit --signoff)'
      : null
  }
  const addressFault = (who: 'author' | 'committer', email: string): string | null => {
    if (!emails || (email.length <= maxAddress_chars && emails.test(email))) return null
    return `the address of its ${who}, '${shown(email)}', doesn't match the pattern '${rule.author_email_regex}'`
  }
  const pusherFault = ({ author, committer }: NewCommit, { pusher, isByService }: Checked): string | null => {
    if (!pusher || isByService) return null
    if (rule.commit_committer_check && !pusher.addresses.has(committer.email.toLowerCase()))
      return `its committer, '${shown(committer.email)}', is not a confirmed address of your account`
    const differs = rule.commit_committer_name_check && author.name !== pusher.name
    return differs ? `its author, '${shown(author.name)}', is not called as your account is, '${pusher.name}'` : null
  }

  return {
    faultOf(commit, checked) {
      const isUnsigned = rule.reject_unsigned_commits && !commit.isSigned && !checked.isByService
      return (
        messageFault(commit) ??
        addressFault('author', commit.author.email) ??
        addressFault('committer', commit.committer.email) ??
        pusherFault(commit, checked) ??
        (isUnsigned ? 'it is not signed' : null)
      )
    },
    branchFault(branch) {
      if (!branches) return null
      if (branch.length > maxCharsOf(branches)) return `The branch '${shown(branch)}' ${isTooLong(maxCharsOf(branches))}.`
      return branches.test(branch) ? null : `The branch '${shown(branch)}' doesn't match the pattern '${rule.branch_name_regex}'.`
    },
    pathFault(path) {
      if (!files) return null
      if (path.length > maxCharsOf(files)) return `its path ${isTooLong(maxCharsOf(files))}`
      return files.test(path) ? `its path matches the forbidden pattern '${rule.file_name_regex}'` : null
    },
  }
}

/** The longest text that the expression is matched with. */
function maxCharsOf(regex: RE2JS | null): number {
  return regex ? Math.floor(maxSteps / regex.programSize()) : Number.POSITIVE_INFINITY
}

const isTooLong = (max_chars: number) => `has more than ${max_chars} characters, which no rule is matched with`

/** Whether a line is `Signed-off-by: name <email>`. As an expression this would take cubic time. */
function isSignedOff(message: string): boolean {
  return message.split(/[\n\r\u2028\u2029]/).some((line) => {
    if (!line.startsWith('Signed-off-by:')) return false
    const start = line.indexOf('<', 'Signed-off-by:'.length + 1)
    const at = start < 0 ? -1 : line.indexOf('@', start + 2)
    return at >= 0 && line.lastIndexOf('>') > at + 1
  })
}

/** Messages have lines, so `^` and `$` are at each of them. */
function regexOf(source: string, hasLines = false): RE2JS | null {
  return source === '' ? null : compileRegex(source, hasLines ? RE2JS.MULTILINE : 0)
}

const maxShown_chars = 200

/** Text of whoever pushes, for a terminal: on one line, without what could move its cursor, and short. */
export function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, '?')
  return line.length > maxShown_chars ? `${line.slice(0, maxShown_chars)}…` : line
}
