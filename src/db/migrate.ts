/** Migrates the schema: forward only, and never from a schema newer than this program. */
import { type Kysely, type Migration, sql, type Transaction } from 'kysely'
import { StartRefused } from '../failure.ts'
import { inTransaction } from './database.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { now } from './instants.ts'
import { foundation } from './migrations/0001-foundation.ts'
import { repository } from './migrations/0002-repository.ts'
import { roads } from './migrations/0003-roads.ts'
import { people } from './migrations/0004-people.ts'
import { lists } from './migrations/0005-lists.ts'
import { redirects } from './migrations/0006-redirects.ts'
import { askers } from './migrations/0007-askers.ts'
import { repairs } from './migrations/0008-repairs.ts'
import { jobOwners } from './migrations/0009-job-owners.ts'
import { backups } from './migrations/0010-backups.ts'
import { access } from './migrations/0012-access.ts'
import { spaces } from './migrations/0013-spaces.ts'
import { releases } from './migrations/0014-releases.ts'
import { machineTokens } from './migrations/0015-machine-tokens.ts'
import { operations } from './migrations/0016-operations.ts'
import { listCounts } from './migrations/0018-list-counts.ts'
import { transferProgress } from './migrations/0023-transfer-progress.ts'
import { feeds } from './migrations/0024-feeds.ts'
import { peoplePages } from './migrations/0025-people-pages.ts'
import { planning } from './migrations/0026-planning.ts'
import { review } from './migrations/0027-review.ts'
import { wikis } from './migrations/0028-wikis.ts'
import { snippets } from './migrations/0029-snippets.ts'
import { search } from './migrations/0030-search.ts'
import { ci } from './migrations/0032-ci.ts'
import { writeCounters } from './migrations/0033-write-counters.ts'
import { hooks } from './migrations/0034-hooks.ts'
import { integrations } from './migrations/0036-integrations.ts'
import { jobsOfRunners } from './migrations/0038-jobs-of-runners.ts'
import { mirrors } from './migrations/0042-mirrors.ts'
import { reservedNames } from './migrations/0043-reserved-names.ts'
import { profiles } from './migrations/0044-profiles.ts'
import { releaseMilestones } from './migrations/0045-release-milestones.ts'
import { publicNoteCounts } from './migrations/0046-public-note-counts.ts'
import { serialJobs } from './migrations/0047-serial-jobs.ts'
import { debugTraces } from './migrations/0049-debug-traces.ts'
import { hookValues } from './migrations/0050-hook-values.ts'
import { oauth } from './migrations/0051-oauth.ts'
import { sealedTokens } from './migrations/0052-sealed-tokens.ts'
import { notificationSettings } from './migrations/0054-notification-settings.ts'
import { mails } from './migrations/0055-mails.ts'
import { secondFactor } from './migrations/0056-second-factor.ts'
import { accountTokens } from './migrations/0058-account-tokens.ts'
import { lockouts } from './migrations/0060-lockouts.ts'
import { auditLog } from './migrations/0061-audit-log.ts'
import { identities } from './migrations/0062-identities.ts'
import { runningJobs } from './migrations/0064-running-jobs.ts'
import { pushOptions } from './migrations/0065-push-options.ts'
import { chatNames } from './migrations/0066-chat-names.ts'
import { payloadFailures } from './migrations/0067-payload-failures.ts'
import { accountStates } from './migrations/0068-account-states.ts'
import { follows } from './migrations/0069-follows.ts'
import { passkeySignIn } from './migrations/0070-passkey-sign-in.ts'
import { serviceAccounts } from './migrations/0071-service-accounts.ts'
import { abuseReports } from './migrations/0072-abuse-reports.ts'
import { invitations } from './migrations/0073-invitations.ts'
import { projectFlags } from './migrations/0074-project-flags.ts'
import { terraformStates } from './migrations/0075-terraform-states.ts'
import { secureFiles } from './migrations/0076-secure-files.ts'
import { scheduledDeletions } from './migrations/0077-scheduled-deletions.ts'
import { wikiEvents } from './migrations/0080-wiki-events.ts'
import { mentionsInSnippets } from './migrations/0081-mentions-in-snippets.ts'
import { hookDeliveryCounts } from './migrations/0082-hook-delivery-counts.ts'
import { scheduleInputs } from './migrations/0085-schedule-inputs.ts'
import { approvalRules } from './migrations/0087-approval-rules.ts'
import { codeOwners } from './migrations/0088-code-owners.ts'
import { protectedEnvironments } from './migrations/0090-protected-environments.ts'
import { groupSecondFactor } from './migrations/0092-group-second-factor.ts'
import { quotas } from './migrations/0093-quotas.ts'
import { pushRules } from './migrations/0094-push-rules.ts'
import { mergeRequestBlocks } from './migrations/0095-merge-request-blocks.ts'
import { mergeTrains } from './migrations/0096-merge-trains.ts'
import { appearance } from './migrations/0100-appearance.ts'
import { archivedGroups } from './migrations/0101-archived-groups.ts'
import { lockUsers } from './migrations/0106-lock-users.ts'
import { snippetComments } from './migrations/0108-snippet-comments.ts'
import { spamLogs } from './migrations/0109-spam-logs.ts'
import { writesToOldRows } from './migrations/0110-writes-to-old-rows.ts'
import { groupExports } from './migrations/0111-group-exports.ts'
import { statusChecks } from './migrations/0115-status-checks.ts'
import { fetchCounts } from './migrations/0116-fetch-counts.ts'
import { changeIds } from './migrations/0120-change-ids.ts'
import { stackedMerges } from './migrations/0121-stacked-merges.ts'
import { mergedResults } from './migrations/0125-merged-results.ts'
import { environmentsOfGroups } from './migrations/0126-environments-of-groups.ts'
import { replies } from './migrations/0130-replies.ts'
import { makersOfTokens } from './migrations/0140-makers-of-tokens.ts'
import { sealedSizes } from './migrations/0141-sealed-sizes.ts'
import { emojiOnSnippetComments } from './migrations/0143-emoji-on-snippet-comments.ts'
import { settledEvents } from './migrations/0144-settled-events.ts'
import { pinnedProjects } from './migrations/0146-pinned-projects.ts'
import { flagVersions } from './migrations/0147-flag-versions.ts'
import { releaseEvidences } from './migrations/0148-release-evidences.ts'
import { contextCommits } from './migrations/0149-context-commits.ts'
import { stacksInQueues } from './migrations/0150-stacks-in-queues.ts'
import { groupApprovals } from './migrations/0151-group-approvals.ts'
import type { Tables } from './tables.ts'

/** Every migration ever released, in order. A released one is never edited. */
const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-repository': repository,
  '0003-roads': roads,
  '0004-people': people,
  '0005-lists': lists,
  '0006-redirects': redirects,
  '0007-askers': askers,
  '0008-repairs': repairs,
  '0009-job-owners': jobOwners,
  '0010-backups': backups,
  '0012-access': access,
  '0013-spaces': spaces,
  '0014-releases': releases,
  '0015-machine-tokens': machineTokens,
  '0016-operations': operations,
  '0018-list-counts': listCounts,
  '0023-transfer-progress': transferProgress,
  '0024-feeds': feeds,
  '0025-people-pages': peoplePages,
  '0026-planning': planning,
  '0027-review': review,
  '0028-wikis': wikis,
  '0029-snippets': snippets,
  '0030-search': search,
  '0032-ci': ci,
  '0033-write-counters': writeCounters,
  '0034-hooks': hooks,
  '0036-integrations': integrations,
  '0038-jobs-of-runners': jobsOfRunners,
  '0042-mirrors': mirrors,
  '0043-reserved-names': reservedNames,
  '0044-profiles': profiles,
  '0045-release-milestones': releaseMilestones,
  '0046-public-note-counts': publicNoteCounts,
  '0047-serial-jobs': serialJobs,
  '0049-debug-traces': debugTraces,
  '0050-hook-values': hookValues,
  '0051-oauth': oauth,
  '0052-sealed-tokens': sealedTokens,
  '0054-notification-settings': notificationSettings,
  '0055-mails': mails,
  '0056-second-factor': secondFactor,
  '0058-account-tokens': accountTokens,
  '0060-lockouts': lockouts,
  '0061-audit-log': auditLog,
  '0062-identities': identities,
  '0064-running-jobs': runningJobs,
  '0065-push-options': pushOptions,
  '0066-chat-names': chatNames,
  '0067-payload-failures': payloadFailures,
  '0068-account-states': accountStates,
  '0069-follows': follows,
  '0070-passkey-sign-in': passkeySignIn,
  '0071-service-accounts': serviceAccounts,
  '0072-abuse-reports': abuseReports,
  '0073-invitations': invitations,
  '0074-project-flags': projectFlags,
  '0075-terraform-states': terraformStates,
  '0076-secure-files': secureFiles,
  '0077-scheduled-deletions': scheduledDeletions,
  '0080-wiki-events': wikiEvents,
  '0081-mentions-in-snippets': mentionsInSnippets,
  '0082-hook-delivery-counts': hookDeliveryCounts,
  '0085-schedule-inputs': scheduleInputs,
  '0087-approval-rules': approvalRules,
  '0088-code-owners': codeOwners,
  '0090-protected-environments': protectedEnvironments,
  '0092-group-second-factor': groupSecondFactor,
  '0093-quotas': quotas,
  '0094-push-rules': pushRules,
  '0095-merge-request-blocks': mergeRequestBlocks,
  '0096-merge-trains': mergeTrains,
  '0100-appearance': appearance,
  '0101-archived-groups': archivedGroups,
  '0106-lock-users': lockUsers,
  '0108-snippet-comments': snippetComments,
  '0109-spam-logs': spamLogs,
  '0110-writes-to-old-rows': writesToOldRows,
  '0111-group-exports': groupExports,
  '0115-status-checks': statusChecks,
  '0116-fetch-counts': fetchCounts,
  '0120-change-ids': changeIds,
  '0121-stacked-merges': stackedMerges,
  '0125-merged-results': mergedResults,
  '0126-environments-of-groups': environmentsOfGroups,
  '0130-replies': replies,
  '0140-makers-of-tokens': makersOfTokens,
  '0141-sealed-sizes': sealedSizes,
  '0143-emoji-on-snippet-comments': emojiOnSnippetComments,
  '0144-settled-events': settledEvents,
  '0146-pinned-projects': pinnedProjects,
  '0147-flag-versions': flagVersions,
  '0148-release-evidences': releaseEvidences,
  '0149-context-commits': contextCommits,
  '0150-stacks-in-queues': stacksInQueues,
  '0151-group-approvals': groupApprovals,
}

const journal = sql.table('schema_migrations')

/** The advisory lock of migrations: an arbitrary number that nothing else uses. */
const lockNumber = 4_748_837

/**
 * Applies the missing migrations, all or none, one process at a time. Returns their names. Not Kysely's own Migrator: on SQLite it takes
 * neither a lock nor a transaction.
 */
export function migrate(db: Kysely<Tables>, available = migrations): Promise<string[]> {
  return inTransaction(db, (tx) => applyMigrations(tx, available))
}

/** As `migrate`, inside a transaction that also does other things. */
export async function applyMigrations(tx: Transaction<Tables>, available = migrations): Promise<string[]> {
  await openJournal(tx)
  const { rows } = await sql<{ name: string }>`select name from ${journal}`.execute(tx)
  const applied = new Set(rows.map(({ name }) => name))
  assertNotNewer([...applied].filter((name) => !(name in available)))
  const missing = Object.entries(available).filter(([name]) => !applied.has(name))
  for (const [name, { up }] of missing) {
    await up(tx)
    await sql`insert into ${journal} (name, timestamp) values (${name}, ${now()})`.execute(tx)
  }
  return missing.map(([name]) => name)
}

/** The migrations of the schema of a backup. Throws StartRefused if this program lacks one. */
export function migrationsNamed(names: string[]): Record<string, Migration> {
  const unknown = names.filter((name) => !(name in migrations))
  if (unknown.length > 0)
    throw new StartRefused(`the backup was made by a newer Gitstead (it has ${unknown.join(', ')}); restore it with that version`)
  return Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name)))
}

export interface SchemaState {
  /** Names of migrations, in order. */
  applied: string[]
  /** Migrations of this program that have not been applied. */
  missing: string[]
  /** Applied migrations that this program doesn't know. */
  unknown: string[]
}

/** Compares the applied migrations with those of this program. Changes nothing; a database without a schema lacks all of them. */
export async function schemaState(db: Kysely<Tables>): Promise<SchemaState> {
  const { rows } = await sql<{ name: string }>`select name from ${journal} order by name`.execute(db)
  const applied = rows.map(({ name }) => name)
  const known = Object.keys(migrations)
  return {
    applied,
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  }
}

/** For a process beside the server, which must not migrate. Throws StartRefused unless the schema is that of this program. */
export async function requireCurrent(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from ${journal} order by name`.execute(db)
  const known = Object.keys(migrations).sort()
  const same = rows.length === known.length && rows.every(({ name }, index) => name === known[index])
  if (!same)
    throw new StartRefused('the schema of the database is not that of this version of Gitstead; start the server of this version first')
}

/** Other processes wait until the end of the transaction; on SQLite from its beginning. */
async function openJournal(tx: Transaction<Tables>): Promise<void> {
  if (capabilitiesOf(tx).locksRows) await sql`select pg_advisory_xact_lock(${sql.lit(lockNumber)})`.execute(tx)
  await sql`create table if not exists ${journal} (name text primary key, timestamp text not null)`.execute(tx)
}

function assertNotNewer(unknown: string[]): void {
  if (unknown.length === 0) return
  throw new StartRefused(
    `the database was written by a newer Gitstead (it has ${unknown.join(', ')}); start that version or restore a backup`,
  )
}
