/**
 * Registration tokens for runners of the instance, a group or a project. They can be displayed again, so they are sealed, and found by a
 * separate digest.
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

/** The purpose for which each kind of token is sealed. */
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

/** The token in the clear, for users who manage what it belongs to. */
export function shownToken(secrets: Secrets, kind: RegistersFor['kind'], sealed: string): string {
  return secrets.unseal(sealed, sealedFor[kind])
}

/** As `shownToken`, for a project. A row without a digest has a token that `sealRegistrationTokens` has not processed yet. */
export function shownProjectToken(
  secrets: Secrets,
  { runners_token, runners_token_digest }: Pick<Project, 'runners_token' | 'runners_token_digest'>,
): string {
  return runners_token_digest === null ? runners_token : shownToken(secrets, 'project', runners_token)
}

/** The instance token is a row of the settings that no settings API returns. */
export const instanceTokenSetting = 'runners_registration_token'

const storedInstanceToken = prepared((db: Db) => db.selectFrom('settings').select('value').where('name', '=', instanceTokenSetting))

/** Null until it is first requested. */
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

/** Looks up the scope of a registration token; null for an unknown token. */
export async function findRegistration(db: Db, token: string): Promise<RegistersFor | null> {
  const digest = digestOf(token)
  if ((await instanceToken(db))?.digest === digest) return { kind: 'instance' }
  const [project] = await projectByDigest(db, digest)
  if (project) return { kind: 'project', id: project.id }
  const [group] = await groupByDigest(db, digest)
  return group ? { kind: 'group', id: group.id } : null
}

/** Tokens per transaction. */
const portion = 500

/**
 * Seals tokens of projects that an earlier version stored in the clear, which have no digest. A migration can't, as the key is not in the
 * database. Reads only an index if there are none.
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
