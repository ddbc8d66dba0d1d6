/** Whatever is secret is stored as a digest or sealed, or it is said here why not: a column that was forgotten fails. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { type TableName, tables } from '../../../src/features/transfer/archive/format.ts'
import { openLog } from '../../../src/logging/log.ts'
import { openWorld } from '../world/world.ts'
import { columnsOf, nameOf } from './schema.ts'

/** The secret itself is not in the database. */
const digests = [
  'access_tokens.digest',
  'account_tokens.digest',
  'ci_jobs.token_digest',
  'ci_runners.token_digest',
  'ci_triggers.token_digest',
  'deploy_tokens.digest',
  'flag_clients.instance_id_digest',
  'invitations.token_digest',
  'lfs_tokens.digest',
  'namespaces.runners_token_digest',
  'oauth_applications.secret_digest',
  'oauth_codes.digest',
  'oauth_device_codes.digest',
  'oauth_tokens.digest',
  'oauth_tokens.refresh_digest',
  'pending_sign_ins.digest',
  'projects.runners_token_digest',
  'recovery_codes.digest',
  'sessions.digest',
  'spent_challenges.digest',
  'users.password_hash',
]

/** Nobody reads them without the key of the instance, which is not in the database. */
const sealed = [
  'ci_jobs.dotenv',
  'ci_jobs.id_tokens',
  'ci_jobs.played_variables',
  'ci_pipeline_variables.value',
  'ci_schedule_variables.value',
  'ci_schedules.inputs',
  'ci_triggers.token',
  'ci_variables.value',
  'flag_clients.instance_id',
  'hooks.custom_headers',
  'hooks.signing_token',
  'hooks.token',
  'hooks.url',
  'hooks.url_variables',
  'integrations.settings',
  'invitations.sealed_token',
  'mail_contents.sealed_token',
  'namespaces.runners_token',
  'oauth_keys.private_key',
  'projects.runners_token',
  'pull_mirrors.private_key',
  'pull_mirrors.url',
  'push_intents.push_options',
  'push_mirrors.private_key',
  'push_mirrors.url',
  'totp_factors.secret',
]

/** Stored as they are, and why. The log redacts fields of these names. */
const plain: Record<string, string> = {
  'uploads.secret': 'is a part of addresses, which stand in texts',
  'users.feed_token': 'is a part of addresses of feeds',
}

/** Names that sound like those of secrets. */
const harmless = [
  'approval_settings.require_password_to_approve',
  'ci_runners.token_expires_at',
  'group_approval_settings.require_password_to_approve',
  'passkeys.credential_id',
  'projects.job_token_scope_enabled',
  'push_rules.allow_secrets_by_option',
  'push_rules.prevent_secrets',
  'users.password_expires_at',
  'users.private_profile',
]

/** Archives have them, since texts in it name the addresses. */
const archived = ['uploads.secret']

const soundsSecret = /token|digest|secret|password|private|signing|credential/
const isSealed = /^v1\.[\w-]{38,}$/
const isDigest = /^(?:[0-9a-f]{64}|\$argon2id\$.+)$/

test('every column that holds a secret is stored as a digest or sealed, or has a reason', async () => {
  const { db } = (await openWorld()).forge.app
  const columns = await columnsOf(db)
  const secrets = [...digests, ...sealed, ...Object.keys(plain)]
  const wrong: string[] = []
  for (const column of columns) {
    const name = nameOf(column)
    const { rows } = await sql<{ value: unknown }>`
      select ${sql.ref(column.name)} as value from ${sql.table(column.table)} where ${sql.ref(column.name)} <> ''`.execute(db)
    const values = rows.map(({ value }) => String(value))
    const isKnown = secrets.includes(name) || harmless.includes(name)
    if (!isKnown && (soundsSecret.test(column.name) || values.some((value) => isSealed.test(value)))) wrong.push(`${name} is in no list`)
    if (digests.includes(name) && !values.every((value) => isDigest.test(value))) wrong.push(`${name} is no digest`)
    if (sealed.includes(name) && !values.every((value) => isSealed.test(value))) wrong.push(`${name} is not sealed`)
  }
  expect(wrong, 'put it into the list of this file that fits: `digests`, `sealed`, `plain` or `harmless`').toEqual([])
  const names = columns.map(nameOf)
  expect([...secrets, ...harmless].filter((name) => !names.includes(name))).toEqual([])
  for (const list of [digests, sealed, Object.keys(plain), harmless]) expect(list).toEqual(list.toSorted())
})

test('no archive has a secret', () => {
  const found = [...digests, ...sealed, ...Object.keys(plain)].filter((name) => {
    const [table, column] = name.split('.') as [string, string]
    return Object.keys(tables[table as TableName]?.properties ?? {}).includes(column)
  })
  expect(found).toEqual(archived)
})

test('the log redacts fields named like a secret that is stored as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'log')
  const names = Object.keys(plain).map((name) => name.split('.')[1] as string)
  openLog({ level: 'info', file }).info(Object.fromEntries(names.map((name) => [name, 's3cret'])), 'a row')
  const line = () => readFile(file, 'utf8')
  await expect.poll(line).toContain('a row')
  expect(JSON.parse(await line())).toMatchObject(Object.fromEntries(names.map((name) => [name, '[Redacted]'])))
})
