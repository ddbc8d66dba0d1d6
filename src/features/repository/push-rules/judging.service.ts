/** Judges the commits and files that a change of refs brings by the push rules in force, before any ref moves. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { PushRule, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure } from '../../../failure.ts'
import { unreferencedCommits, visitNewCommits } from '../../../git/history/new-commits.ts'
import { branchOf, isDeletion, type RefChange, tagOf } from '../../../git/refs/ref-updates.ts'
import { addressesOf, noReplyAddress } from '../../people/users/users.ts'
import { type Checked, checksOf, type RuleChecks, shown } from './commit-checks.ts'
import { type Judging, judgeFiles } from './files.service.ts'
import { knownAddresses, ruleInForce } from './push-rules.queries.ts'

/** How refs are changed, as far as rules ask. */
export interface Asked {
  /** The folder of new objects; empty for changes by the API. */
  quarantine: string
  isGit: boolean
  /** Whether a merge request is merged: its commits are not of whoever merges it. */
  isMerge: boolean
  /** Options of the push. */
  options: readonly string[]
}

/** How long one push may be judged: what takes longer can be pushed in parts. */
const max_ms = 60_000
/** How much of that time its texts may be matched with expressions, in which nobody else is served. */
const maxMatching_ms = 10_000
/** The option that newer clients send. */
const skipOption = /^secret_push_protection\.skip_all(?:=|$)/

const tooLong = 'This push brings too much to judge it by the push rules of the project within a minute. Push it in parts.'

/** Why the changes are denied, as a sentence for whoever pushes; null if they are allowed. One statement, and nothing else without rules. */
export async function refusalByRules(
  app: App,
  { project, user }: { project: LocatedProject; user: User },
  changes: RefChange[],
  asked: Asked,
): Promise<string | null> {
  const rule = await ruleInForce(app.db, project)
  if (!rule) return null
  const checks = checksOf(rule)
  const refusal = refusalOfNames(rule, checks, project, changes, asked)
  if (refusal !== null) return refusal
  // Other refs are neither built, nor merged, nor shown as branches; what they have is judged once a branch gets it.
  const tips = changes.filter((change) => !isDeletion(change) && (branchOf(change.ref) ?? tagOf(change.ref)) !== null)
  if (tips.length === 0) return null
  const until_ms = performance.now() + max_ms
  const brought = { tips: [...new Set(tips.map(({ after }) => after))], quarantine: asked.quarantine, until_ms }
  const judging: Judging = { app, repo: app.git.open(project.id), rule, checks, brought }
  try {
    return (await refusalOfCommits(judging, user, asked)) ?? (await refusalOfFiles(judging, project, user, asked))
  } catch (error) {
    if (error instanceof Failure && error.code === 'timed_out') return tooLong
    throw error
  }
}

function refusalOfNames(
  rule: PushRule,
  { branchFault }: RuleChecks,
  { default_branch }: LocatedProject,
  changes: RefChange[],
  { isGit, isMerge }: Asked,
): string | null {
  for (const change of changes) {
    if (isDeletion(change)) {
      if (rule.deny_delete_tag && isGit && tagOf(change.ref) !== null) return 'The push rules of this project let git push delete no tags.'
      continue
    }
    const branch = branchOf(change.ref)
    const fault = branch === null || branch === default_branch || isMerge ? null : branchFault(branch)
    if (fault !== null) return fault
  }
  return null
}

const readsCommits = (rule: PushRule) =>
  [rule.commit_message_regex, rule.commit_message_negative_regex, rule.author_email_regex].some((regex) => regex !== '') ||
  rule.member_check ||
  rule.commit_committer_check ||
  rule.commit_committer_name_check ||
  rule.reject_unsigned_commits ||
  rule.reject_non_dco_commits

async function refusalOfCommits(
  { app, repo, rule, checks, brought }: Judging,
  user: User,
  { isGit, isMerge }: Asked,
): Promise<string | null> {
  if (!readsCommits(rule)) return null
  const own = isGit ? new Set<string>() : await unreferencedCommits(repo, brought)
  const addresses = rule.commit_committer_check ? await addressesOf(app.db, user.id) : new Set<string>()
  const pusher = isMerge ? null : { name: user.name, addresses: addresses.add(noReplyAddress(app.config, user).toLowerCase()) }
  const authors = new Map<string, string>()
  let refusal: string | null = null
  let matching_ms = 0
  const isDone = await visitNewCommits(repo, brought, (commit) => {
    const checked: Checked = { pusher, isByService: own.has(commit.oid) }
    const from_ms = performance.now()
    const fault = checks.faultOf(commit, checked)
    matching_ms += performance.now() - from_ms
    if (fault !== null) refusal = `Commit ${named(commit.oid)} is denied by the push rules of this project: ${fault}.`
    const email = commit.author.email.toLowerCase()
    if (rule.member_check && !checked.isByService && !authors.has(email)) authors.set(email, commit.oid)
    return refusal === null && authors.size <= maxAuthors && matching_ms < maxMatching_ms
  })
  if (refusal !== null) return refusal
  if (authors.size > maxAuthors) return `A push may have commits of at most ${maxAuthors} authors where its authors need accounts.`
  if (!isDone || matching_ms >= maxMatching_ms) return tooLong
  return refusalOfStrangers(app, authors)
}

/** Each is looked up. */
const maxAuthors = 10_000

async function refusalOfStrangers(app: App, authors: ReadonlyMap<string, string>): Promise<string | null> {
  const noReply = `@users.noreply.${app.config.hostname}`.toLowerCase()
  const asked = [...authors.keys()].filter((email) => !email.endsWith(noReply))
  const known = await knownAddresses(app.db, asked)
  const stranger = asked.find((email) => !known.has(email))
  if (stranger === undefined) return null
  const commit = named(authors.get(stranger) ?? '')
  return `Commit ${commit} is denied by the push rules of this project: its author, '${shown(stranger)}', has no account here.`
}

async function refusalOfFiles(judging: Judging, project: LocatedProject, user: User, { options }: Asked): Promise<string | null> {
  const { fault, secrets, isLate } = await judgeFiles(judging)
  if (fault !== null) return `${fault.file} is denied by the push rules of this project: ${fault.what}.`
  if (isLate) return tooLong
  if (secrets.length === 0) return null
  const { app, rule } = judging
  if (rule.allow_secrets_by_option && options.some((option) => skipOption.test(option))) {
    const { id, username } = user
    await inTransaction(app.db, (tx) =>
      publish(tx, { type: 'secrets_let_through', project_id: project.id, user: { id, username }, found: secrets }),
    )
    return null
  }
  const way = rule.allow_secrets_by_option ? ' If they are none, push with -o secret_push_protection.skip_all, which is logged.' : ''
  return `This push has what looks like secrets: ${secrets.join('; ')}. Take them out of these commits, and replace them where they are used.${way}`
}

const named = (oid: string) => oid.slice(0, 12)
