/**
 * Feature flags: whether a behavior is on, for everyone or for some (`/features` of the API). Flags are read from the database rather than
 * cached, as `gitstead shell` lives for one command. All flags that code reads are listed here with their defaults, so a misspelled one
 * doesn't compile.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { FeatureGate } from '../db/tables.ts'

/** The flags that code reads, with the default that applies until an administrator sets a value. docs/administration.md lists them. */
export const flagDefaults = {
  /** Whether answers to clones are cached for identical requests. */
  clone_cache: true,
  /** Whether the code of all projects is indexed for search. */
  code_index: true,
} as const satisfies Record<string, boolean>

export type FlagName = keyof typeof flagDefaults

/** A flag is evaluated for this actor. Absent fields match no gate. */
export interface FlagActor {
  user?: { id: number; admin: boolean } | null
  /** Also matches the groups above it. */
  project?: { id: number; namespace_id: number }
}

/** Groups of users that a gate may name. */
export const featureGroups = { administrators: ({ admin }: { admin: boolean }) => admin } as const

export type FeatureGroup = keyof typeof featureGroups

type Gate = Pick<FeatureGate, 'kind' | 'value' | 'user_id' | 'project_id' | 'namespace_id'> & { is_above: boolean }

/** No row if the flag was never set; one row without a kind if no gate is open. */
const gatesOf = prepared((db: Db, name: string, namespaceId: number) =>
  db
    .selectFrom('features')
    .leftJoin('feature_gates', 'feature_gates.feature_name', 'features.name')
    .select(['kind', 'value', 'user_id', 'project_id', 'feature_gates.namespace_id'])
    .select((eb) =>
      sql<boolean | number>`${eb.exists(
        eb
          .selectFrom('namespace_ancestors')
          .select('ancestor_id')
          .where('namespace_ancestors.namespace_id', '=', namespaceId)
          .whereRef('namespace_ancestors.ancestor_id', '=', 'feature_gates.namespace_id'),
      )}`.as('is_above'),
    )
    .where('features.name', '=', name),
)

/** Whether the flag is on for the actor: one open gate is enough. One statement; on SQLite none until something is changed. */
export async function isEnabled(db: Db, name: FlagName, actor: FlagActor = {}): Promise<boolean> {
  const rows = await gatesOf(db, name, actor.project?.namespace_id ?? 0)
  if (rows.length === 0) return flagDefaults[name]
  return rows.some(({ kind, is_above, ...gate }) => kind !== null && isOpen(name, { ...gate, kind, is_above: Boolean(is_above) }, actor))
}

function isOpen(name: FlagName, gate: Gate, { user, project }: FlagActor): boolean {
  switch (gate.kind) {
    case 'boolean':
      return true
    case 'groups':
      return Boolean(user && featureGroups[gate.value as FeatureGroup]?.(user))
    case 'actors':
      return gate.is_above || (gate.user_id ?? 0) === user?.id || (gate.project_id ?? 0) === project?.id
    case 'percentage_of_time':
      return Math.random() * 100 < Number(gate.value)
    case 'percentage_of_actors': {
      const id = project ? `Project:${project.id}` : user ? `User:${user.id}` : null
      return id !== null && shareOf(name, id) < Number(gate.value)
    }
  }
}

/** A number from 0 to 99.99 that is fixed for a flag and an actor, so that raising the percentage never disables the flag for anyone. */
function shareOf(name: string, actor: string): number {
  return (createHash('sha256').update(`${name} ${actor}`).digest().readUInt32BE() % 10_000) / 100
}
