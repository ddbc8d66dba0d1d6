/**
 * Tokens that register runners, of the instance, a group or a project: shown again to those who manage it, so they are sealed, and
 * found by a digest beside.
 */
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type Db, inTransaction } from '../../db/database.ts'
import { prepared } from '../../db/prepared-queries.ts'
import type { Project, Tables } from '../../db/tables.ts'
import type { Secrets } from '../../program/secrets.ts'
import type { RegistersFor } from '../principals.ts'
import { digestOf } from '../tokens.ts'

export interface StoredToken {
  sealed: string
  digest: string
}

/** The purposes that they are sealed for. */
const sealedFor = {
  instance: 'settings.runners_registration_token',
  group: 'namespaces.runners_token',
  project: 'projects.runners_token',
} as const

export function newRegistrationToken(): string {
  return randomBytes(15).toString('base64url')
}

export function storedToken(secrets: Secrets, kind: RegistersFor['kind'], token: string): StoredToken {
  return { sealed: secrets.seal(token, sealedFor[kind]), digest: digestOf(token) }
}

/** The token itself, for those who manage what it is of. */
export function shownToken(secrets: Secrets, kind: RegistersFor['kind'], sealed: string): string {
  return secrets.unseal(sealed, sealedFor[kind])
}

/** As `shownToken`, of a project. Without a digest it is one that `sealRegistrationTokens` has not come to. */
export function shownProjectToken(
  secrets: Secrets,
  { runners_token, runners_token_digest }: Pick<Project, 'runners_token' | 'runners_token_digest'>,
): string {
  return runners_token_digest === null ? runners_token : shownToken(secrets, 'project', runners_token)
}

/** The token of the instance is a row of the settings that no API of settings shows. */
export const instanceTokenSetting = 'runners_registration_token'

const storedInstanceToken = prepared((db: Db) => db.selectFrom('settings').select('value').where('name', '=', instanceTokenSetting))

/** Null as long as nobody has asked for it. */
export async function instanceToken(db: Db): Promise<StoredToken | null> {
  const [row] = await storedInstanceToken(db)
  return row ? (JSON.parse(row.value) as StoredToken) : null
}

const projectByDigest = prepared((db: Db, digest: string) =>
  db.selectFrom('projects').select('id').where('runners_token_digest', '=', digest),
)

const groupByDigest = prepared((db: Db, digest: string) =>
  db.selectFrom('namespaces').select('id').where('runners_token_digest', '=', digest),
)

/** What the token registers runners for; null for an unknown one. */
export async function findRegistration(db: Db, token: string): Promise<RegistersFor | null> {
  const digest = digestOf(token)
  if ((await instanceToken(db))?.digest === digest) return { kind: 'instance' }
  const [project] = await projectByDigest(db, digest)
  if (project) return { kind: 'project', id: project.id }
  const [group] = await groupByDigest(db, digest)
  return group ? { kind: 'group', id: group.id } : null
}

/** So many are sealed in one transaction. */
const portion = 500

/**
 * Seals the tokens of projects that an earlier version stored as they are: those without a digest. A migration can't, as the key is not
 * in the database. One look at an index where there are none.
 */
export async function sealRegistrationTokens(db: Kysely<Tables>, secrets: Secrets): Promise<void> {
  for (;;) {
    const found = await db
      .selectFrom('projects')
      .select(['id', 'runners_token'])
      .where('runners_token_digest', 'is', null)
      .limit(portion)
      .execute()
    if (found.length === 0) return
    await inTransaction(db, async (tx) => {
      for (const { id, runners_token } of found) {
        const { sealed, digest } = storedToken(secrets, 'project', runners_token)
        await tx
          .updateTable('projects')
          .set({ runners_token: sealed, runners_token_digest: digest })
          .where('id', '=', id)
          .where('runners_token_digest', 'is', null)
          .execute()
      }
    })
  }
}
