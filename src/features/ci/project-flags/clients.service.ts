/** The secret by which programs read the feature flags of a project, its instance id; and what they read by it. */
import { LRUCache } from 'lru-cache'
import type { Static } from 'typebox'
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid } from '../../../failure.ts'
import { constant } from '../../../http/reply/serialize.ts'
import { matchesWildcard } from '../../../text/wildcards.ts'
import { newSecret } from '../../people/sessions/sessions.ts'
import {
  insertSealedId,
  projectByInstanceId,
  raiseVersion,
  replaceSealedId,
  type SealedId,
  scopesOfProject,
  sealedIdOf,
  sizeOfServed,
} from './clients.queries.ts'
import type { ServedFlags } from './project-flags.schema.ts'

/** Names what was sealed for it: nothing else opens it. */
const purpose = 'flag_clients.instance_id'

/** The version of the project's flags; null if this instance id doesn't open them, or the project has CI disabled. */
export async function versionForClient(db: Db, project_id: number, instance_id: string): Promise<number | null> {
  const [project] = await projectByInstanceId(db, digestOf(instance_id))
  return project?.id === project_id && project.builds_access_level !== 'disabled' ? project.version : null
}

/** The instance id of the project, made with the first question for it. */
export async function instanceIdOf(app: App, project_id: number): Promise<string> {
  const found = await sealedIdOf(app.db, project_id)
  if (found !== null) return app.secrets.unseal(found, purpose)
  const fresh = freshId(app)
  // If two callers ask at once, both get the id that one of them made.
  await insertSealedId(app.db, project_id, fresh)
  return app.secrets.unseal((await sealedIdOf(app.db, project_id)) ?? fresh.instance_id, purpose)
}

/** Another one: programs with the one before read nothing any more. */
export async function resetInstanceId(app: App, project_id: number): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await replaceSealedId(tx, project_id, freshId(app))
    await publish(tx, { type: 'flag_client_reset', project_id })
  })
}

function freshId({ secrets }: App): SealedId {
  const fresh = newSecret()
  return { instance_id_digest: digestOf(fresh), instance_id: secrets.seal(fresh, purpose) }
}

/** A flag as programs evaluate it. */
export interface ServedFlag {
  name: string
  description: string
  enabled: boolean
  strategies: Array<{ name: string; parameters: Record<string, string> }>
}

/** Programs get all flags of a project in one answer, every few seconds. */
const maxServed = { rows: 20_000, chars: 4_000_000 }

/** Part of a transaction that has changed flags or lists of users. Throws 400 where the flags of a project became too many to be served. */
export async function serveChanged(tx: Tx, project_id: number): Promise<void> {
  await raiseVersion(tx, project_id)
  const { rows, chars } = await sizeOfServed(tx, project_id)
  if (rows > maxServed.rows) throw invalid({ base: [`The flags of a project have at most ${maxServed.rows} environment scopes together`] })
  if (chars > maxServed.chars)
    throw invalid({
      base: [`The flags of a project name at most ${maxServed.chars} characters of users together, those of lists included`],
    })
}

interface Kept {
  /** Read before the flags, which may therefore be newer than their version, but never older. */
  version: number
  served: Static<typeof ServedFlags>
  chars: number
}

const maxKept_chars = 16 * 1024 * 1024

const perDatabase = new WeakMap<Db, LRUCache<string, Kept>>()

/** Flags for programs in this environment. Cached with their JSON until they change, since many programs ask every few seconds. */
export async function servedFlags(db: Db, project_id: number, environment: string, version: number): Promise<Kept['served']> {
  const kept = keptIn(db)
  const key = `${project_id} ${environment}`
  const known = kept.get(key)
  if (known && known.version >= version) return known.served
  const served = constant({ version: 1, features: await flagsIn(db, project_id, environment) })
  kept.set(key, { version, served, chars: key.length + JSON.stringify(served).length })
  return served
}

function keptIn(db: Db): LRUCache<string, Kept> {
  const kept = perDatabase.get(db) ?? new LRUCache({ maxSize: maxKept_chars, sizeCalculation: ({ chars }: Kept) => chars })
  perDatabase.set(db, kept)
  return kept
}

/**
 * The flags of the project for programs in this environment, with the strategies that count there. A flag without any is left out:
 * programs take what they don't know as off.
 */
async function flagsIn(db: Db, project_id: number, environment: string): Promise<ServedFlag[]> {
  const flags = new Map<number, ServedFlag>()
  let last = 0
  for (const row of await scopesOfProject(db, project_id)) {
    // A strategy counts once, by whichever of its scopes.
    if (row.strategy_id === last || !matchesWildcard(row.environment_scope, environment)) continue
    last = row.strategy_id
    const flag = flags.get(row.flag_id) ?? {
      name: row.flag_name,
      description: row.description,
      enabled: Boolean(row.active),
      strategies: [],
    }
    flags.set(row.flag_id, flag)
    flag.strategies.push(servedStrategy(row))
  }
  return [...flags.values()]
}

/** Programs know no lists of users: such a strategy names its users. */
function servedStrategy({ name, parameters, user_xids }: { name: string; parameters: string; user_xids: string | null }) {
  if (name === 'gitlabUserList') return { name: 'userWithId', parameters: { userIds: user_xids ?? '' } }
  return { name, parameters: JSON.parse(parameters) as Record<string, string> }
}
