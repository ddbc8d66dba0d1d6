/** Whatever names a user has a rule for their deletion, and the rule is what happens: a column that was forgotten fails. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Forge, TestUser } from '../../support/forge.ts'
import { openWorld } from '../world/world.ts'
import { type Column, columnsOf, nameOf } from './schema.ts'

/** A row is deleted, or it names the Ghost User, or nobody, or still the user. */
type Outcome = 'deleted' | 'ghost' | 'nobody' | 'kept'

/** The fate of a row when the user that the column names is deleted; after the comma that with `hard_delete`, if it differs. */
const rules: Record<string, Outcome | `${Outcome}, ${Outcome}`> = {
  'abuse_reports.reporter_id': 'deleted',
  'abuse_reports.user_id': 'deleted',
  'access_requests.user_id': 'deleted',
  'access_tokens.created_by_id': 'deleted',
  'access_tokens.user_id': 'deleted',
  'account_tokens.user_id': 'deleted',
  'approval_rule_users.user_id': 'deleted',
  'approvals.user_id': 'deleted',
  'audit_events.author_id': 'kept',
  'award_emoji.left_by_id': 'kept',
  'award_emoji.user_id': 'ghost, deleted',
  'chat_names.user_id': 'deleted',
  'ci_deployment_approvals.user_id': 'deleted',
  'ci_deployments.user_id': 'nobody',
  'ci_environment_rules.user_id': 'deleted',
  'ci_jobs.erased_by_id': 'nobody',
  'ci_runners.creator_id': 'nobody',
  'ci_schedules.owner_id': 'nobody',
  'ci_triggers.owner_id': 'deleted',
  'commit_statuses.author_id': 'ghost, nobody',
  'custom_attributes.user_id': 'deleted',
  'draft_notes.author_id': 'deleted',
  'emails.user_id': 'deleted',
  'events.author_id': 'ghost, deleted',
  'feature_gates.user_id': 'deleted',
  'gpg_keys.user_id': 'deleted',
  'identities.user_id': 'deleted',
  'invitations.created_by_id': 'nobody',
  'issue_assignees.user_id': 'deleted',
  'issue_mentions.user_id': 'deleted',
  'issues.author_id': 'ghost, deleted',
  'issues.closed_by_id': 'nobody',
  'issues.last_edited_by_id': 'ghost',
  'known_networks.user_id': 'deleted',
  'label_events.user_id': 'ghost',
  'lfs_locks.user_id': 'deleted',
  'mails.user_id': 'deleted',
  'members.user_id': 'deleted',
  'merge_request_assignees.user_id': 'deleted',
  'merge_request_mentions.user_id': 'deleted',
  'merge_request_reviewers.user_id': 'deleted',
  'merge_requests.author_id': 'ghost, deleted',
  'merge_requests.closed_by_id': 'nobody',
  'merge_requests.last_edited_by_id': 'ghost',
  'merge_requests.merge_user_id': 'nobody',
  'merge_requests.merged_by_id': 'ghost',
  'merge_train_cars.user_id': 'nobody',
  'milestone_events.user_id': 'ghost',
  'namespaces.owner_id': 'deleted',
  'notes.author_id': 'ghost, deleted',
  'notes.last_edited_by_id': 'ghost',
  'notes.resolved_by_id': 'ghost',
  'notification_settings.user_id': 'deleted',
  'oauth_applications.owner_id': 'deleted',
  'oauth_grants.user_id': 'deleted',
  'packages.creator_id': 'nobody',
  'passkeys.user_id': 'deleted',
  'pending_sign_ins.user_id': 'deleted',
  'pending_versions.user_id': 'ghost',
  'pinned_projects.user_id': 'deleted',
  'pipelines.user_id': 'ghost, nobody',
  'project_imports.user_id': 'nobody',
  'project_stars.user_id': 'deleted',
  'projects.creator_id': 'ghost, nobody',
  'pull_mirrors.user_id': 'nobody',
  'push_intents.user_id': 'ghost',
  'push_mirrors.user_id': 'nobody',
  'recovery_codes.user_id': 'deleted',
  'releases.author_id': 'ghost',
  'service_accounts.user_id': 'deleted',
  'sessions.impersonator_id': 'deleted',
  'sessions.user_id': 'deleted',
  'sign_in_failures.user_id': 'kept',
  'snippet_comments.author_id': 'ghost, deleted',
  'snippets.author_id': 'deleted',
  'spam_logs.user_id': 'deleted',
  'ssh_keys.creator_id': 'nobody',
  'ssh_keys.user_id': 'deleted',
  'stacked_merges.user_id': 'deleted',
  'state_events.user_id': 'ghost',
  'subscriptions.user_id': 'deleted',
  'terraform_states.locked_by_id': 'nobody',
  'terraform_versions.created_by_id': 'nobody',
  'time_logs.user_id': 'ghost',
  'todos.author_id': 'ghost, deleted',
  'todos.user_id': 'deleted',
  'totp_factors.user_id': 'deleted',
  'uploads.user_id': 'ghost, nobody',
  'user_follows.followed_id': 'deleted',
  'user_follows.follower_id': 'deleted',
  'user_statuses.user_id': 'deleted',
  'viewed_files.user_id': 'deleted',
}

/** Why such a column names nobody any more, or still the user, where it could name the Ghost User. */
const withoutGhost: Record<string, string> = {
  'audit_events.author_id': 'the log says who did it, whoever is left',
  'award_emoji.left_by_id': 'is the id of the deleted user itself: it keeps the awards of several apart',
  'ci_deployments.user_id': 'a deployment is of its job',
  'ci_jobs.erased_by_id': 'that it was erased is what counts',
  'ci_runners.creator_id': 'a runner belongs to its place',
  'ci_schedules.owner_id': 'no pipeline runs in the name of somebody who is gone',
  'invitations.created_by_id': 'nobody joins by what somebody sent who is gone',
  'issues.closed_by_id': 'the state event says who closed it',
  'merge_requests.closed_by_id': 'the state event says who closed it',
  'merge_requests.merge_user_id': 'nothing is merged in the name of somebody who is gone',
  'merge_train_cars.user_id': 'nothing is merged in the name of somebody who is gone',
  'packages.creator_id': 'a package is of its project',
  'project_imports.user_id': 'an import in the name of somebody who is gone fails',
  'pull_mirrors.user_id': 'no mirror runs in the name of somebody who is gone',
  'push_mirrors.user_id': 'no mirror runs in the name of somebody who is gone',
  'sign_in_failures.user_id': 'deleted within a day',
  'ssh_keys.creator_id': 'a deploy key belongs to its projects',
  'terraform_states.locked_by_id': 'a lock is held by its id',
  'terraform_versions.created_by_id': 'a version is of its state',
}

const namesUser = ({ name, parent }: Column) =>
  parent?.table === 'users' || /(^|_)(user|author|creator|owner|impersonator)_id$|_by_id$/.test(name)

test('every column that names a user has a rule, and a reason where it names nobody any more', async () => {
  const { forge } = await openWorld()
  const found = (await columnsOf(forge.app.db)).filter(namesUser)
  expect(Object.keys(rules), 'add the column to `rules` of this file, in order').toEqual(found.map(nameOf).sort())
  expect(Object.keys(withoutGhost)).toEqual(Object.keys(rules).filter((name) => /^(nobody|kept)/.test(rules[name] as string)))
})

test.each([false, true])('each row is treated by its rule (hard_delete: %s)', async (hard_delete) => {
  const { forge } = await openWorld()
  const { db } = forge.app
  const columns = await columnsOf(db)
  const user = await forge.user()
  const rows = new Map<Column, number>()
  // One row for each column, with only the required values, and the user in that column. Without constraints even combinations that can't
  // occur are written.
  await sql`pragma foreign_keys = off`.execute(db)
  await sql`pragma ignore_check_constraints = on`.execute(db)
  for (const column of columns.filter(namesUser)) rows.set(column, await rowNaming(forge, user, column, columns))
  await sql`pragma foreign_keys = on`.execute(db)

  const { status } = await forge.as(forge.root).delete(`/users/${user.id}${hard_delete ? '?hard_delete=true' : ''}`)

  expect(status).toBe(204)
  const found: Record<string, string> = {}
  for (const [column, at] of rows) found[nameOf(column)] = await outcomeOf(forge, user, column, at)
  expect(found).toEqual(Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, ruleOf(rule, hard_delete)])))
})

function ruleOf(rule: string, hard_delete: boolean): string | undefined {
  const [usual, hard = usual] = rule.split(', ')
  return hard_delete ? hard : usual
}

interface Row {
  at: number
}

let last = 1_000_000

/** The row of the table that names the user in this column, by its position in the table. */
async function rowNaming({ app: { db } }: Forge, user: TestUser, { table, name }: Column, columns: Column[]): Promise<number> {
  const { rows } = await sql<Row>`select rowid as at from ${sql.table(table)} where ${sql.ref(name)} = ${user.id}`.execute(db)
  const needed = columns.filter((column) => column.table === table && (column.isRequired || column.name === name))
  const names = sql.join(needed.map((column) => sql.ref(column.name)))
  // A project may have the only row that it can have already; then the row gets ids of parents that don't exist.
  for (const hasParents of [true, false]) {
    if (rows.length > 0) break
    const values = needed.map(({ name: other, parent }) => {
      last += 1
      const first = parent && sql`(select min(${sql.ref(parent.column)}) from ${sql.table(parent.table)})`
      return other === name ? user.id : hasParents && first ? first : last
    })
    const inserted = sql<Row>`insert or ignore into ${sql.table(table)} (${names}) values (${sql.join(values)}) returning rowid as at`
    rows.push(...(await inserted.execute(db)).rows)
  }
  return rows[0]?.at as number
}

async function outcomeOf({ app: { db } }: Forge, user: TestUser, { table, name }: Column, at: number): Promise<Outcome> {
  const found = sql<{ id: number | null }>`select ${sql.ref(name)} as id from ${sql.table(table)} where rowid = ${at}`
  const [row] = (await found.execute(db)).rows
  if (!row) return 'deleted'
  if (row.id === null) return 'nobody'
  const { id: ghost } = await db.selectFrom('users').select('id').where('kind', '=', 'ghost').executeTakeFirstOrThrow()
  if (![ghost, user.id].includes(row.id)) throw new Error(`${table}.${name} names somebody else: ${row.id}`)
  return row.id === ghost ? 'ghost' : 'kept'
}
